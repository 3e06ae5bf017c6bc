/* Edits of a file with comments. If the file can be read, so can each result, which has the change; all other members
 * of the root are byte for byte what they were, with the comments in them, and an addition that is removed again leaves
 * the other values. */
#include "config/edit/edit.h"
#include "config/notation/jsonc.h"
#include "json/scan.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const added[] = { "mcpServers", "added", NULL }, *const servers[] = { "mcpServers", NULL };

/* Returns a copy without comments, to free(); the root is in *ret. */
static char *plain_of(struct mcti_str text, struct mcti_str *ret)
{
    struct mcti_json_top top;
    char *plain = mcti_str_dup(text);
    if (!plain)
        abort();
    if (text.len >= 3 && !memcmp(plain, "\xef\xbb\xbf", 3))
        memset(plain, ' ', 3);
    mcti_jsonc_blank(plain, text.len);
    if (!mcti_json_valid((struct mcti_str){ plain, text.len }, 512, &top, NULL))
        abort();
    *ret = top.value;
    return plain;
}

/* The members of the root but one are the same, in both texts, in the same order. */
static void compare(struct mcti_str before, struct mcti_str after, const char *but)
{
    struct mcti_str a, b;
    char *plain_a = plain_of(before, &a), *plain_b = plain_of(after, &b);
    struct mcti_json_iter i = mcti_json_open(a), j = mcti_json_open(b);
    struct mcti_json_member m, n;
    while (mcti_json_next_member(&i, &m)) {
        if (mcti_json_key_is(m.key, but))
            continue;
        do {
            if (!mcti_json_next_member(&j, &n))
                abort();
        } while (mcti_json_key_is(n.key, but));
        struct mcti_str was = { before.p + (m.value.p - plain_a), m.value.len };
        struct mcti_str is = { after.p + (n.value.p - plain_b), n.value.len };
        if (!mcti_str_eq(m.key, n.key) || !mcti_str_eq(was, is))
            abort();
    }
    free(plain_a);
    free(plain_b);
}

static bool has(const struct mcti_edit *e, const char *const *path)
{
    struct mcti_edit_value v;
    if (mcti_edit_get(e, path, &v, NULL) != 0)
        return false;
    mcti_buf_done(&v.json);
    return true;
}

static void add_and_remove(struct mcti_edit *e, struct mcti_str before)
{
    if (mcti_edit_set(e, added, MCT_STR("{\"command\":\"x\",\"args\":[1,2]}"), NULL) < 0)
        return;
    if (!has(e, added))
        abort();
    compare(before, mcti_buf_str(&e->text), "mcpServers");
    if (mcti_edit_remove(e, added, NULL) != 0 || has(e, added) || !has(e, servers))
        abort();
    compare(before, mcti_buf_str(&e->text), "mcpServers");
}

/* Removes the first member of the root, whatever it is. */
static void remove_first(struct mcti_edit *e, struct mcti_str before)
{
    struct mcti_str root;
    struct mcti_json_member m;
    char *plain = plain_of(before, &root), *name = NULL;
    struct mcti_json_iter it = mcti_json_open(root);
    if (mcti_json_next_member(&it, &m))
        name = mcti_json_dup(mcti_json_key_value(m.key));
    const char *const path[] = { name, NULL };
    if (name && mcti_edit_remove(e, path, NULL) == 0) {
        if (has(e, path))
            abort();
        compare(before, mcti_buf_str(&e->text), name);
    }
    free(name);
    free(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data, size };
    struct mcti_edit e;
    struct mcti_edit_value v;
    static const char *const none[] = { "", NULL };
    mcti_edit_init(&e, NULL, text);
    int readable = mcti_edit_get(&e, none, &v, NULL);
    if (readable == 0)
        mcti_buf_done(&v.json);
    if (readable >= 0 && size) {
        remove_first(&e, text);
        mcti_edit_done(&e);
        mcti_edit_init(&e, NULL, text);
        add_and_remove(&e, text);
    }
    mcti_edit_done(&e);
    return 0;
}
