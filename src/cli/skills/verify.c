/* skills verify: reads every file of the listed skills, and checks it. */
#include "cli/skills/skills.h"

#include "base/limits.h"

struct verify_run {
    struct mcti_app *app;
    struct mcti_buf json;
    size_t n, n_bad;
    int status; /* of the interruption; 0: none */
};

static void verify_put(struct verify_run *v, const struct mcti_provider *p, const struct mcti_skill *s,
                       const struct mct_error *err)
{
    if (v->app->opt.output != MCT_OUT_JSON) {
        mcti_out_styled(v->app, err ? MCT_RED : MCT_GREEN, err ? "failed  " : "ok      ");
        mcti_out(v->app, "%s  %.*s  ", p->name, MCT_STR_ARG(s->uri));
        if (err)
            mcti_out(v->app, "%s\n", err->message);
        else
            mcti_out(v->app, "%zu files, %llu bytes\n", s->n_files, (unsigned long long)s->n_bytes);
        return;
    }
    mcti_buf_addz(&v->json, v->n > 1 ? ",{" : "{");
    mcti_json_put_member(&v->json, "server", mcti_str_of(p->name));
    mcti_json_put_member(&v->json, "uri", s->uri);
    mcti_json_put_raw(&v->json, "verified", err ? MCT_STR("false") : MCT_STR("true"));
    if (err)
        mcti_json_put_error(&v->json, err);
    mcti_buf_addc(&v->json, '}');
}

/* Reads and checks all files. Returns 0, or the exit status of the first failure with *err. */
static int verify_files(struct verify_run *v, struct mcti_provider *p, const struct mcti_skill *s,
                        struct mct_error *err)
{
    struct mcti_buf bytes;
    int status = 0;
    if (s->is_dynamic)
        return mcti_fail(err, MCT_ERR_INTEGRITY, "it is dynamic: its files have no digests"),
               mcti_error_exit_status(MCT_ERR_INTEGRITY);
    mcti_buf_init(&bytes, MCT_LIMIT_SKILL_BYTES + 1);
    for (size_t i = 0; !status && i < s->n_files; i++) {
        const struct mcti_skills_wish wish = { v->app, p, s, s->files[i].uri };
        mcti_buf_clear(&bytes);
        status = mcti_skills_ask_file(&wish, &bytes, err);
    }
    mcti_buf_done(&bytes);
    return status;
}

static void verify_skill(void *data, struct mcti_provider *p, const struct mcti_skill *s)
{
    struct verify_run *v = data;
    struct mct_error err;
    if (v->status)
        return;
    int status = verify_files(v, p, s, &err);
    if (v->app->interrupted) {
        v->status = status;
        return;
    }
    v->n++;
    v->n_bad += status != 0;
    verify_put(v, p, s, status ? &err : NULL);
}

int mcti_skills_do_verify(struct mcti_app *app, struct mcti_provider *only)
{
    struct verify_run v = { .app = app };
    struct mcti_skills_lists lists;
    mcti_buf_init(&v.json, (size_t)1 << 32);
    mcti_buf_addz(&v.json, "{\"skills\":[");
    int status = mcti_skills_ask_lists(app, only, &lists);
    if (!status) {
        size_t n_invalid = mcti_skills_each(app, &lists, verify_skill, &v);
        mcti_buf_addc(&v.json, ']');
        mcti_out_put_errors(app, &v.json);
        mcti_buf_addc(&v.json, '}');
        if (app->opt.output == MCT_OUT_JSON)
            mcti_out_json(app, mcti_buf_str(&v.json));
        status = v.status ? v.status : v.n_bad || n_invalid ? mcti_error_exit_status(MCT_ERR_INTEGRITY) : lists.status;
    }
    mcti_skills_lists_done(&lists);
    mcti_buf_done(&v.json);
    return status;
}
