/*
 * The device flow (RFC 8628): the person opens a page on any device and enters a code there; meanwhile the token
 * endpoint is asked again and again.
 */
#include "auth/grant/grant.h"

#include "auth/wire/form.h"
#include "auth/wire/url.h"

enum {
    FORM_BYTES = 65536,
    SLOWER_S = 5, /* RFC 8628 section 3.5 */
    LONGEST_PAUSE_S = 300,
    LONGEST_S = 1800, /* that a person is waited for, whatever the authorization server says */
};

struct device {
    struct mcti_grant base;
    struct mcti_grant_opts opts;
    struct mcti_oauth_endpoint token, authorization;
    struct mcti_oauth_post post; /* to the device authorization endpoint */
    struct mcti_auth_request *asking;
    struct mcti_device_codes codes;
    bool is_invited;
    struct mcti_timer poll, expiry;
    struct mcti_token_request *request; /* for the tokens */
};

static struct device *device_of(struct mcti_grant *g)
{
    return MCT_CONTAINER(g, struct device, base);
}

static struct mcti_sched *device_sched(const struct device *d)
{
    return &d->opts.env->net.loop->sched;
}

/* ---- the end ---- */

static void device_stop(struct device *d)
{
    const struct mcti_auth_person *person = d->opts.env->person;
    mcti_timer_stop(device_sched(d), &d->poll);
    mcti_timer_stop(device_sched(d), &d->expiry);
    mcti_auth_request_cancel(d->asking);
    mcti_token_request_cancel(d->request);
    if (d->is_invited && person->over)
        person->over(person->data);
    d->is_invited = false;
    d->asking = NULL;
    d->request = NULL;
}

static void device_free(struct device *d)
{
    mcti_device_codes_clear(&d->codes);
    mcti_oauth_post_done(&d->post);
    free(d);
}

static void device_cancel(struct mcti_grant *g)
{
    device_stop(device_of(g));
    device_free(device_of(g));
}

static void device_end(struct device *d, const struct mcti_token_outcome *o)
{
    device_stop(d);
    d->opts.done(d->opts.data, o);
    device_free(d);
}

static void device_fail(struct device *d, const struct mct_error *why, const struct mcti_oauth_error *refused,
                        int status)
{
    const struct mcti_token_outcome outcome = { .failed = why, .refused = refused, .status = status };
    device_end(d, &outcome);
}

static void device_on_expiry(void *data)
{
    struct device *d = data;
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_TIMEOUT, "the code was not entered in time: run 'mcptools login %s' to try again",
              d->opts.env->name);
    device_fail(d, &err, NULL, 0);
}

/* ---- asking for the tokens ---- */

static void device_plan(struct device *d)
{
    mcti_timer_set(device_sched(d), &d->poll, (uint64_t)d->codes.interval_s * 1000);
}

static void device_plan_slower(struct device *d, int64_t pause_s)
{
    d->codes.interval_s = pause_s < LONGEST_PAUSE_S ? pause_s : LONGEST_PAUSE_S;
    device_plan(d);
}

/* Texts for errors that end the polling. */
static const struct {
    const char *error, *text;
} device_errors[] = {
    { "access_denied", "the login was refused at the authorization server" },
    { "expired_token", "the code has expired before it was entered" },
};

static void device_refuse(struct device *d, const struct mcti_token_outcome *o)
{
    struct mct_error err = *o->failed;
    for (size_t i = 0; i < sizeof device_errors / sizeof *device_errors; i++)
        if (!strcmp(o->refused->error, device_errors[i].error))
            mcti_fail(&err, MCT_ERR_AUTH, "%s", device_errors[i].text);
    device_fail(d, &err, o->refused, o->status);
}

/* A connection that failed, or an endpoint that is overloaded, is asked again more slowly (RFC 8628 section 3.5). */
static bool device_may_recover(const struct mcti_token_outcome *o)
{
    return o->failed->kind == MCT_ERR_CONNECT || o->failed->kind == MCT_ERR_TIMEOUT || o->status == 429 ||
           o->status >= 500;
}

static void device_on_token(void *data, const struct mcti_token_outcome *o)
{
    struct device *d = data;
    const char *error = o->refused ? o->refused->error : "";
    d->request = NULL;
    if (o->tokens)
        device_end(d, o);
    else if (!strcmp(error, "authorization_pending"))
        device_plan(d);
    else if (!strcmp(error, "slow_down"))
        device_plan_slower(d, d->codes.interval_s + SLOWER_S);
    else if (*error)
        device_refuse(d, o);
    else if (device_may_recover(o))
        device_plan_slower(d, d->codes.interval_s * 2);
    else
        device_end(d, o);
}

