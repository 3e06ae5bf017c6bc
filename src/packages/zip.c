#include "packages/zip.h"

#include "base/log/utf8.h"
#include "base/log/visible.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>

/* The directory is at the end; see PKWARE's APPNOTE.TXT, section 4.3. */
enum { ZIP_END = 0x06054b50, ZIP_CENTRAL = 0x02014b50, ZIP_LOCAL = 0x04034b50 };
enum { ZIP_END_BYTES = 22, ZIP_CENTRAL_BYTES = 46, ZIP_LOCAL_BYTES = 30, ZIP_COMMENT_BYTES = 65535 };

static unsigned zip_u16(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return b[0] | (unsigned)b[1] << 8;
}

static uint32_t zip_u32(const char *p)
{
    return zip_u16(p) | (uint32_t)zip_u16(p + 2) << 16;
}

static int zip_fail(struct mct_error *err, const char *what)
{
    return mcti_fail(err, MCT_ERR_PROTOCOL, "the archive cannot be used: %s", what);
}

static int zip_fail_entry(struct mct_error *err, const struct mcti_zip_entry *e, const char *what)
{
    char shown[200];
    snprintf(shown, sizeof shown, "%s", e->name);
    mcti_visible(shown);
    return mcti_fail(err, MCT_ERR_PROTOCOL, "the archive cannot be used: '%s' %s", shown, what);
}

/* ---- names ---- */

/* Returns what is wrong with a name, or NULL. */
static const char *zip_name_mistake(struct mcti_str name)
{
    struct mcti_str rest = name, part;
    size_t depth = 0;
    if (!name.len || name.len > MCT_ZIP_NAME_BYTES)
        return "has no name, or a very long one";
    if (!mcti_utf8_valid(name) || memchr(name.p, '\0', name.len))
        return "has a name that is not UTF-8";
    for (size_t i = 0; i < name.len; i++)
        if (mcti_unseen_len(name.p + i, name.len - i) || name.p[i] == '\\')
            return "has control characters or backslashes in its name";
    while (mcti_str_split(&rest, '/', &part)) {
        if (!part.len || mcti_str_is(part, ".") || mcti_str_is(part, ".."))
            return "would leave its folder";
        if (part.len > 255 || ++depth > MCT_ZIP_DEPTH)
            return "is too deep, or has a very long name";
    }
    return NULL;
}

static int zip_compare_names(const void *a, const void *b)
{
    const struct mcti_zip_entry *x = a, *y = b;
    return strcasecmp(x->name, y->name);
}

static int zip_compare_places(const void *a, const void *b)
{
    const struct mcti_zip_entry *x = a, *y = b;
    return x->header < y->header ? -1 : x->header > y->header;
}

/* ---- the directory ---- */

/* Reads the attributes of an entry. Returns what is wrong with it, or NULL. */
static const char *zip_read_attributes(struct mcti_zip_entry *e, const char *p)
{
    unsigned made_by = zip_u16(p + 4) >> 8, flags = zip_u16(p + 8), method = zip_u16(p + 10);
    uint32_t attributes = zip_u32(p + 38);
    unsigned mode = made_by == 3 || made_by == 19 ? attributes >> 16 : 0, type = mode & S_IFMT;
    e->is_program = mode & 0111;
    e->is_deflated = method == 8;
    e->crc = zip_u32(p + 16);
    e->packed = zip_u32(p + 20);
    e->size = zip_u32(p + 24);
    e->header = zip_u32(p + 42);
    if (flags & 0x2041)
        return "is encrypted";
    if (method != 0 && method != 8)
        return "is packed with an unknown method";
    if (e->packed == UINT32_MAX || e->size == UINT32_MAX || e->header == UINT32_MAX)
        return "is too large";
    if (type && type != S_IFREG && type != S_IFDIR)
        return "is a link or another special file";
    if (e->is_folder ? type == S_IFREG || e->size : type == S_IFDIR)
        return "is neither a file nor a folder";
    if (method == 0 && e->packed != e->size)
        return "has two sizes";
    return NULL;
}

