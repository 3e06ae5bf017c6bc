#include "auth/store/store.h"

#include "auth/store/impl.h"
#include "base/rand.h"

/* Opens a store whose kind has no folder. */
static struct mcti_auth_store *store_open_memory(const char *folder, struct mct_error *err)
{
    (void)folder;
    return mcti_auth_store_memory(err);
}

static const struct store_kind {
    const char *name;
    struct mcti_auth_store *(*open)(const char *folder, struct mct_error *err);
} store_kinds[] = {
    { "file", mcti_auth_store_file },
    { "secret-service", mcti_auth_store_secret },
    { "memory", store_open_memory },
};

void mcti_auth_key(char ret[MCT_AUTH_KEY_CHARS + 1], struct mcti_str server_url, struct mcti_str principal)
{
    unsigned char digest[MCT_AUTH_KEY_CHARS / 2];
    ret[0] = '\0'; /* no store takes it */
    if (mcti_sha256_pair(server_url, principal, digest) == 0)
        mcti_hex(digest, sizeof digest, ret);
}

bool mcti_auth_key_is_valid(struct mcti_str key)
{
    return key.len == MCT_AUTH_KEY_CHARS && strspn(key.p, "0123456789abcdef") >= key.len;
}

struct mcti_auth_store *mcti_auth_store_open(const char *kind, const char *folder, struct mct_error *err)
{
    for (size_t i = 0; i < sizeof store_kinds / sizeof *store_kinds; i++)
        if (!strcmp(kind, store_kinds[i].name))
            return store_kinds[i].open(folder, err);
    mcti_fail(err, MCT_ERR_CONFIG, "unknown store for logins '%s'; known: file, secret-service, memory", kind);
    return NULL;
}

void mcti_auth_store_free(struct mcti_auth_store *s)
{
    if (s)
        s->ops->free(s);
}
