/* Asks the user to approve a call that a hook or the flow policy holds, and remembers answers for further calls. */
#include "hub/hooks/hooks_impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "base/log/visible.h"

#include <stdio.h>
#include <stdlib.h>

/* The possible verdicts. The words are those of OpenClaw. */
static const struct {
    const char *word;    /* sent to the hook */
    const char *refusal; /* NULL: the call continues */
} verdicts[] = {
    [HOOK_ALLOW_ONCE] = { "allow-once", NULL },
    [HOOK_ALLOW_ALWAYS] = { "allow-always", NULL },
    [HOOK_DENY] = { "deny", "Tool call denied: it was not approved" },
    [HOOK_TIMEOUT] = { "timeout", "Tool call denied: the approval timed out" },
    [HOOK_CANCELLED] = { "cancelled", "Tool call denied: the approval form was dismissed" },
    [HOOK_UNASKED] = { "deny", "Tool call denied: it needs approval, and this client cannot be asked for it" },
};

enum { N_CHOICES = HOOK_DENY + 1 };

/* A permanent approval. */
struct always {
    struct mcti_map_node node;
    char key[];
};

/* ---- permanent approvals ---- */

/* Returns who requests the approval, for logs. */
static const char *approval_by(const struct mcti_hook_approval *a)
{
    return a->hook ? a->hook->name : "policy.flow";
}

/* Returns the key of the approval, with the serial number of the hook, because names of hooks may be equal. */
static char *approval_key_of(const struct mcti_hook_approval *a)
{
    char *key = NULL;
    return asprintf(&key, "%s\n%llu", a->key, (unsigned long long)(a->hook ? a->hook->serial : 0)) < 0 ? NULL : key;
}

static bool approval_is_remembered(const struct mcti_hook_approval *a)
{
    char *key = a->key ? approval_key_of(a) : NULL;
    bool is = key && mcti_map_get(&a->hooks->always, mcti_str_of(key));
    free(key);
    return is;
}

static void approval_remember(const struct mcti_hook_approval *a)
{
    struct mcti_hooks *h = a->hooks;
    char *key = a->key ? approval_key_of(a) : NULL;
    struct always *one = key && h->always.n < MCT_LIMIT_APPROVALS ? malloc(sizeof *one + strlen(key) + 1) : NULL;
    if (one) {
        strcpy(one->key, key);
        if (mcti_map_put(&h->always, &one->node, mcti_str_of(one->key)) < 0)
            free(one);
    } else {
        mcti_log(h->log, MCT_LOG_WARN, "hook '%s': cannot remember an \"allow-always\": too many are stored",
                 approval_by(a));
    }
    free(key);
}

void mcti_hook_approvals_forget(struct mcti_hooks *h)
{
    struct mcti_map_node *n;
    while ((n = mcti_map_any(&h->always))) {
        mcti_map_remove(&h->always, n);
        free(MCT_CONTAINER(n, struct always, node));
    }
}

/* ---- the form ---- */

/* Appends text for display: one bounded line without control characters and invisible characters. */
static void put_shown(struct mcti_buf *to, struct mcti_str text)
{
    size_t n;
    struct mcti_str head = mcti_utf8_head(text, MCT_LIMIT_APPROVAL_CHARS, &n);
    for (size_t i = 0, bad; i < head.len; i += bad ? bad : 1) {
        bad = mcti_unseen_len(head.p + i, head.len - i);
        mcti_buf_addc(to, bad ? '?' : head.p[i]);
    }
    if (head.len < text.len)
        mcti_buf_printf(to, "… (%zu bytes in all)", text.len);
}

/* Appends `before` and the string member `key`; returns false if there is none. */
static bool approval_put_member(struct mcti_buf *to, const char *before, struct mcti_str object, const char *key)
{
    struct mcti_buf text;
    struct mcti_str value = mcti_json_get(object, key);
    if (mcti_json_type(value) != '"')
        return false;
    mcti_buf_init(&text, value.len + 1);
    mcti_json_unescape_any(value, &text);
    mcti_buf_addz(to, before);
    put_shown(to, mcti_buf_str(&text));
    mcti_buf_done(&text);
    return true;
}

static void put_message(struct mcti_buf *to, const struct mcti_hook_approval *a)
{
    struct mcti_str request = mcti_str_of(a->request);
    struct mcti_buf params;
    mcti_buf_init(&params, 6 * a->params.len + 16);
    mcti_json_put_compact(&params, a->params);
    mcti_buf_addz(to, a->hook ? "A hook requests approval: " : "");
    if (approval_put_member(to, "", request, "title"))
        mcti_buf_addz(to, " — ");
    mcti_buf_addz(to, "Call ");
    put_shown(to, a->tool);
    mcti_buf_addz(to, " of server '");
    put_shown(to, mcti_str_of(a->server));
    mcti_buf_addz(to, "' with ");
    put_shown(to, mcti_buf_str(&params));
    mcti_buf_addz(to, "?");
    approval_put_member(to, " ", request, "description");
    approval_put_member(to, " Severity: ", request, "severity");
    mcti_buf_done(&params);
}

/* Returns the answers that the request allows, as bits 1 << verdict; unknown ones are ignored. */
static unsigned approval_allowed(const struct mcti_hook_approval *a)
{
    struct mcti_str list = mcti_json_get(mcti_str_of(a->request), "allowedDecisions"), one;
    unsigned set = 0;
    if (mcti_json_type(list) != '[')
        return (1u << N_CHOICES) - 1;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);)
        for (unsigned i = 0; i < N_CHOICES; i++)
            set |= mcti_json_is(one, verdicts[i].word) ? 1u << i : 0;
    return set | 1u << HOOK_DENY;
}

