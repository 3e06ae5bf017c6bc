#include "packages/bundle.h"

#include "json/scan.h"
#include "packages/impl.h"

#include <ctype.h>
#include <openssl/sha.h>
#include <stdlib.h>

enum { BUNDLE_SIGNATURE_BYTES = 1 << 20 };

/* The block behind the archive: "MCPB_SIG_V1", the length of the DER in four bytes (the least one first), the DER, and
 * "MCPB_SIG_END". So does modelcontextprotocol/mcpb. */
static const struct mcti_str bundle_sig_begin = { "MCPB_SIG_V1", 11 }, bundle_sig_end = { "MCPB_SIG_END", 12 };

/* Cuts the block off, if there is one. */
static void bundle_split(struct mcti_bundle *b, struct mcti_str file)
{
    size_t head = bundle_sig_begin.len + 4, tail = bundle_sig_end.len;
    b->archive = file;
    if (file.len < head + tail || memcmp(file.p + file.len - tail, bundle_sig_end.p, tail) != 0)
        return;
    size_t most = file.len - tail - head < BUNDLE_SIGNATURE_BYTES ? file.len - tail - head : BUNDLE_SIGNATURE_BYTES;
    for (size_t len = 0; len <= most; len++) {
        const char *p = file.p + file.len - tail - len - head;
        const unsigned char *n = (const unsigned char *)p + bundle_sig_begin.len;
        if (memcmp(p, bundle_sig_begin.p, bundle_sig_begin.len) != 0)
            continue;
        if ((n[0] | (size_t)n[1] << 8 | (size_t)n[2] << 16 | (size_t)n[3] << 24) != len)
            continue;
        b->archive = mcti_str_range(file.p, p);
        b->signature = (struct mcti_str){ p + head, len };
        return;
    }
}

static int bundle_take(void *data, struct mcti_str part, struct mct_error *err)
{
    struct mcti_buf *to = data;
    mcti_buf_add(to, part);
    return mcti_buf_ok(to) ? 0 : mcti_fail(err, MCT_ERR_LIMIT, "manifest.json is larger than 1 MiB");
}

static int bundle_read_manifest(struct mcti_bundle *b, struct mct_error *err)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    const struct mcti_zip_entry *e = mcti_zip_find(&b->zip, "manifest.json");
    if (!e || e->is_folder)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the archive has no manifest.json, so it is not a bundle");
    if (mcti_zip_read(e, bundle_take, &b->manifest, err) < 0)
        return -1;
    if (!mcti_json_valid(mcti_buf_str(&b->manifest), 64, &top, &fault))
        return mcti_fail(err, MCT_ERR_PROTOCOL, "manifest.json is not valid JSON: %s", fault.why);
    return mcti_json_type(top.value) == '{' ? 0 : mcti_fail(err, MCT_ERR_PROTOCOL, "manifest.json is not an object");
}

int mcti_bundle_open(struct mcti_bundle *b, struct mcti_str file, struct mct_error *err)
{
    struct mct_error second;
    *b = (struct mcti_bundle){ .archive = file };
    mcti_buf_init(&b->manifest, MCT_PLAN_DOCUMENT_BYTES);
    bundle_split(b, file);
    int r = mcti_zip_open(&b->zip, b->archive, err);
    if (r < 0 && b->signature.p) { /* some tools make the signature the comment of the archive */
        mcti_zip_done(&b->zip);
        r = mcti_zip_open(&b->zip, file, &second);
    }
    return r < 0 ? -1 : bundle_read_manifest(b, err);
}

void mcti_bundle_done(struct mcti_bundle *b)
{
    mcti_zip_done(&b->zip);
    mcti_buf_done(&b->manifest);
}

static void bundle_put_safe(struct mcti_buf *to, struct mcti_str value)
{
    char *text = mcti_package_text(value);
    for (const char *p = text; p && *p && to->len < 120; p++)
        mcti_buf_addc(to, isalnum((unsigned char)*p) || *p == '-' || (*p == '.' && to->len && to->p[to->len - 1] != '.')
                              ? *p
                              : '_');
    free(text);
}

char *mcti_bundle_folder_name(const struct mcti_bundle *b)
{
    struct mcti_str manifest = mcti_buf_str(&b->manifest);
    struct mcti_buf name;
    mcti_buf_init(&name, 300);
    bundle_put_safe(&name, mcti_json_get(manifest, "name"));
    mcti_buf_addc(&name, '-');
    bundle_put_safe(&name, mcti_json_get(manifest, "version"));
    return mcti_buf_take(&name);
}

bool mcti_bundle_has_hash(struct mcti_str file, const char *hex)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    bool equal = strlen(hex) == 2 * sizeof digest && SHA256((const unsigned char *)file.p, file.len, digest);
    for (size_t i = 0; equal && i < sizeof digest; i++)
        equal = mcti_hex_digit(hex[2 * i]) == digest[i] >> 4 && mcti_hex_digit(hex[2 * i + 1]) == (digest[i] & 15);
    return equal;
}
