#include "cli/complete/impl.h"

#include "base/log/utf8.h"
#include "base/log/visible.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Returns true if a shell can show and insert the candidate as one word. */
static bool answer_is_plain(struct mcti_str value)
{
    for (size_t i = 0; i < value.len; i++)
        if (!value.p[i] || mcti_control_len(value.p + i, value.len - i))
            return false;
    return mcti_utf8_valid(value);
}

/* Appends the first line of a description, in a form that does not control a terminal. */
static void answer_put_description(struct mcti_buf *to, struct mcti_str text)
{
    enum { MOST = 72 };
    struct mcti_str line;
    size_t n;
    if (!mcti_str_split(&text, '\n', &line))
        return;
    struct mcti_str head = mcti_utf8_head(line, MOST, &n);
    mcti_buf_addc(to, '\t');
    mcti_visible_put(to, head, MCT_VISIBLE_LINE);
    mcti_buf_addz(to, head.len < line.len ? "…" : "");
}

void mcti_complete_add(struct mcti_complete *c, struct mcti_str value, struct mcti_str description)
{
    struct mcti_buf whole;
    if (!mcti_str_starts(value, c->current) || !answer_is_plain(value) || c->n >= COMPLETE_MOST)
        return;
    mcti_buf_init(&whole, 1u << 16);
    mcti_buf_add(&whole, c->before);
    mcti_buf_add(&whole, value);
    struct mcti_str text = mcti_buf_str(&whole);
    if (text.len > c->cut) {
        mcti_buf_add(&c->out, (struct mcti_str){ text.p + c->cut, text.len - c->cut });
        answer_put_description(&c->out, description);
        mcti_buf_addc(&c->out, '\n');
        c->n++;
        if (strchr("=./:", mcti_buf_last(&whole)))
            c->flags |= COMPLETE_NO_SPACE;
    }
    mcti_buf_done(&whole);
}

enum { FOLDER_BYTES = 4096 };

static bool is_folder(const char *folder, const struct dirent *entry)
{
    char path[FOLDER_BYTES + sizeof entry->d_name];
    struct stat st;
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

void mcti_complete_paths(struct mcti_complete *c, const char *mark)
{
    size_t n = strlen(mark);
    struct mcti_str path = { c->current.p + n, c->current.len - n };
    const char *slash = path.len ? memrchr(path.p, '/', path.len) : NULL;
    char folder[FOLDER_BYTES];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path.p) : 2, slash ? path.p : "./");
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char value[8192];
        const char *name = slash ? slash + 1 : path.p;
        if (e->d_name[0] == '.' && (name == path.p + path.len || *name != '.'))
            continue;
        snprintf(value, sizeof value, "%s%s%s%s", mark, slash ? folder : "", e->d_name,
                 is_folder(folder, e) ? "/" : "");
        mcti_complete_add(c, mcti_str_of(value), MCT_STR_NONE);
    }
    if (d)
        closedir(d);
    c->flags |= COMPLETE_NO_FILES;
}
