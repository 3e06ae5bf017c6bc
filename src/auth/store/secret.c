/*
 * The kind "secret-service": the files of the kind "file", whose texts are sealed with AES-256-GCM. The key is in the
 * user's keyring (the Secret Service of freedesktop.org), which the program `secret-tool` of libsecret reads and
 * writes. A sealed text is {"sealed":"A256GCM","text":base64url(nonce, ciphertext, tag)}; the key of the file is
 * authenticated with it. A text that is not sealed is one that the kind "file" stored before; saving seals it.
 */
#include "auth/store/impl.h"
#include "base/base64.h"
#include "base/rand.h"
#include "io/process/capture.h"
#include "json/write.h"

#include <openssl/evp.h>
#include <time.h>

extern char **environ;

enum { SECRET_KEY_BYTES = 32, SECRET_NONCE_BYTES = 12, SECRET_TAG_BYTES = 16 };
enum { SECRET_OUTPUT_BYTES = 256, SECRET_MS = 5000, SECRET_STEP_MS = 50, SECRET_SEALED_BYTES = MCT_LIMIT_AUTH_BYTES };

struct secret_store {
    struct mcti_auth_store base;
    struct mcti_auth_store *files;
    unsigned char key[SECRET_KEY_BYTES];
};

static struct secret_store *secret_of(struct mcti_auth_store *s)
{
    return MCT_CONTAINER(s, struct secret_store, base);
}

/* ---- sealing ---- */

/* Encrypts or decrypts `from` into `to`, which has the same length, and writes or checks the tag. Returns -1 if the
 * library fails or the tag is wrong. */
static int secret_cipher(const struct secret_store *s, const char *name, const unsigned char *nonce,
                         struct mcti_str from, unsigned char *to, unsigned char *tag, bool seals)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n, rest;
    bool ok = ctx && EVP_CipherInit_ex(ctx, EVP_aes_256_gcm(), NULL, s->key, nonce, seals) &&
              (seals || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_TAG, SECRET_TAG_BYTES, tag)) &&
              EVP_CipherUpdate(ctx, NULL, &n, (const unsigned char *)name, (int)strlen(name)) &&
              EVP_CipherUpdate(ctx, to, &n, (const unsigned char *)from.p, (int)from.len) &&
              EVP_CipherFinal_ex(ctx, to + n, &rest) &&
              (!seals || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, SECRET_TAG_BYTES, tag));
    EVP_CIPHER_CTX_free(ctx);
    return ok ? 0 : -1;
}

static int secret_seal(const struct secret_store *s, const char *name, struct mcti_str text, struct mcti_buf *to,
                       struct mct_error *err)
{
    size_t n = SECRET_NONCE_BYTES + text.len + SECRET_TAG_BYTES;
    unsigned char *raw = malloc(n), *body = raw ? raw + SECRET_NONCE_BYTES : NULL;
    if (!raw)
        return mcti_no_memory(err);
    mcti_random(raw, SECRET_NONCE_BYTES);
    int r = secret_cipher(s, name, raw, text, body, body + text.len, true);
    if (r < 0)
        mcti_fail(err, MCT_ERR_INTERNAL, "stored logins: AES-256-GCM failed");
    mcti_buf_addz(to, MCT_SEALED_HEAD ",\"text\":\"");
    mcti_base64url_put(to, (struct mcti_str){ (const char *)raw, n });
    mcti_buf_addz(to, "\"}");
    free(raw);
    return r < 0 || mcti_buf_ok(to) ? r : mcti_no_memory(err);
}

/* Appends the text of the nonce, ciphertext and tag in `raw`. */
static int secret_open_raw(const struct secret_store *s, const char *name, struct mcti_str raw, struct mcti_buf *to)
{
    unsigned char tag[SECRET_TAG_BYTES];
    if (raw.len < SECRET_NONCE_BYTES + SECRET_TAG_BYTES)
        return -1;
    struct mcti_str body = { raw.p + SECRET_NONCE_BYTES, raw.len - SECRET_NONCE_BYTES - SECRET_TAG_BYTES };
    char *text = mcti_buf_reserve(to, body.len + 1);
    memcpy(tag, body.p + body.len, sizeof tag);
    if (!text)
        return 0; /* the buffer tells */
    int r = secret_cipher(s, name, (const unsigned char *)raw.p, body, (unsigned char *)text, tag, false);
    to->len += r == 0 ? body.len : 0;
    return r;
}

