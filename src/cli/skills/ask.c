/* Asks servers for skills, and waits for the answers. */
#include "cli/skills/skills.h"

static void skills_on_listed(struct mcti_listing *l)
{
    MCT_CONTAINER(l, struct mcti_skills_lists, listing)->done = true;
}

/* Prints the servers that could not be asked. Returns the exit status. */
static int skills_tell_failures(struct mcti_app *app, const struct mcti_skills_lists *l)
{
    int status = mcti_out_failures(app);
    for (size_t i = 0; i < l->listing.n_parts; i++) {
        const struct mcti_listing_part *part = &l->listing.parts[i];
        if (!part->error.kind || part->lacks || part->provider->state != MCT_CONNECTED)
            continue;
        mcti_say("mcptools: %s%s%s", part->error.server[0] ? "" : part->provider->name,
                 part->error.server[0] ? "" : ": ", part->error.message);
        status = mcti_error_exit_status(MCT_ERR_PARTIAL);
    }
    return status;
}

int mcti_skills_ask_lists(struct mcti_app *app, struct mcti_provider *only, struct mcti_skills_lists *ret)
{
    struct mct_error err;
    *ret = (struct mcti_skills_lists){ .listing = { .reach = &app->inst.reach,
                                                    .of = &mcti_skills_list,
                                                    .only = only,
                                                    .deadline_ms = app->inst.dialect.list_ms,
                                                    .done = skills_on_listed } };
    if (mcti_listing_start(&ret->listing) < 0) {
        mcti_no_memory(&err);
        return mcti_out_fail(app, &err, NULL);
    }
    int status = mcti_app_await(app, &ret->done, &err);
    if (!status && only && ret->listing.parts[0].error.kind) {
        err = ret->listing.parts[0].error;
        mcti_app_add_code(&err);
        status = mcti_error_exit_status(err.kind);
    }
    if (status)
        return mcti_out_fail(app, &err, only ? only->name : NULL), status;
    ret->status = skills_tell_failures(app, ret);
    return 0;
}

void mcti_skills_lists_done(struct mcti_skills_lists *l)
{
    mcti_listing_done(&l->listing);
}

size_t mcti_skills_each(struct mcti_app *app, const struct mcti_skills_lists *l,
                        void (*fn)(void *data, struct mcti_provider *p, const struct mcti_skill *skill), void *data)
{
    struct mcti_str entry;
    struct mcti_skill skill;
    struct mct_error err;
    size_t n_invalid = 0;
    for (size_t i = 0; i < l->listing.n_parts; i++) {
        struct mcti_provider *p = l->listing.parts[i].provider;
        struct mcti_json_iter it = mcti_listing_items(&l->listing.parts[i]);
        while (mcti_json_next_item(&it, &entry)) {
            if (mcti_skill_open(entry, &skill, &err) < 0) {
                mcti_log(&app->log, MCT_LOG_WARN, "server '%s': %s", p->name, err.message);
                n_invalid++;
                continue;
            }
            fn(data, p, &skill);
            mcti_skill_done(&skill);
        }
    }
    return n_invalid;
}

/* ---- one skill ---- */

struct skills_waiting {
    bool done;
};

static void skills_on_found(struct mcti_skill_search *s)
{
    ((struct skills_waiting *)s->data)->done = true;
}

int mcti_skills_ask_search(struct mcti_app *app, struct mcti_provider *only, const char *uri,
                           struct mcti_skill_search *ret)
{
    struct skills_waiting waiting = { .done = false };
    struct mct_error err;
    *ret = (struct mcti_skill_search){ .reach = &app->inst.reach,
                                       .only = only,
                                       .uri = mcti_str_of(uri),
                                       .list_ms = app->inst.dialect.list_ms,
                                       .read_ms = app->inst.dialect.read_ms,
                                       .done = skills_on_found,
                                       .data = &waiting };
    if (mcti_skill_search_start(ret, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    int status = mcti_app_await(app, &waiting.done, &err);
    if (!status && !ret->provider) {
        err = ret->error;
        mcti_app_add_code(&err);
        status = mcti_error_exit_status(err.kind);
        if (!only)
            mcti_out_failures(app); /* the skill may belong to a server that did not start */
    }
    if (status)
        mcti_out_fail(app, &err, only ? only->name : NULL);
    return status;
}

static void skills_on_loaded(struct mcti_skill_load *l)
{
    ((struct skills_waiting *)l->data)->done = true;
}

int mcti_skills_ask_file(const struct mcti_skills_wish *w, struct mcti_buf *to, struct mct_error *err)
{
    struct skills_waiting waiting = { .done = false };
    struct mcti_skill_load load = { .reach = &w->app->inst.reach,
                                    .provider = w->provider,
                                    .skill = w->skill,
                                    .uri = w->uri,
                                    .deadline_ms = w->app->inst.dialect.read_ms,
                                    .done = skills_on_loaded,
                                    .data = &waiting };
    int status = mcti_skill_load_start(&load, err) < 0 ? mcti_error_exit_status(err->kind)
                                                       : mcti_app_await(w->app, &waiting.done, err);
    if (!status && load.error.kind) {
        *err = load.error;
        mcti_app_add_code(err);
        status = mcti_error_exit_status(err->kind);
    }
    if (!status)
        mcti_buf_add(to, mcti_buf_str(&load.bytes));
    mcti_skill_load_done(&load);
    if (!status && !mcti_buf_ok(to))
        return mcti_no_memory(err), mcti_error_exit_status(err->kind);
    return status;
}
