/* A login that is stored and read again, in memory and in a file. */
#include "scene.h"

#include "auth/store/record.h"
#include "auth/store/store.h"
#include "failing.h"

#include <stdlib.h>
#include <unistd.h>

static const char document[] =
    "{\"version\":1,\"server\":\"https://example.com/mcp\",\"principal\":\"\",\"current\":0,\"logins\":[{\"issuer\":"
    "\"https://as.example\",\"client_id\":\"c\",\"client_kind\":\"registered\",\"access_token\":\"a\\u00e4\","
    "\"expires_at\":5},{\"issuer\":\"https://other.example\",\"refresh_token\":\"r\"}]}";

/* Reads the document, adds a login, and appends the result. */
static int change_document(struct mcti_buf *to, struct mcti_str text)
{
    struct mcti_auth_records r;
    struct mcti_auth_record login;
    struct mct_error err;
    if (mcti_auth_records_read(&r, text, &err) < 0)
        return -1;
    int result = mcti_auth_record_copy(&login, mcti_auth_records_current(&r));
    if (result == 0) {
        login.issuer[8] = 'b';
        result = mcti_auth_records_set(&r, &login);
    }
    if (result == 0)
        mcti_auth_records_put(to, &r);
    mcti_auth_record_clear(&login);
    mcti_auth_records_clear(&r);
    return result;
}

/* Saves the text under the lock, loads and lists it, and forgets it. */
static int use_store(struct mcti_auth_store *s, struct mcti_buf *to)
{
    struct mcti_strings keys = { 0 };
    struct mct_error err;
    char key[MCT_AUTH_KEY_CHARS + 1];
    mcti_auth_key(key, MCT_STR("https://example.com/mcp"), MCT_STR(""));
    int result = s->ops->lock(s, key, &err) == 1 ? 0 : -1;
    result = result < 0 || s->ops->save(s, key, mcti_str_of(document), &err) < 0 ? -1 : 0;
    result = result < 0 || s->ops->load(s, key, to, &err) < 0 ? -1 : 0;
    result = result < 0 || s->ops->list(s, &keys, &err) < 0 ? -1 : 0;
    mcti_buf_addu(to, keys.n);
    mcti_strings_clear(&keys);
    result = result < 0 || s->ops->save(s, key, MCT_STR_NONE, &err) < 0 ? -1 : 0;
    s->ops->unlock(s, key);
    return result;
}

int scene_store(struct mcti_buf *to)
{
    static const char *const kinds[] = { "memory", "file" };
    struct mct_error err;
    test_begins();
    char folder[] = "/tmp/mct-torture-XXXXXX";
    int result = mkdtemp(folder) ? 0 : 1;
    test_ends();
    for (size_t i = 0; result == 0 && i < 2; i++) {
        struct mcti_auth_store *s = mcti_auth_store_open(kinds[i], folder, &err);
        result = s ? use_store(s, to) : -1;
        mcti_auth_store_free(s);
    }
    if (result == 0)
        result = change_document(to, mcti_str_of(document));
    test_begins();
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    result = system(command) == 0 ? result : 1;
    test_ends();
    return result;
}