static void put_form(struct mcti_buf *to, const struct mcti_hook_approval *a)
{
    struct mcti_buf text;
    const char *sep = "";
    mcti_buf_init(&text, 1u << 20);
    put_message(&text, a);
    mcti_buf_addz(to, "{\"message\":");
    mcti_json_put_string(to, mcti_buf_str(&text));
    mcti_buf_addz(to, ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"decision\":{\"type\":\"string\","
                      "\"title\":\"Decision\",\"enum\":[");
    for (unsigned i = 0; i < N_CHOICES; i++) {
        if (!(approval_allowed(a) >> i & 1))
            continue;
        mcti_buf_printf(to, "%s\"%s\"", sep, verdicts[i].word);
        sep = ",";
    }
    mcti_buf_addz(to, "]}},\"required\":[\"decision\"]}}");
    mcti_buf_done(&text);
}

/* ---- the answer ---- */

static void approval_conclude(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict)
{
    struct mcti_sched *s = a->hooks->sched;
    a->verdict = verdict;
    mcti_timer_stop(s, &a->timer);
    mcti_task_post(s, &a->over);
}

static enum mcti_hook_verdict approval_read_answer(const struct mcti_hook_approval *a, struct mcti_str result)
{
    struct mcti_str action = mcti_json_get(result, "action");
    struct mcti_str said = mcti_json_get(mcti_json_get(result, "content"), "decision");
    if (mcti_json_is(action, "cancel"))
        return HOOK_CANCELLED;
    for (unsigned i = 0; mcti_json_is(action, "accept") && i < N_CHOICES; i++)
        if (approval_allowed(a) >> i & 1 && mcti_json_is(said, verdicts[i].word))
            return (enum mcti_hook_verdict)i;
    return HOOK_DENY;
}

static void approval_on_answered(struct mcti_ask *ask, struct mcti_str result, const struct mct_error *err)
{
    struct mcti_hook_approval *a = MCT_CONTAINER(ask, struct mcti_hook_approval, ask);
    if (err)
        mcti_log(a->hooks->log, MCT_LOG_WARN, "hook '%s': cannot ask for the approval: %s", approval_by(a),
                 err->message);
    approval_conclude(a, err ? HOOK_UNASKED : approval_read_answer(a, result));
}

static void approval_on_late(void *data)
{
    struct mcti_hook_approval *a = data;
    mcti_ask_withdraw(&a->ask);
    approval_conclude(a, HOOK_TIMEOUT);
}

static void approval_on_over(void *data)
{
    struct mcti_hook_approval *a = data;
    if (a->verdict == HOOK_ALLOW_ALWAYS && !approval_is_remembered(a))
        approval_remember(a);
    a->done(a, a->verdict);
}

/* ---- life ---- */

static unsigned time_limit(const struct mcti_hook_approval *a)
{
    double ms = mcti_json_double(mcti_json_get(mcti_str_of(a->request), "timeoutMs"));
    return ms <= 0 ? MCT_APPROVAL_MS : ms < MCT_ASK_MS ? (unsigned)ms : MCT_ASK_MS;
}

void mcti_hook_approval_start(struct mcti_hook_approval *a, const struct mcti_answerer *by)
{
    struct mcti_sched *s = a->hooks->sched;
    struct mcti_buf b;
    a->instead = by ? by->instead : NULL;
    mcti_timer_init(&a->timer, approval_on_late, a);
    mcti_task_init(&a->over, approval_on_over, a);
    mcti_buf_init(&b, 1u << 20);
    put_form(&b, a);
    a->form = mcti_buf_take(&b);
    a->ask = (struct mcti_ask){
        .kind = MCT_ASK_ELICITATION, .params = mcti_str_of(a->form), .about = a->call, .answered = approval_on_answered
    };
    if (approval_allowed(a) >> HOOK_ALLOW_ALWAYS & 1 && approval_is_remembered(a)) {
        approval_conclude(a, HOOK_ALLOW_ALWAYS);
    } else if (!a->form || !mcti_answerer_can(by, MCT_ASK_ELICITATION, a->ask.params)) {
        approval_conclude(a, HOOK_UNASKED);
    } else {
        mcti_timer_set(s, &a->timer, time_limit(a));
        mcti_ask_start(&a->ask, by);
    }
}

static void approval_tell(struct mcti_hook *hook, struct mcti_str request, enum mcti_hook_verdict verdict)
{
    struct mcti_str id = mcti_json_get(request, "id");
    if (!hook->removed && hook->source && hook->source->resolved && mcti_json_type(id) == '"')
        hook->source->resolved(hook->data, id, verdicts[verdict].word);
}

void mcti_hook_approval_pass_over(struct mcti_hook *hook, struct mcti_str request)
{
    approval_tell(hook, request, HOOK_CANCELLED);
}

void mcti_hook_approval_end(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict)
{
    if (!a->request)
        return;
    mcti_ask_withdraw(&a->ask);
    mcti_timer_stop(a->hooks->sched, &a->timer);
    if (a->over.fn)
        mcti_task_stop(&a->over);
    if (a->hook) {
        approval_tell(a->hook, mcti_str_of(a->request), verdict);
        mcti_hook_unuse(a->hook);
    }
    free(a->request);
    free(a->form);
    free(a->key);
    *a = (struct mcti_hook_approval){ 0 };
}

void mcti_hook_approval_put_refusal(struct mcti_buf *to, const struct mcti_hook_approval *a,
                                    enum mcti_hook_verdict verdict)
{
    mcti_buf_addz(to, verdicts[verdict].refusal);
    if (verdict == HOOK_UNASKED && a->instead)
        mcti_buf_printf(to, " (%s)", a->instead);
    approval_put_member(to, ": ", mcti_str_of(a->request), "title");
}
