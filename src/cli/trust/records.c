/* `trust --list` and `trust --revoke`. */
#include "cli/trust/trust.h"

#include "json/write.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { OUT_BYTES = 16 << 20, FILE_BYTES = 16 << 20 };

/* ---- the list ---- */

struct listing {
    const struct mcti_app *app;
    struct mcti_buf json;
};

/* Returns what the file is like now, compared with the record. */
static const char *record_state(const struct mcti_trust_record *r)
{
    char digest[MCT_TRUST_DIGEST_CHARS + 1];
    struct mcti_trust_location l;
    struct mcti_buf text;
    mcti_buf_init(&text, FILE_BYTES);
    struct stat st;
    int is_read = mcti_config_load_found(r->path, &text, &st, NULL);
    bool is_same_place = mcti_trust_locate(r->path, &l, NULL) == 0 && !strcmp(l.path, r->path) &&
                         (l.target ? r->target && !strcmp(l.target, r->target) : !r->target);
    mcti_trust_digest(mcti_buf_str(&text), digest);
    mcti_trust_location_done(&l);
    mcti_buf_done(&text);
    if (is_read < 0)
        return access(r->path, F_OK) < 0 ? "missing" : "unreadable";
    return is_same_place && !strcmp(digest, r->digest) ? "current" : "changed";
}

static void list_record(void *data, const struct mcti_trust_record *r)
{
    struct listing *l = data;
    const char *state = record_state(r);
    if (l->app->opt.output != MCT_OUT_JSON) {
        mcti_out(l->app, "%-10s %s  %.12s  %s\n", state, r->time, r->digest, r->path);
        return;
    }
    mcti_buf_addz(&l->json, mcti_buf_last(&l->json) == '[' ? "{" : ",{");
    mcti_json_put_member(&l->json, "file", mcti_str_of(r->path));
    if (r->target)
        mcti_json_put_member(&l->json, "target", mcti_str_of(r->target));
    mcti_json_put_member(&l->json, "sha256", mcti_str_of(r->digest));
    mcti_json_put_member(&l->json, "time", mcti_str_of(r->time));
    mcti_json_put_member(&l->json, "state", mcti_str_of(state));
    mcti_buf_addc(&l->json, '}');
}

int mcti_trust_list(struct mcti_app *app)
{
    struct listing l = { .app = app };
    struct mct_error err;
    mcti_buf_init(&l.json, OUT_BYTES);
    mcti_buf_addz(&l.json, "{\"files\":[");
    int r = mcti_trust_each(list_record, &l, &err);
    mcti_buf_addz(&l.json, "]}");
    if (r == 0 && app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, mcti_buf_str(&l.json));
    mcti_buf_done(&l.json);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}

/* ---- revoking ---- */

/* Removes the records of one file or folder, which may be gone. */
static int revoke_word(const char *word, struct mcti_strings *removed, struct mct_error *err)
{
    struct mcti_trust_location l = { .path = NULL };
    size_t n = removed->n;
    char *folder = realpath(word, NULL);
    int r = mcti_trust_locate(word, &l, err);
    if (r < 0 && *word == '/')
        r = mcti_trust_revoke(word, removed, err); /* its folder is gone */
    else if (r == 0)
        r = mcti_trust_revoke(l.path, removed, err);
    if (r == 0 && removed->n == n && folder)
        r = mcti_trust_revoke(folder, removed, err); /* ".", or the file that a link names */
    if (r == 0 && removed->n == n)
        r = mcti_fail(err, MCT_ERR_NOT_FOUND, "%s: is not trusted; 'mcptools trust --list' shows what is", word);
    mcti_trust_location_done(&l);
    free(folder);
    return r;
}

int mcti_trust_forget(struct mcti_app *app)
{
    struct mcti_strings removed = { 0 };
    struct mct_error err;
    struct mcti_buf out;
    int r = app->argc ? 0 : mcti_fail(&err, MCT_ERR_USAGE, "--revoke: name a file or folder");
    for (int i = 0; i < app->argc && r == 0; i++)
        r = revoke_word(app->argv[i], &removed, &err);
    mcti_buf_init(&out, OUT_BYTES);
    mcti_buf_addz(&out, "{\"revoked\":[");
    for (size_t i = 0; i < removed.n; i++) {
        mcti_buf_addz(&out, i ? "," : "");
        mcti_json_put_string(&out, mcti_str_of(removed.v[i]));
        if (app->opt.output != MCT_OUT_JSON)
            mcti_out(app, "%s: not trusted any more\n", removed.v[i]);
    }
    mcti_buf_addz(&out, "]}");
    if (r == 0 && app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, mcti_buf_str(&out));
    mcti_buf_done(&out);
    mcti_strings_clear(&removed);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}
