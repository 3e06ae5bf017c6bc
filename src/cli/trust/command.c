/* `mcptools trust`: shows, asks, records. */
#include "cli/trust/trust.h"

#include "json/write.h"

#include <stdlib.h>
#include <unistd.h>

enum { OUT_BYTES = 64 << 20 };

/* Why a file was not recorded. */
enum outcome { TRUST_NEW, TRUST_ALREADY, TRUST_DECLINED, TRUST_UNASKED };

static bool can_ask(const struct mcti_app *app)
{
    return app->opt.output != MCT_OUT_JSON && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static enum outcome trust_ask(const struct mcti_trust_file *f)
{
    char answer[16] = "";
    fflush(stdout);
    mcti_err("Trust %s? [y/N] ", f->at.path);
    return fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y') ? TRUST_NEW : TRUST_DECLINED;
}

static enum outcome trust_decide(const struct mcti_app *app, const struct mcti_trust_file *f)
{
    if (f->verdict.trust == MCT_TRUST_YES && !f->verdict.by_environment)
        return TRUST_ALREADY;
    if (app->opt.yes)
        return TRUST_NEW;
    return can_ask(app) ? trust_ask(f) : TRUST_UNASKED;
}

/* Shows one file, and records it if the user agrees. */
static int trust_file(struct mcti_app *app, struct mcti_trust_file *f, enum outcome *ret, struct mct_error *err)
{
    const struct mcti_config *c = &f->readings[0];
    if (app->opt.output != MCT_OUT_JSON)
        mcti_trust_print(app, f);
    if (c->broken)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s", c->problems[c->broken_at].text);
    *ret = trust_decide(app, f);
    if (*ret == TRUST_NEW && mcti_trust_add(&f->at, mcti_buf_str(&f->text), f->has_settings, err) < 0)
        return -1;
    if (app->opt.output != MCT_OUT_JSON && *ret == TRUST_NEW)
        mcti_out(app, "%s: trusted\n", f->at.path);
    return 0;
}

static int trust_refuse(enum outcome worst, struct mct_error *err)
{
    if (worst == TRUST_UNASKED)
        return mcti_fail(err, MCT_ERR_POLICY,
                         "no file was trusted: the question needs a terminal; run the command there, or add --yes");
    return mcti_fail(err, MCT_ERR_POLICY, "not trusted");
}

static int trust_all(struct mcti_app *app, struct mcti_trust_files *files, struct mct_error *err)
{
    enum outcome worst = TRUST_NEW;
    struct mcti_buf out;
    int r = 0;
    mcti_buf_init(&out, OUT_BYTES);
    mcti_buf_addz(&out, "{\"files\":[");
    for (size_t i = 0; i < files->n && r == 0; i++) {
        enum outcome now = TRUST_NEW;
        r = trust_file(app, &files->v[i], &now, err);
        worst = now > worst ? now : worst;
        mcti_buf_addz(&out, i ? "," : "");
        mcti_trust_put_json(&out, &files->v[i], now == TRUST_NEW);
    }
    mcti_buf_addz(&out, "]}");
    bool is_refused = r == 0 && worst > TRUST_ALREADY;
    if (r == 0 && app->opt.output == MCT_OUT_JSON) {
        mcti_out_json(app, mcti_buf_str(&out));
        app->failure_printed |= is_refused; /* the document says so */
    }
    mcti_buf_done(&out);
    return is_refused ? trust_refuse(worst, err) : r;
}

int mcti_cmd_trust(struct mcti_app *app)
{
    struct mcti_trust_files files = { 0 };
    struct mct_error err;
    int r = 0;
    if (app->opt.list)
        return mcti_trust_list(app);
    if (app->opt.revoke)
        return mcti_trust_forget(app);
    for (int i = 0; r == 0 && i < app->argc; i++)
        r = mcti_trust_gather(&files, app->argv[i], &err);
    if (!app->argc)
        r = mcti_trust_gather(&files, NULL, &err);
    if (r == 0 && !files.n && app->opt.output != MCT_OUT_JSON)
        mcti_out(app, "There is no configuration file here that needs trust.\n");
    if (r == 0)
        r = trust_all(app, &files, &err);
    mcti_trust_files_done(&files);
    if (r < 0 && app->failure_printed)
        return mcti_error_exit_status(err.kind);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}
