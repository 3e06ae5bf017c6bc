/* The order of an authorization: discovery, checks, scopes, client, grant. */
#include "auth/flow/impl.h"

#include "auth/wire/url.h"

/* ---- the end ---- */

static void flow_free(struct mcti_flow *f)
{
    mcti_timer_stop(&f->env->net.loop->sched, &f->deadline);
    mcti_discover_cancel(f->discover);
    mcti_auth_request_cancel(f->registering);
    if (f->grant)
        f->ops->cancel(f->grant);
    mcti_flow_deafen(f);
    mcti_discovery_clear(&f->found);
    mcti_auth_record_clear(&f->login);
    mcti_key_free(f->key);
    mcti_key_free(f->dpop);
    mcti_challenge_clear(&f->challenge);
    free(f->wanted_scope);
    free(f->issuer);
    free(f->scope);
    free(f);
}

void mcti_flow_cancel(struct mcti_flow *f)
{
    if (f)
        flow_free(f);
}

void mcti_flow_end(struct mcti_flow *f, const struct mct_error *err, const struct mcti_oauth_error *refused)
{
    struct mcti_flow_opts opts = f->opts;
    struct mcti_auth_record login = f->login;
    f->login = (struct mcti_auth_record){ 0 };
    flow_free(f);
    opts.done(opts.data, err ? NULL : &login, err, refused);
    mcti_auth_record_clear(&login);
}

/* ---- time ---- */

unsigned mcti_flow_wait_ms(const struct mcti_flow *f)
{
    if (!f->ops->person)
        return MCT_AUTH_MACHINE_MS;
    return f->env->person->wait_ms ? f->env->person->wait_ms : MCT_AUTH_PERSON_MS;
}

static int flow_late(const struct mcti_flow *f, struct mct_error *err)
{
    if (!f->grant || !f->ops->person)
        return mcti_fail(err, MCT_ERR_TIMEOUT, "the login has taken more than %d seconds, at last %s",
                         MCT_AUTH_MACHINE_MS / 1000, f->step);
    return mcti_fail(err, MCT_ERR_TIMEOUT,
                     "the login was not finished within %g seconds: run 'mcptools login %s' to try again%s",
                     mcti_flow_wait_ms(f) / 1000.0, f->env->name,
                     f->is_stored ? "; if its page does not know this client, run 'mcptools logout' before" : "");
}

static void flow_on_deadline(void *data)
{
    struct mct_error err;
    flow_late(data, &err);
    mcti_flow_end(data, &err, NULL);
}

void mcti_flow_step(struct mcti_flow *f, const char *step)
{
    f->step = step;
    mcti_log(f->env->net.log, MCT_LOG_DEBUG, "server '%s': login: %s", f->env->name, step);
}

/* ---- after the discovery ---- */

const struct mcti_auth_record *mcti_flow_known(const struct mcti_flow *f)
{
    return f->opts.known ? mcti_auth_records_find(f->opts.known, f->found.as.issuer) : NULL;
}

int mcti_flow_no_login(const struct mcti_flow *f, struct mct_error *err)
{
    struct mcti_str shown = mcti_auth_url_shown(mcti_str_of(f->env->server_url));
    return mcti_fail(err, MCT_ERR_NOT_FOUND,
                     "%.*s publishes no OAuth metadata, and nothing else shows that it has a login: if it wants a "
                     "token, set \"auth\" or \"headers\"",
                     shown.len > 150 ? 150 : (int)shown.len, shown.p);
}

/* Without a person, tells how to log in; but at a server without metadata only if the configuration or an earlier login
 * shows that it has one. */
static int flow_check_person(const struct mcti_flow *f, struct mct_error *err)
{
    if (!f->ops->person || f->env->person)
        return 0;
    if (!f->found.has_issuer_metadata && !f->env->settings->client_id && !mcti_flow_known(f))
        return mcti_flow_no_login(f, err);
    return mcti_fail(err, MCT_ERR_AUTH, "needs a login: run 'mcptools login %s'", f->env->name);
}

