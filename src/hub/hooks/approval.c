/* Whether a call that a hook holds may go on: a question to a person, and what is remembered of the answer. */
#include "hub/hooks/hooks_impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "base/log/visible.h"

#include <stdio.h>
#include <stdlib.h>

/* What a person, or time, can say. The words are those of OpenClaw. */
static const struct {
    const char *word;   /* as the hook is told */
    const char *refusal; /* NULL: the call goes on */
} verdicts[] = {
    [HOOK_ALLOW_ONCE] = { "allow-once", NULL },
    [HOOK_ALLOW_ALWAYS] = { "allow-always", NULL },
    [HOOK_DENY] = { "deny", "Tool call denied: it was not approved" },
    [HOOK_TIMEOUT] = { "timeout", "Tool call denied: nobody approved it in time" },
    [HOOK_CANCELLED] = { "cancelled", "Tool call denied: the question whether to approve it was dismissed" },
    [HOOK_UNASKED] = { "deny", "Tool call denied: it needs approval, and this client cannot be asked for it" },
};

enum { N_CHOICES = HOOK_DENY + 1 };

/* A caller that need not be asked again. */
struct always {
    struct mct_map_node node;
    char key[];
};

/* ---- what is remembered ---- */

/* By the hook itself: names of several may be the same. */
static char *key_of(const struct hook_approval *a)
{
    char *key = NULL;
    return asprintf(&key, "%s\n%llu", a->key, (unsigned long long)a->hook->serial) < 0 ? NULL : key;
}

static bool is_remembered(const struct hook_approval *a)
{
    char *key = a->key ? key_of(a) : NULL;
    bool is = key && mct_map_get(&a->hook->hooks->always, mct_str_of(key));
    free(key);
    return is;
}

static void remember(const struct hook_approval *a)
{
    struct mct_hooks *h = a->hook->hooks;
    char *key = a->key ? key_of(a) : NULL;
    struct always *one = key && h->always.n < MCT_LIMIT_APPROVALS ? malloc(sizeof *one + strlen(key) + 1) : NULL;
    if (one) {
        strcpy(one->key, key);
        if (mct_map_put(&h->always, &one->node, mct_str_of(one->key)) < 0)
            free(one);
    } else {
        mct_log(h->log, MCT_LOG_WARN, "hook '%s': an approval for good cannot be remembered: there are too many",
                a->hook->name);
    }
    free(key);
}

void hook_approvals_forget(struct mct_hooks *h)
{
    struct mct_map_node *n;
    while ((n = mct_map_any(&h->always))) {
        mct_map_remove(&h->always, n);
        free(MCT_CONTAINER(n, struct always, node));
    }
}

/* ---- the form ---- */

/* Text as a person may see it: in one line, cut, and with nothing that steers a terminal or hides. */
static void put_shown(struct mct_buf *to, struct mct_str text)
{
    size_t n;
    struct mct_str head = mct_utf8_head(text, MCT_LIMIT_APPROVAL_CHARS, &n);
    for (size_t i = 0, bad; i < head.len; i += bad ? bad : 1) {
        bad = mct_unseen_len(head.p + i, head.len - i);
        mct_buf_addc(to, bad ? '?' : head.p[i]);
    }
    if (head.len < text.len)
        mct_buf_printf(to, "… (%zu bytes in all)", text.len);
}

/* False: there is none. */
static bool put_member(struct mct_buf *to, const char *before, struct mct_str object, const char *key)
{
    struct mct_buf text;
    struct mct_str value = mct_json_get(object, key);
    if (mct_json_type(value) != '"')
        return false;
    mct_buf_init(&text, value.len + 1);
    mct_json_unescape_any(value, &text);
    mct_buf_addz(to, before);
    put_shown(to, mct_buf_str(&text));
    mct_buf_done(&text);
    return true;
}

static void put_message(struct mct_buf *to, const struct hook_approval *a)
{
    struct mct_str request = mct_str_of(a->request);
    struct mct_buf params;
    mct_buf_init(&params, 6 * a->params.len + 16);
    mct_json_put_compact(&params, a->params);
    mct_buf_addz(to, "A hook wants this approved: ");
    if (put_member(to, "", request, "title"))
        mct_buf_addz(to, " — ");
    mct_buf_addz(to, "Call ");
    put_shown(to, a->tool);
    mct_buf_addz(to, " of server '");
    put_shown(to, mct_str_of(a->server));
    mct_buf_addz(to, "' with ");
    put_shown(to, mct_buf_str(&params));
    mct_buf_addz(to, "?");
    put_member(to, " ", request, "description");
    put_member(to, " Severity: ", request, "severity");
    mct_buf_done(&params);
}

/* Bits 1 << verdict of what may be answered; what is not known is left out. */
static unsigned allowed(const struct hook_approval *a)
{
    struct mct_str list = mct_json_get(mct_str_of(a->request), "allowedDecisions"), one;
    unsigned set = 0;
    if (mct_json_type(list) != '[')
        return (1u << N_CHOICES) - 1;
    for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &one);)
        for (unsigned i = 0; i < N_CHOICES; i++)
            set |= mct_json_is(one, verdicts[i].word) ? 1u << i : 0;
    return set | 1u << HOOK_DENY;
}