static int device_poll(struct device *d, struct mct_error *err)
{
    struct mcti_buf form;
    mcti_buf_init_secret(&form, FORM_BYTES);
    mcti_form_put(&form, "grant_type", MCT_STR(MCT_GRANT_TYPE_DEVICE));
    mcti_form_put(&form, "device_code", mcti_str_of(d->codes.device_code));
    mcti_form_put(&form, "resource", mcti_str_of(d->opts.resource));
    const struct mcti_token_request_opts opts = { .env = d->opts.env,
                                                  .at = &d->token,
                                                  .client = d->opts.client,
                                                  .form = mcti_buf_str(&form),
                                                  .dpop = d->opts.dpop,
                                                  .nonces = d->opts.nonces,
                                                  .done = device_on_token,
                                                  .data = d };
    if (!mcti_buf_ok(&form))
        mcti_no_memory(err);
    else
        d->request = mcti_token_request_start(&opts, err);
    mcti_buf_done(&form);
    return d->request ? 0 : -1;
}

static void device_on_poll(void *data)
{
    struct device *d = data;
    struct mct_error err;
    if (device_poll(d, &err) < 0)
        device_fail(d, &err, NULL, 0);
}

/* ---- asking for the codes ---- */

static int device_invite(struct device *d, struct mct_error *err)
{
    const struct mcti_auth_person *person = d->opts.env->person;
    const struct mcti_device_codes *c = &d->codes;
    const struct mcti_auth_invitation invitation = { .url = c->verification_uri, .user_code = c->user_code };
    if (mcti_auth_url_check(mcti_str_of(c->verification_uri), "\"verification_uri\"", err) < 0 ||
        person->invite(person->data, &invitation, err) < 0)
        return -1;
    d->is_invited = true;
    int64_t wait_s = c->expires_in_s < LONGEST_S ? c->expires_in_s : LONGEST_S;
    mcti_timer_set(device_sched(d), &d->expiry, (uint64_t)wait_s * 1000);
    device_plan(d);
    return 0;
}

static int device_take_codes(struct device *d, struct mcti_str body, struct mct_error *err)
{
    if (mcti_device_codes_read(&d->codes, body, err) < 0)
        return mcti_error_wrap(err, "the answer of %s", d->authorization.what);
    return device_invite(d, err);
}

static void device_on_codes(void *data, const struct mcti_auth_response *r, const struct mct_error *err)
{
    struct device *d = data;
    struct mcti_oauth_error refused = { .error = "" };
    struct mct_error why;
    d->asking = NULL;
    if (err)
        why = *err;
    else if (r->status != 200)
        mcti_oauth_refusal_read(r, &d->authorization, &d->post, &refused, &why);
    else if (device_take_codes(d, r->body, &why) == 0)
        return;
    device_fail(d, &why, *refused.error ? &refused : NULL, r ? r->status : 0);
}

/* The client authenticates as at the token endpoint (RFC 8628 section 3.1). */
static int device_ask(struct device *d, struct mct_error *err)
{
    const struct mcti_grant_opts *o = &d->opts;
    struct mcti_buf *form = &d->post.form;
    if (o->scope && *o->scope)
        mcti_form_put(form, "scope", mcti_str_of(o->scope));
    mcti_form_put(form, "resource", mcti_str_of(o->resource));
    if (mcti_oauth_put_client(o->client, &d->authorization, o->env->now_s(), &d->post, err) < 0)
        return -1;
    if (!mcti_oauth_post_ok(&d->post))
        return mcti_no_memory(err);
    const struct mcti_auth_request_opts opts = mcti_oauth_post_request(&d->post, &d->authorization);
    d->asking = mcti_auth_request_start(&o->env->net, &opts, device_on_codes, d, err);
    return d->asking ? 0 : -1;
}

static struct mcti_grant *device_start(const struct mcti_grant_opts *opts, struct mct_error *err)
{
    struct device *d = calloc(1, sizeof *d);
    if (!d) {
        mcti_no_memory(err);
        return NULL;
    }
    d->base.ops = &mcti_grant_device;
    d->opts = *opts;
    d->token = d->authorization = mcti_oauth_token_endpoint(opts->as);
    d->authorization.url = opts->as->device_authorization_endpoint;
    d->authorization.what = "the device authorization endpoint";
    mcti_oauth_post_init(&d->post);
    mcti_timer_init(&d->poll, device_on_poll, d);
    mcti_timer_init(&d->expiry, device_on_expiry, d);
    if (device_ask(d, err) == 0)
        return &d->base;
    device_free(d);
    return NULL;
}

const struct mcti_grant_ops mcti_grant_device = { .word = "device_code",
                                                  .person = true,
                                                  .registers = true,
                                                  .needs_client = true,
                                                  .start = device_start,
                                                  .cancel = device_cancel };
