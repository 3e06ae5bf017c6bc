/* Opens an instance, combines the configuration with the owner's choices, and opens the view. */
#include "clients/scan.h"
#include "instance/telemetry.h"

int mcti_instance_init(struct mcti_instance *i, const struct mcti_log *log, struct mct_error *err)
{
    *i = (struct mcti_instance){ .reaper.fd = -1, .service = { .access_fd = -1, .audit_fd = -1 } };
    i->owner_log = log;
    i->tee = mcti_instance_tee(i, log);
    if (mcti_loop_init(&i->loop, &i->tee, err) < 0)
        return -1;
    i->log = &i->tee;
    mcti_config_init(&i->config);
    mcti_events_init(&i->events);
    mcti_verdicts_init(&i->verdicts);
    mcti_catalogue_init(&i->catalogue);
    mcti_registry_init(&i->registry, &i->loop.sched);
    mcti_vet_init(&i->vet, &i->registry);
    mcti_hooks_init(&i->hooks, &i->loop.sched, i->log);
    mcti_outside_init(&i->outside, &i->naming, &i->loop.sched, i->log);
    i->registry.outside = i->hooks.outside = &i->outside;
    return i->config.scheme && i->config.serve_http ? 0 : mcti_no_memory(err);
}

int mcti_instance_check(const struct mcti_instance *i, struct mct_error *err)
{
    const struct mcti_config *c = &i->config;
    return !c->broken
               ? 0
               : mcti_fail(err, MCT_ERR_CONFIG, "the configuration cannot be used: %s", c->problems[c->broken_at].text);
}

/* Gives the program the offer of the client with this token. */
static int use_offer_of_token(struct mcti_instance *i, const char *token, struct mct_error *err)
{
    const struct mcti_config *c = &i->config;
    for (size_t k = 0; k < c->n_tokens; k++) {
        if (strcmp(c->tokens[k].name, token) != 0)
            continue;
        i->offer = mcti_prefs_offer(&c->tokens[k].prefs, &i->offer);
        return 0;
    }
    return mcti_fail(err, MCT_ERR_USAGE, "--as '%s': no token in serve.tokens has this name", token);
}

/* Returns true if the problem is the error of a server. */
static bool problem_is_of_server(const struct mcti_config *c, const struct mcti_problem *p)
{
    for (size_t k = 0; p->fatal && k < c->n_servers; k++)
        if (c->servers[k].error.kind && !strcmp(c->servers[k].error.message, p->text))
            return true;
    return false;
}

static void log_problems(const struct mcti_instance *i, bool shows_servers)
{
    for (size_t k = 0; k < i->config.n_problems; k++) {
        const struct mcti_problem *p = &i->config.problems[k];
        if (!shows_servers || !problem_is_of_server(&i->config, p))
            mcti_log(i->log, p->fatal ? MCT_LOG_ERROR : MCT_LOG_WARN, "%s", p->text);
    }
}

static void set_timeouts(struct mcti_config *c, unsigned ms)
{
    if (!ms)
        return;
    c->call_timeout_ms = c->start_timeout_ms = ms;
    for (size_t k = 0; k < c->n_servers; k++)
        c->servers[k].timeout_ms = c->servers[k].start_timeout_ms = 0;
}

void mcti_instance_apply_choices(struct mcti_config *c, const struct mcti_choices *o)
{
    c->read_only |= o->read_only;
    set_timeouts(c, o->timeout_ms);
}

int mcti_instance_configure(struct mcti_instance *i, const struct mcti_choices *o, struct mct_error *err)
{
    struct mcti_config *c = &i->config;
    if (mcti_instance_check(i, err) < 0)
        return -1;
    mcti_client_import(c);
    i->offer = mcti_prefs_offer(&c->prefs, &i->offer);
    i->offer = mcti_prefs_offer(&o->prefs, &i->offer);
    mcti_config_check(c, &i->offer);
    if (mcti_config_make_rules(c) < 0)
        return mcti_no_memory(err);
    i->offer.ruled = mcti_config_ruled(c);
    if (o->as && use_offer_of_token(i, o->as, err) < 0)
        return -1;
    i->offer.ruled.stranger |= o->stranger;
    log_problems(i, o->shows_servers);
    mcti_instance_apply_choices(c, o);
    i->naming = mcti_config_naming(c, o->prefix);
    i->dialect = mcti_config_dialect(c);
    i->policy = mcti_config_policy(c);
    return 0;
}

struct mcti_view_opts mcti_instance_view_opts(const struct mcti_instance *i)
{
    return (struct mcti_view_opts){ .naming = &i->naming,
                                    .only = i->names ? (const char *const *)i->names->v : NULL,
                                    .n_only = i->names ? i->names->n : 0 };
}

int mcti_instance_open_view(struct mcti_instance *i, bool as_served, struct mct_error *err)
{
    struct mcti_offer offer = i->offer;
    struct mcti_view_opts view = mcti_instance_view_opts(i);
    view.preferred = i->config.preferred;
    if (as_served)
        view.ruled = offer.ruled;
    else
        offer.alone = offer.search = false;
    if (mcti_view_init(&i->view, &i->registry, &view) < 0 ||
        mcti_dialects_attach(&i->view, &offer, &i->dialect, NULL, i->log) < 0)
        return mcti_no_memory(err);
    i->reach = (struct mcti_reach){ .view = &i->view,
                                    .events = &i->events,
                                    .uri_allow = i->dialect.uri_allow,
                                    .n_uri_allow = i->dialect.n_uri_allow,
                                    .settle_ms = i->dialect.settle_ms };
    return 0;
}
