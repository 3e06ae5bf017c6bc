/* The kind "memory": texts that end with the process. */
#include "auth/store/store.h"

#include "base/list.h"

#include <stdlib.h>

struct memory_entry {
    struct mcti_list node;
    char key[MCT_AUTH_KEY_CHARS + 1];
    char *text; /* owned; NULL: none */
    bool locked;
};

struct memory_store {
    struct mcti_auth_store base;
    struct mcti_list entries;
};

static struct memory_entry *memory_find(struct mcti_auth_store *s, const char *key)
{
    struct memory_store *m = MCT_CONTAINER(s, struct memory_store, base);
    MCT_LIST_EACH(node, &m->entries)
        if (!strcmp(MCT_CONTAINER(node, struct memory_entry, node)->key, key))
            return MCT_CONTAINER(node, struct memory_entry, node);
    return NULL;
}

/* Returns the entry of the key, which is created if it is missing. NULL: *err is set. */
static struct memory_entry *memory_entry_of(struct mcti_auth_store *s, const char *key, struct mct_error *err)
{
    struct memory_entry *e = memory_find(s, key);
    if (!e && (e = calloc(1, sizeof *e))) {
        snprintf(e->key, sizeof e->key, "%s", key);
        mcti_list_append(&MCT_CONTAINER(s, struct memory_store, base)->entries, &e->node);
    }
    if (!e)
        mcti_no_memory(err);
    return e;
}

static int memory_load(struct mcti_auth_store *s, const char *key, struct mcti_buf *ret, struct mct_error *err)
{
    const struct memory_entry *e = memory_find(s, key);
    mcti_buf_addz(ret, e && e->text ? e->text : "");
    return mcti_buf_ok(ret) ? 0 : mcti_no_memory(err);
}

static int memory_save(struct mcti_auth_store *s, const char *key, struct mcti_str text, struct mct_error *err)
{
    struct memory_entry *e = memory_entry_of(s, key, err);
    char *copy = e && text.p ? mcti_str_dup(text) : NULL;
    if (e && text.p && !copy)
        mcti_no_memory(err);
    if (!e || (text.p && !copy))
        return -1;
    mcti_secret_free(e->text);
    e->text = copy;
    return 0;
}

static int memory_lock(struct mcti_auth_store *s, const char *key, struct mct_error *err)
{
    struct memory_entry *e = memory_entry_of(s, key, err);
    if (!e || e->locked)
        return e ? 0 : -1;
    e->locked = true;
    return 1;
}

static void memory_unlock(struct mcti_auth_store *s, const char *key)
{
    struct memory_entry *e = memory_find(s, key);
    if (e)
        e->locked = false;
}

static int memory_list(struct mcti_auth_store *s, struct mcti_strings *ret, struct mct_error *err)
{
    struct memory_store *m = MCT_CONTAINER(s, struct memory_store, base);
    MCT_LIST_EACH(node, &m->entries) {
        const struct memory_entry *e = MCT_CONTAINER(node, struct memory_entry, node);
        if (e->text && mcti_strings_add(ret, mcti_str_of(e->key)) < 0)
            return mcti_no_memory(err);
    }
    return 0;
}

static void memory_free(struct mcti_auth_store *s)
{
    struct memory_store *m = MCT_CONTAINER(s, struct memory_store, base);
    MCT_LIST_EACH(node, &m->entries) {
        struct memory_entry *e = MCT_CONTAINER(node, struct memory_entry, node);
        mcti_secret_free(e->text);
        free(e);
    }
    free(m);
}

static const struct mcti_auth_store_ops memory_ops = {
    .name = "memory",
    .load = memory_load,
    .save = memory_save,
    .lock = memory_lock,
    .unlock = memory_unlock,
    .list = memory_list,
    .free = memory_free,
};

struct mcti_auth_store *mcti_auth_store_memory(struct mct_error *err)
{
    struct memory_store *m = calloc(1, sizeof *m);
    if (!m) {
        mcti_no_memory(err);
        return NULL;
    }
    m->base.ops = &memory_ops;
    mcti_list_init(&m->entries);
    return &m->base;
}
