#include "mcp/http/credential.h"

#include "json/scan.h"
#include "mcp/http_refusal.h"

#include <stdio.h>

enum { OPERATION_BYTES = 192 };

void mcti_credential_init(struct mcti_credential_use *u, struct mcti_credentials *from,
                          void (*done)(struct mcti_credential_wait *w, const struct mct_error *err))
{
    *u = (struct mcti_credential_use){ .from = from, .wait.done = done };
    mcti_list_init(&u->wait.node);
}

void mcti_credential_drop(struct mcti_credential_use *u)
{
    if (u->waits)
        mcti_list_remove(&u->wait.node);
    u->waits = false;
}

void mcti_credential_hide(struct mcti_credential_use *u, struct mct_error *err)
{
    if (u->from && u->from->ops->hide)
        u->from->ops->hide(u->from, err->message);
}

bool mcti_credential_arrived(struct mcti_credential_use *u, const struct mct_error *err, struct mcti_str body,
                             struct mct_error *ret_why)
{
    u->waits = false;
    u->granted = !err;
    if (!err)
        return true;
    mcti_fail_refused(ret_why, err->http_status, MCT_STR_NONE);
    if (strcmp(ret_why->message, err->message) != 0)
        *ret_why = *err;
    else
        mcti_fail_refused(ret_why, err->http_status, body);
    mcti_credential_hide(u, ret_why);
    return false;
}

bool mcti_credential_must_wait(struct mcti_credential_use *u)
{
    if (u->from && !u->granted && !u->waits)
        u->waits = !u->from->ops->ready(u->from, &u->wait);
    return u->waits;
}

void mcti_credential_put(struct mcti_credential_use *u, const struct mcti_credential_request *r,
                         struct mcti_headers *to)
{
    to->text.secret |= u->from != NULL;
    if (u->from)
        u->stamp = u->from->ops->put(u->from, r, to);
    u->granted = false;
}

void mcti_credential_answered(struct mcti_credential_use *u, const struct mcti_fetch *f, const char *url)
{
    if (u->from && u->from->ops->answered)
        u->from->ops->answered(u->from, f, url);
}

/* Writes "tools/call NAME" for the call of a tool, otherwise the method of the message. */
static struct mcti_str credential_operation(const struct mcti_msg *msg, char *to, size_t size)
{
    struct mcti_str name = MCT_STR_NONE;
    if (!msg->method.p)
        return msg->id.p ? MCT_STR("response") : MCT_STR("GET");
    if (mcti_str_is(msg->method, "tools/call"))
        mcti_json_plain(mcti_json_get(msg->params, "name"), &name);
    snprintf(to, size, "%.*s%s%.*s", MCT_STR_ARG(msg->method), name.len ? " " : "", MCT_STR_ARG(name));
    return mcti_str_of(to);
}

bool mcti_credential_refused(struct mcti_credential_use *u, const struct mcti_fetch *f, const char *url,
                             const struct mcti_msg *msg, struct mct_error *err)
{
    char operation[OPERATION_BYTES];
    struct mct_error why = { 0 };
    int status = mcti_fetch_status(f);
    if (status != 401 && status != 403) {
        mcti_credential_hide(u, err);
        return false;
    }
    if (!u->from)
        return false;
    const struct mcti_credential_refusal r = {
        f, url, credential_operation(msg, operation, sizeof operation), u->stamp, &u->n_tries,
    };
    u->waits = u->from->ops->refused(u->from, &r, &u->wait, &why);
    if (!u->waits && why.kind) {
        *err = why;
        err->http_status = status;
    }
    mcti_credential_hide(u, err);
    return u->waits;
}