static int secret_unseal(const struct secret_store *s, const char *name, struct mcti_str sealed, struct mcti_buf *to,
                         struct mct_error *err)
{
    struct mcti_str body;
    struct mcti_buf raw;
    mcti_buf_init(&raw, SECRET_SEALED_BYTES);
    bool is_open = mcti_json_valid(sealed, 2, NULL, NULL) && mcti_json_plain(mcti_json_get(sealed, "text"), &body) &&
                   mcti_base64url_get(&raw, body) == 0 && mcti_buf_ok(&raw) &&
                   secret_open_raw(s, name, mcti_buf_str(&raw), to) == 0;
    bool has_memory = mcti_buf_ok(&raw) && mcti_buf_ok(to);
    mcti_buf_done(&raw);
    if (!has_memory)
        return mcti_no_memory(err);
    return is_open
               ? 0
               : mcti_fail(err, MCT_ERR_CONFIG,
                           "stored logins: a sealed login is damaged, or was sealed with a key that is no longer in "
                           "the keyring; log in again");
}

/* ---- the store ---- */

static int secret_load(struct mcti_auth_store *store, const char *key, struct mcti_buf *ret, struct mct_error *err)
{
    const struct secret_store *s = secret_of(store);
    struct mcti_buf text;
    mcti_buf_init_secret(&text, MCT_LIMIT_AUTH_BYTES);
    int r = s->files->ops->load(s->files, key, &text, err);
    bool is_sealed = mcti_str_starts(mcti_buf_str(&text), MCT_STR(MCT_SEALED_HEAD));
    if (r == 0 && is_sealed)
        r = secret_unseal(s, key, mcti_buf_str(&text), ret, err);
    else if (r == 0)
        mcti_buf_add(ret, mcti_buf_str(&text));
    mcti_buf_done(&text);
    return r < 0 || mcti_buf_ok(ret) ? r : mcti_no_memory(err);
}

static int secret_save(struct mcti_auth_store *store, const char *key, struct mcti_str text, struct mct_error *err)
{
    const struct secret_store *s = secret_of(store);
    struct mcti_buf sealed;
    mcti_buf_init(&sealed, 2 * (size_t)MCT_LIMIT_AUTH_BYTES);
    int r = text.p ? secret_seal(s, key, text, &sealed, err) : 0;
    if (r == 0)
        r = s->files->ops->save(s->files, key, text.p ? mcti_buf_str(&sealed) : MCT_STR_NONE, err);
    mcti_buf_done(&sealed);
    return r;
}

static int secret_lock(struct mcti_auth_store *s, const char *key, struct mct_error *err)
{
    return secret_of(s)->files->ops->lock(secret_of(s)->files, key, err);
}

static void secret_unlock(struct mcti_auth_store *s, const char *key)
{
    secret_of(s)->files->ops->unlock(secret_of(s)->files, key);
}

static int secret_list(struct mcti_auth_store *s, struct mcti_strings *ret, struct mct_error *err)
{
    return secret_of(s)->files->ops->list(secret_of(s)->files, ret, err);
}

static void secret_on_changed(void *data, const char *key)
{
    struct secret_store *s = data;
    s->base.changed(s->base.data, key);
}

static int secret_watch(struct mcti_auth_store *store, struct mcti_loop *loop, struct mct_error *err)
{
    struct secret_store *s = secret_of(store);
    s->files->changed = secret_on_changed;
    s->files->data = s;
    return s->files->ops->watch(s->files, loop, err);
}

static void secret_free(struct mcti_auth_store *store)
{
    struct secret_store *s = secret_of(store);
    mcti_auth_store_free(s->files);
    OPENSSL_cleanse(s->key, sizeof s->key);
    free(s);
}

static const struct mcti_auth_store_ops secret_ops = {
    .name = "secret-service",
    .load = secret_load,
    .save = secret_save,
    .lock = secret_lock,
    .unlock = secret_unlock,
    .list = secret_list,
    .watch = secret_watch,
    .free = secret_free,
};

/* ---- the key ---- */

#define SECRET_TOOL_WORDS "service", "mcptools", "key", "credentials", NULL
static const char *const secret_lookup_argv[] = { "secret-tool", "lookup", SECRET_TOOL_WORDS };
static const char *const secret_store_argv[] = { "secret-tool", "store", "--label=mcptools: key of stored logins",
                                                 SECRET_TOOL_WORDS };

/* Runs secret-tool and appends its output. Returns 1 if it failed without a complaint: there is no such entry. On
 * failure returns -1 and sets *err. */