void mcti_flow_go_on(struct mcti_flow *f)
{
    struct mct_error err;
    int r = -1;
    if (mcti_flow_choose_scope(f, &err) == 0 && mcti_flow_choose_dpop(f, &err) == 0)
        r = mcti_flow_choose_client(f, &err);
    if (r < 0)
        mcti_flow_end(f, &err, NULL);
    else if (r > 0)
        mcti_flow_authorize(f);
}

static void flow_on_found(void *data, struct mcti_discovery *take_found, const struct mct_error *err)
{
    struct mcti_flow *f = data;
    struct mct_error why;
    f->discover = NULL;
    if (err) {
        mcti_flow_end(f, err, NULL);
        return;
    }
    f->found = *take_found;
    *take_found = (struct mcti_discovery){ 0 };
    if (mcti_check_grant(f, &why) < 0 || flow_check_person(f, &why) < 0)
        mcti_flow_end(f, &why, NULL);
    else
        mcti_flow_go_on(f);
}

/* ---- the beginning ---- */

/* Copies a text that may be missing. Returns false when out of memory. */
static bool flow_keep(char **to, const char *text)
{
    *to = text ? mcti_str_dup(mcti_str_of(text)) : NULL;
    return *to || !text;
}

static bool flow_keep_challenge(struct mcti_challenge *to, const struct mcti_challenge *from)
{
    to->bearer = from->bearer;
    to->dpop = from->dpop;
    return flow_keep(&to->resource_metadata, from->resource_metadata) && flow_keep(&to->scope, from->scope) &&
           flow_keep(&to->error, from->error) && flow_keep(&to->algs, from->algs);
}

static int flow_choose_grant(struct mcti_flow *f, struct mct_error *err)
{
    const char *word = f->env->settings->grant;
    f->ops = mcti_grant_find(word);
    if (!f->ops)
        return mcti_fail(err, MCT_ERR_CONFIG, "auth.grant: unknown grant '%s'", word);
    if (f->ops == &mcti_grant_code && f->env->person && f->env->person->device)
        f->ops = &mcti_grant_device;
    return 0;
}

static int flow_discover(struct mcti_flow *f, struct mct_error *err)
{
    const struct mcti_discover_opts opts = { .env = f->env,
                                             .resource_metadata = f->challenge.resource_metadata,
                                             .known = f->opts.known,
                                             .issuer = f->issuer,
                                             .done = flow_on_found,
                                             .data = f };
    mcti_flow_step(f, "looking for the authorization server");
    f->discover = mcti_discover_start(&opts, err);
    return f->discover ? 0 : -1;
}

static int flow_prepare(struct mcti_flow *f, const struct mcti_flow_opts *opts, struct mct_error *err)
{
    bool is_kept = flow_keep(&f->wanted_scope, opts->wanted_scope) && flow_keep(&f->issuer, opts->issuer) &&
                   (!opts->challenge || flow_keep_challenge(&f->challenge, opts->challenge));
    if (!is_kept)
        return mcti_no_memory(err);
    return flow_choose_grant(f, err) < 0 ? -1 : flow_discover(f, err);
}

struct mcti_flow *mcti_flow_start(const struct mcti_flow_opts *opts, struct mct_error *err)
{
    struct mcti_flow *f = calloc(1, sizeof *f);
    if (!f) {
        mcti_no_memory(err);
        return NULL;
    }
    f->opts = *opts;
    f->env = opts->env;
    mcti_timer_init(&f->deadline, flow_on_deadline, f);
    mcti_timer_set(&f->env->net.loop->sched, &f->deadline, MCT_AUTH_MACHINE_MS);
    if (flow_prepare(f, opts, err) == 0)
        return f;
    flow_free(f);
    return NULL;
}
