#include "host.h"

#include "torture/failing.h"

#include <stdio.h>
#include <stdlib.h>

struct host_call {
    struct mcti_call call;
    struct host *host;
};

static void hear(struct host *h, const char *what, struct mcti_str detail)
{
    char *text;
    test_begins();
    if (h->n_heard < MAX_HEARD && asprintf(&text, "%s %.*s", what, MCT_STR_ARG(detail)) > 0)
        h->heard[h->n_heard++] = text;
    test_ends();
}

/* ---- what it hears ---- */

static void on_updated(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params)
{
    (void)p;
    hear(MCT_CONTAINER(w, struct host, watcher), "updated", params);
}

static void on_message(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params)
{
    (void)p;
    hear(MCT_CONTAINER(w, struct host, watcher), "message", params);
}

static void on_ask(void *data, struct mcti_ask *a)
{
    struct host *h = data;
    hear(h, mcti_ask_method(a->kind), a->params);
    h->asks[h->n_asks++] = a;
}

static void drop_ask(struct host *h, size_t at)
{
    memmove(&h->asks[at], &h->asks[at + 1], (h->n_asks - at - 1) * sizeof *h->asks);
    h->n_asks--;
}

static void on_withdraw(void *data, struct mcti_ask *a)
{
    struct host *h = data;
    hear(h, "withdrawn", mcti_str_of(mcti_ask_method(a->kind)));
    for (size_t i = 0; i < h->n_asks; i++)
        if (h->asks[i] == a)
            drop_ask(h, i);
}

static void forget_call(struct host_call *c)
{
    struct host *h = c->host;
    for (size_t i = 0; i < h->n_calls; i++)
        if (h->calls[i] == c)
            h->calls[i] = h->calls[--h->n_calls];
    free(c);
}

static void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct host_call *c = MCT_CONTAINER(call, struct host_call, call);
    if (o->failed)
        hear(c->host, "failed", mcti_str_of(o->failed->message));
    else
        hear(c->host, o->result.p ? "result" : "error", o->result.p ? o->result : o->error);
    forget_call(c);
}

static void on_progress(struct mcti_call *call, struct mcti_str params)
{
    hear(MCT_CONTAINER(call, struct host_call, call)->host, "progress", params);
}

/* ---- what it does ---- */

static struct mcti_provider *server(struct host *h, struct mcti_str *rest)
{
    struct mcti_str name;
    mcti_str_split(rest, ' ', &name);
    return mcti_registry_find(h->registry, name);
}

/* call SERVER METHOD PARAMS */
static const char *do_call(struct host *h, struct mcti_str rest)
{
    struct mcti_str method;
    struct mct_error err;
    struct mcti_provider *p = server(h, &rest);
    test_begins();
    struct host_call *c = calloc(1, sizeof *c);
    test_ends();
    mcti_str_split(&rest, ' ', &method);
    c->host = h;
    c->call = (struct mcti_call){ .verb = mcti_method_find(method),
                                  .params = rest,
                                  .interactive = true,
                                  .caller = { .rev = MCT_REV_LATEST },
                                  .meta = mcti_json_get(rest, "_meta"),
                                  .done = on_done,
                                  .progress = on_progress,
                                  .events = h->events };
    h->calls[h->n_calls++] = c;
    if (p && mcti_provider_call(p, &c->call, &err) == 0)
        return NULL;
    hear(h, "failed", mcti_str_of(err.message));
    forget_call(c);
    return p ? NULL : "no such server";
}

/* cancel: the oldest call */
static const char *do_cancel(struct host *h, struct mcti_str rest)
{
    (void)rest;
    if (!h->n_calls)
        return "no call is open";
    mcti_call_cancel(&h->calls[0]->call, "not wanted any more");
    forget_call(h->calls[0]);
    return NULL;
}

/* answer RESULT: the oldest question */
static const char *do_answer(struct host *h, struct mcti_str rest)
{
    if (!h->n_asks)
        return "nothing has been asked";
    struct mcti_ask *a = h->asks[0];
    drop_ask(h, 0);
    mcti_ask_answer(a, rest);
    return NULL;
}

static const char *do_refuse(struct host *h, struct mcti_str rest)
{
    struct mct_error err;
    if (!h->n_asks)
        return "nothing has been asked";
    struct mcti_ask *a = h->asks[0];
    drop_ask(h, 0);
    mcti_fail(&err, MCT_ERR_SERVER, "%.*s", MCT_STR_ARG(rest));
    err.code = -1;
    mcti_ask_fail(a, &err);
    return NULL;
}

static const char *set_subscription(struct host *h, struct mcti_str rest, bool on)
{
    struct mct_error err;
    struct mcti_provider *p = server(h, &rest);
    if (!p)
        return "no such server";
    if (!on)
        p->ops->unsubscribe(p, rest);
    else if (p->ops->subscribe(p, rest, NULL, &err) < 0)
        hear(h, "failed", mcti_str_of(err.message));
    return NULL;
}

static const char *do_subscribe(struct host *h, struct mcti_str rest)
{
    return set_subscription(h, rest, true);
}

static const char *do_unsubscribe(struct host *h, struct mcti_str rest)
{
    return set_subscription(h, rest, false);
}

static const char *do_level(struct host *h, struct mcti_str rest)
{
    struct mcti_provider *p = server(h, &rest);
    char level[32];
    snprintf(level, sizeof level, "%.*s", MCT_STR_ARG(rest));
    if (!p)
        return "no such server";
    p->ops->set_level(p, level);
    return NULL;
}

static const char *do_freshen(struct host *h, struct mcti_str rest)
{
    struct mcti_provider *p = server(h, &rest);
    if (!p)
        return "no such server";
    p->ops->freshen(p);
    return NULL;
}

/* heard PATTERN: the next thing */
static const char *do_heard(struct host *h, struct mcti_str pattern)
{
    if (h->next == h->n_heard)
        return "nothing was heard";
    const char *got = h->heard[h->next++];
    return mcti_str_glob(pattern, mcti_str_of(got)) ? NULL : got;
}

static const struct {
    const char *word;
    const char *(*run)(struct host *h, struct mcti_str rest);
} lines[] = {
    { "call", do_call },     { "cancel", do_cancel },       { "answer", do_answer },
    { "refuse", do_refuse }, { "subscribe", do_subscribe }, { "unsubscribe", do_unsubscribe },
    { "level", do_level },   { "freshen", do_freshen },     { "heard", do_heard },
};

bool host_line(struct host *h, struct mcti_str word, struct mcti_str rest, const char **ret_wrong)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!mcti_str_is(word, lines[i].word))
            continue;
        *ret_wrong = lines[i].run(h, rest);
        return true;
    }
    return false;
}

/* ---- life ---- */

void host_init(struct host *h, struct mcti_registry *r)
{
    *h = (struct host){ .registry = r, .watcher = { .message = on_message, .updated = on_updated } };
    h->answerer = (struct mcti_answerer){ .form = true,
                                          .sampling = true,
                                          .roots = "[{\"uri\":\"file:///work\"}]",
                                          .ask = on_ask,
                                          .withdraw = on_withdraw,
                                          .data = h };
    mcti_registry_watch(r, &h->watcher);
}

void host_done(struct host *h)
{
    mcti_watcher_remove(&h->watcher);
    while (h->n_calls)
        do_cancel(h, MCT_STR_NONE);
}

void host_clear(struct host *h)
{
    while (h->n_heard)
        free(h->heard[--h->n_heard]);
}