static void put_form(struct mct_buf *to, const struct hook_approval *a)
{
    struct mct_buf text;
    const char *sep = "";
    mct_buf_init(&text, 1u << 20);
    put_message(&text, a);
    mct_buf_addz(to, "{\"message\":");
    mct_json_put_string(to, mct_buf_str(&text));
    mct_buf_addz(to, ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"decision\":{\"type\":\"string\","
                     "\"title\":\"Decision\",\"enum\":[");
    for (unsigned i = 0; i < N_CHOICES; i++) {
        if (!(allowed(a) >> i & 1))
            continue;
        mct_buf_printf(to, "%s\"%s\"", sep, verdicts[i].word);
        sep = ",";
    }
    mct_buf_addz(to, "]}},\"required\":[\"decision\"]}}");
    mct_buf_done(&text);
}

/* ---- the answer ---- */

static void conclude(struct hook_approval *a, enum hook_verdict verdict)
{
    struct mct_sched *s = a->hook->hooks->sched;
    a->verdict = verdict;
    mct_timer_stop(s, &a->timer);
    mct_task_post(s, &a->over);
}

static enum hook_verdict read_answer(const struct hook_approval *a, struct mct_str result)
{
    struct mct_str action = mct_json_get(result, "action");
    struct mct_str said = mct_json_get(mct_json_get(result, "content"), "decision");
    if (mct_json_is(action, "cancel"))
        return HOOK_CANCELLED;
    for (unsigned i = 0; mct_json_is(action, "accept") && i < N_CHOICES; i++)
        if (allowed(a) >> i & 1 && mct_json_is(said, verdicts[i].word))
            return (enum hook_verdict)i;
    return HOOK_DENY;
}

static void on_answered(struct mct_ask *ask, struct mct_str result, const struct mct_error *err)
{
    struct hook_approval *a = MCT_CONTAINER(ask, struct hook_approval, ask);
    if (err)
        mct_log(a->hook->hooks->log, MCT_LOG_WARN, "hook '%s': the approval could not be asked for: %s", a->hook->name,
                err->message);
    conclude(a, err ? HOOK_UNASKED : read_answer(a, result));
}

static void on_late(void *data)
{
    struct hook_approval *a = data;
    mct_ask_withdraw(&a->ask);
    conclude(a, HOOK_TIMEOUT);
}

static void on_over(void *data)
{
    struct hook_approval *a = data;
    if (a->verdict == HOOK_ALLOW_ALWAYS && !is_remembered(a))
        remember(a);
    a->done(a, a->verdict);
}

/* ---- life ---- */

static unsigned time_limit(const struct hook_approval *a)
{
    double ms = mct_json_double(mct_json_get(mct_str_of(a->request), "timeoutMs"));
    return ms <= 0 ? MCT_APPROVAL_MS : ms < MCT_ASK_MS ? (unsigned)ms : MCT_ASK_MS;
}

void hook_approval_start(struct hook_approval *a, const struct mct_answerer *by)
{
    struct mct_sched *s = a->hook->hooks->sched;
    struct mct_buf b;
    a->instead = by ? by->instead : NULL;
    mct_timer_init(&a->timer, on_late, a);
    mct_task_init(&a->over, on_over, a);
    mct_buf_init(&b, 1u << 20);
    put_form(&b, a);
    a->form = mct_buf_take(&b);
    a->ask = (struct mct_ask){ .kind = MCT_ASK_ELICITATION, .params = mct_str_of(a->form), .about = a->call,
                               .answered = on_answered };
    if (allowed(a) >> HOOK_ALLOW_ALWAYS & 1 && is_remembered(a)) {
        conclude(a, HOOK_ALLOW_ALWAYS);
    } else if (!a->form || !mct_answerer_can(by, MCT_ASK_ELICITATION, a->ask.params)) {
        conclude(a, HOOK_UNASKED);
    } else {
        mct_timer_set(s, &a->timer, time_limit(a));
        mct_ask_start(&a->ask, by);
    }
}

static void tell(struct mct_hook *hook, struct mct_str request, enum hook_verdict verdict)
{
    struct mct_str id = mct_json_get(request, "id");
    if (!hook->removed && hook->source && hook->source->resolved && mct_json_type(id) == '"')
        hook->source->resolved(hook->data, id, verdicts[verdict].word);
}

void hook_approval_pass_over(struct mct_hook *hook, struct mct_str request)
{
    tell(hook, request, HOOK_CANCELLED);
}

void hook_approval_end(struct hook_approval *a, enum hook_verdict verdict)
{
    if (!a->request)
        return;
    mct_ask_withdraw(&a->ask);
    mct_timer_stop(a->hook->hooks->sched, &a->timer);
    if (a->over.fn)
        mct_task_stop(&a->over);
    tell(a->hook, mct_str_of(a->request), verdict);
    hook_unuse(a->hook);
    free(a->request);
    free(a->form);
    free(a->key);
    *a = (struct hook_approval){ 0 };
}

void hook_approval_put_refusal(struct mct_buf *to, const struct hook_approval *a, enum hook_verdict verdict)
{
    mct_buf_addz(to, verdicts[verdict].refusal);
    if (verdict == HOOK_UNASKED && a->instead)
        mct_buf_printf(to, " (%s)", a->instead);
    put_member(to, ": ", mct_str_of(a->request), "title");
}