/* Reads the entry at `*p` of the directory and moves *p behind it. */
static int zip_read_entry(struct mcti_zip *z, const char **p, const char *end, struct mct_error *err)
{
    struct mcti_zip_entry *e = &z->v[z->n];
    if (end - *p < ZIP_CENTRAL_BYTES || zip_u32(*p) != ZIP_CENTRAL)
        return zip_fail(err, "its directory is damaged");
    size_t n_name = zip_u16(*p + 28), n_rest = (size_t)zip_u16(*p + 30) + zip_u16(*p + 32);
    if ((size_t)(end - *p) < ZIP_CENTRAL_BYTES + n_name + n_rest)
        return zip_fail(err, "its directory is damaged");
    struct mcti_str name = { *p + ZIP_CENTRAL_BYTES, n_name };
    bool is_folder = name.len > 1 && name.p[name.len - 1] == '/';
    name.len -= is_folder;
    *e = (struct mcti_zip_entry){ .name = mcti_str_dup(name), .is_folder = is_folder };
    if (!e->name)
        return mcti_no_memory(err);
    z->n++;
    const char *mistake = zip_name_mistake(name);
    mistake = mistake ? mistake : zip_read_attributes(e, *p);
    *p += ZIP_CENTRAL_BYTES + n_name + n_rest;
    z->total += e->size;
    return mistake ? zip_fail_entry(err, e, mistake) : 0;
}

/* Returns the record at the end, whose comment ends where the archive does; NULL if there is none. */
static const char *zip_find_end(struct mcti_str a)
{
    size_t most = a.len < ZIP_END_BYTES + ZIP_COMMENT_BYTES ? a.len : ZIP_END_BYTES + ZIP_COMMENT_BYTES;
    for (size_t n = ZIP_END_BYTES; n <= most; n++) {
        const char *p = a.p + a.len - n;
        if (zip_u32(p) == ZIP_END && zip_u16(p + 20) == n - ZIP_END_BYTES)
            return p;
    }
    return NULL;
}

static int zip_read_directory(struct mcti_zip *z, struct mct_error *err)
{
    const char *end = zip_find_end(z->archive), *p;
    if (!end)
        return zip_fail(err, "it is not a ZIP file, or was cut");
    size_t n = zip_u16(end + 10), size = zip_u32(end + 12), offset = zip_u32(end + 16),
           at = (size_t)(end - z->archive.p);
    if (zip_u32(end + 4) || zip_u16(end + 8) != n)
        return zip_fail(err, "it has several parts");
    if (n > MCT_ZIP_ENTRIES)
        return zip_fail(err, "it has too many files");
    if (size > at || offset != at - size)
        return zip_fail(err, "its directory is not where it should be");
    z->v = calloc(n ? n : 1, sizeof *z->v);
    if (!z->v)
        return mcti_no_memory(err);
    for (p = z->archive.p + offset; n; n--)
        if (zip_read_entry(z, &p, end, err) < 0)
            return -1;
    return p == end ? 0 : zip_fail(err, "its directory is damaged");
}

/* ---- the files ---- */

/* Finds the bytes of an entry, which end before `limit`. */
static int zip_locate(const struct mcti_zip *z, struct mcti_zip_entry *e, size_t limit, struct mct_error *err)
{
    const char *p = z->archive.p + e->header;
    if (e->header > limit || limit - e->header < ZIP_LOCAL_BYTES || zip_u32(p) != ZIP_LOCAL)
        return zip_fail_entry(err, e, "is not where the directory says");
    size_t n_name = zip_u16(p + 26), head = ZIP_LOCAL_BYTES + n_name + zip_u16(p + 28);
    if (limit - e->header < head || limit - e->header - head < e->packed)
        return zip_fail_entry(err, e, "overlaps another one");
    if (n_name != strlen(e->name) + e->is_folder || memcmp(p + ZIP_LOCAL_BYTES, e->name, strlen(e->name)) != 0)
        return zip_fail_entry(err, e, "has two names");
    e->data = (struct mcti_str){ p + head, e->packed };
    return 0;
}