static int secret_tool(const char *const *argv, struct mcti_str input, struct mcti_buf *output, struct mct_error *err)
{
    const struct mcti_capture_opts opts = { .spawn = { .argv = (char *const *)argv, .envp = environ },
                                            .input = input,
                                            .limit_ms = SECRET_MS };
    struct mcti_capture_end end;
    struct mct_error why;
    if (mcti_capture(&opts, output, &end, &why) == 0)
        return 0;
    if (end.status == 1 && !*end.complaint)
        return 1;
    if (why.kind == MCT_ERR_NO_MEMORY)
        return mcti_no_memory(err);
    return mcti_fail(err, MCT_ERR_CONFIG,
                     "the store \"secret-service\": secret-tool: %.200s%s%.120s; it needs secret-tool (package "
                     "libsecret-tools) and an unlocked keyring in the session of the user; without these use the store "
                     "\"file\"",
                     why.message, *end.complaint ? ": " : "", end.complaint);
}

/* Reads the key from the keyring. Returns 1: it is there; 0: there is none; -1 with *err. */
static int secret_lookup(struct secret_store *s, struct mct_error *err)
{
    struct mcti_buf text, raw;
    mcti_buf_init_secret(&text, SECRET_OUTPUT_BYTES);
    mcti_buf_init_secret(&raw, SECRET_OUTPUT_BYTES);
    int r = secret_tool(secret_lookup_argv, MCT_STR_NONE, &text, err);
    bool is_key = r == 0 && mcti_base64url_get(&raw, mcti_str_trim_white(mcti_buf_str(&text))) == 0 &&
                  raw.len == SECRET_KEY_BYTES;
    if (is_key)
        memcpy(s->key, raw.p, SECRET_KEY_BYTES);
    mcti_buf_done(&raw);
    mcti_buf_done(&text);
    if (r != 0 || is_key)
        return r < 0 ? -1 : is_key;
    return mcti_fail(err, MCT_ERR_CONFIG,
                     "the store \"secret-service\": the entry of mcptools in the keyring is no key; run: secret-tool "
                     "clear service mcptools key credentials");
}

/* Writes a new key to the keyring, and reads it again: only a key that is there may seal. */
static int secret_create(struct secret_store *s, struct mct_error *err)
{
    struct mcti_buf text, output;
    mcti_buf_init_secret(&text, SECRET_OUTPUT_BYTES);
    mcti_buf_init(&output, SECRET_OUTPUT_BYTES);
    mcti_random(s->key, sizeof s->key);
    mcti_base64url_put(&text, (struct mcti_str){ (const char *)s->key, sizeof s->key });
    int r =
        mcti_buf_ok(&text) ? secret_tool(secret_store_argv, mcti_buf_str(&text), &output, err) : mcti_no_memory(err);
    mcti_buf_done(&text);
    mcti_buf_done(&output);
    r = r < 0 ? -1 : secret_lookup(s, err);
    return r ? r
             : mcti_fail(err, MCT_ERR_CONFIG,
                         "the store \"secret-service\": secret-tool has not kept the key; use the store \"file\"");
}

/* Waits for the lock under which a key is created: the key of another process that creates one must not be replaced. */
static int secret_lock_creation(struct secret_store *s, const char *key, struct mct_error *err)
{
    static const struct timespec step = { 0, SECRET_STEP_MS * 1000000 };
    int r = s->files->ops->lock(s->files, key, err);
    for (int waited = 0; r == 0 && waited < 3 * SECRET_MS; waited += SECRET_STEP_MS) {
        nanosleep(&step, NULL);
        r = s->files->ops->lock(s->files, key, err);
    }
    return r ? r : mcti_fail(err, MCT_ERR_TIMEOUT, "the store \"secret-service\": another process creates its key");
}

static int secret_find_key(struct secret_store *s, struct mct_error *err)
{
    char key[MCT_AUTH_KEY_CHARS + 1];
    int r = secret_lookup(s, err);
    if (r)
        return r < 0 ? -1 : 0;
    mcti_auth_key(key, MCT_STR("secret-service"), MCT_STR("key"));
    if (secret_lock_creation(s, key, err) < 0)
        return -1;
    r = secret_lookup(s, err);
    if (r == 0)
        r = secret_create(s, err);
    s->files->ops->unlock(s->files, key);
    return r < 0 ? -1 : 0;
}

struct mcti_auth_store *mcti_auth_store_secret(const char *folder, struct mct_error *err)
{
    struct secret_store *s = calloc(1, sizeof *s);
    if (!s) {
        mcti_no_memory(err);
        return NULL;
    }
    s->base.ops = &secret_ops;
    s->files = mcti_auth_store_files(folder, true, err);
    if (!s->files || secret_find_key(s, err) < 0) {
        secret_free(&s->base);
        return NULL;
    }
    return &s->base;
}