static int zip_check_names(struct mcti_zip *z, struct mct_error *err)
{
    qsort(z->v, z->n, sizeof *z->v, zip_compare_names);
    for (size_t i = 1; i < z->n; i++)
        if (!strcasecmp(z->v[i - 1].name, z->v[i].name))
            return zip_fail_entry(err, &z->v[i], "has the name of another entry");
    return 0;
}

int mcti_zip_open(struct mcti_zip *z, struct mcti_str archive, struct mct_error *err)
{
    *z = (struct mcti_zip){ .archive = archive };
    if (zip_read_directory(z, err) < 0)
        return -1;
    if (z->total > MCT_ZIP_TOTAL || (z->total > MCT_ZIP_SMALL && z->total / MCT_ZIP_RATIO > archive.len))
        return zip_fail(err, "its files are too large when they are unpacked");
    qsort(z->v, z->n, sizeof *z->v, zip_compare_places);
    const char *end = zip_find_end(archive);
    size_t directory = zip_u32(end + 16);
    for (size_t i = 0; i < z->n; i++) {
        size_t next = i + 1 < z->n && z->v[i + 1].header < directory ? z->v[i + 1].header : directory;
        if (zip_locate(z, &z->v[i], next, err) < 0)
            return -1;
    }
    if (z->n && z->v[0].header)
        return zip_fail(err, "something stands in front of it");
    return zip_check_names(z, err);
}

void mcti_zip_done(struct mcti_zip *z)
{
    for (size_t i = 0; i < z->n; i++)
        free(z->v[i].name);
    free(z->v);
    *z = (struct mcti_zip){ 0 };
}

const struct mcti_zip_entry *mcti_zip_find(const struct mcti_zip *z, const char *name)
{
    for (size_t i = 0; i < z->n; i++)
        if (!strcmp(z->v[i].name, name))
            return &z->v[i];
    return NULL;
}

/* ---- contents ---- */

/* Where the bytes of a file go, and what they were so far. */
struct zip_reading {
    const struct mcti_zip_entry *entry;
    mcti_zip_take_fn take;
    void *data;
    uint64_t size;
    uLong crc;
};

static int zip_take(struct zip_reading *r, struct mcti_str part, struct mct_error *err)
{
    r->size += part.len;
    if (r->size > r->entry->size)
        return zip_fail_entry(err, r->entry, "is larger than the directory says");
    r->crc = crc32(r->crc, (const Bytef *)part.p, (uInt)part.len);
    return part.len ? r->take(r->data, part, err) : 0;
}

static int zip_inflate(struct zip_reading *r, struct mct_error *err)
{
    struct mcti_str in = r->entry->data;
    z_stream s = { .next_in = (z_const Bytef *)(uintptr_t)in.p, .avail_in = (uInt)in.len };
    char out[32768];
    int status = inflateInit2(&s, -MAX_WBITS), taken = 0;
    if (status != Z_OK)
        return mcti_no_memory(err);
    while (status == Z_OK && taken == 0) {
        s.next_out = (Bytef *)out;
        s.avail_out = sizeof out;
        status = inflate(&s, Z_NO_FLUSH);
        if (status == Z_OK || status == Z_STREAM_END)
            taken = zip_take(r, (struct mcti_str){ out, sizeof out - s.avail_out }, err);
    }
    bool whole = status == Z_STREAM_END && !s.avail_in;
    inflateEnd(&s);
    if (taken < 0)
        return -1;
    return whole ? 0 : zip_fail_entry(err, r->entry, "is damaged");
}

int mcti_zip_read(const struct mcti_zip_entry *e, mcti_zip_take_fn take, void *data, struct mct_error *err)
{
    struct zip_reading r = { .entry = e, .take = take, .data = data, .crc = crc32(0, NULL, 0) };
    if ((e->is_deflated ? zip_inflate(&r, err) : zip_take(&r, e->data, err)) < 0)
        return -1;
    return r.size == e->size && r.crc == e->crc ? 0 : zip_fail_entry(err, e, "is damaged");
}
