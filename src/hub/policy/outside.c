#include "hub/policy/outside.h"

#include "base/limits.h"
#include "hub/core/untrusted.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- tools ---- */

/* Returns whether the lists name the tool or its server. */
static bool outside_lists_name(const struct mcti_rules *lists, const struct mcti_rule_tool *tool)
{
    bool is = false;
    for (size_t i = 0; !is && i < lists->n_steps; i++)
        is = mcti_rule_judge(lists, &lists->steps[i], true, tool).result == MCT_RULE_DENIED;
    return is;
}

/* Judges a tool that its server does not list, by the names that it would have. */
static bool outside_names_unlisted(const struct mcti_outside *o, struct mcti_rule_tool *as, struct mcti_str raw)
{
    char *dotted = NULL;
    bool failed = raw.p && asprintf(&dotted, "%.*s.%.*s", MCT_STR_ARG(as->server), MCT_STR_ARG(raw)) < 0;
    mcti_rule_tool_add(as, raw, false);
    mcti_rule_tool_add(as, mcti_str_of(failed ? NULL : dotted), false);
    bool is = failed || outside_lists_name(&o->opts.external, as);
    free(failed ? NULL : dotted);
    return is;
}

bool mcti_outside_is_external(const struct mcti_outside *o, const struct mcti_provider *p, const struct mcti_item *tool,
                              struct mcti_str raw)
{
    struct mcti_rule_tool as;
    const struct mcti_provider *of = p->origin ? p->origin : p;
    if (of->external || !o->opts.external.n_steps)
        return of->external;
    if (tool && mcti_ruled_tool(of->events.data, o->naming, of, tool, &as) == 0)
        return outside_lists_name(&o->opts.external, &as);
    as = (struct mcti_rule_tool){ .server = mcti_str_of(of->name) };
    return outside_names_unlisted(o, &as, tool ? mcti_item_id(tool) : raw);
}

bool mcti_outside_guards(const struct mcti_outside *o, const struct mcti_rule_tool *tool, struct mcti_outside_rule *ret)
{
    const struct mcti_rules *lists = &o->opts.guarded;
    bool is = false;
    *ret = (struct mcti_outside_rule){ MCT_OUTSIDE_ASK, MCT_OUTSIDE_PER_CLIENT };
    for (size_t i = 0; i < lists->n_steps; i++) {
        const struct mcti_outside_rule *rule = &o->opts.rules[i];
        if (rule->mode == MCT_OUTSIDE_OFF ||
            (tool && mcti_rule_judge(lists, &lists->steps[i], true, tool).result != MCT_RULE_DENIED))
            continue;
        is = true;
        if (rule->mode == MCT_OUTSIDE_DENY)
            ret->mode = MCT_OUTSIDE_DENY;
        if (rule->approval == MCT_OUTSIDE_PER_CALL)
            ret->approval = MCT_OUTSIDE_PER_CALL;
    }
    return is;
}

/* ---- clients ---- */

/* Writes the identity of a session, or with `session` 0 that of a principal. */
static struct mcti_str outside_put_key(char to[16], uint64_t session, uint64_t authority)
{
    uint64_t number = session ? session : authority;
    memset(to, 0, 16);
    to[0] = session ? 's' : 'p';
    memcpy(to + 1, &number, sizeof number);
    return (struct mcti_str){ to, 1 + sizeof number };
}

static struct mcti_outside_client *outside_find(const struct mcti_outside *o, struct mcti_str key)
{
    struct mcti_map_node *n = mcti_map_get(&o->clients, key);
    return n ? MCT_CONTAINER(n, struct mcti_outside_client, node) : NULL;
}

static void outside_drop(struct mcti_outside *o, struct mcti_outside_client *client)
{
    mcti_map_remove(&o->clients, &client->node);
    free(client);
}

static struct mcti_str outside_key_of(const struct mcti_outside *o, struct mcti_call *call, char to[16])
{
    const struct mcti_call *root = mcti_call_root(call);
    return outside_put_key(to, o->opts.scope == MCT_OUTSIDE_BY_SESSION ? root->session : 0, root->authority);
}

static struct mcti_outside_client *outside_add(struct mcti_outside *o, struct mcti_str key, struct mcti_str from)
{
    struct mcti_outside_client *client = calloc(1, sizeof *client);
    struct mcti_buf shown;
    if (!client)
        return NULL;
    memcpy(client->key, key.p, key.len);
    client->number = ++o->n_clients;
    mcti_buf_init(&shown, MCT_OUTSIDE_FROM_BYTES);
    mcti_untrusted_put(&shown, from, MCT_OUTSIDE_FROM_BYTES - 1);
    snprintf(client->from, sizeof client->from, "%.*s", MCT_STR_ARG(mcti_buf_str(&shown)));
    mcti_buf_done(&shown);
    if (mcti_map_put(&o->clients, &client->node, (struct mcti_str){ client->key, key.len }) == 0)
        return client;
    free(client);
    return NULL;
}

void mcti_outside_note(struct mcti_outside *o, struct mcti_call *call, struct mcti_str from)
{
    char bytes[16];
    struct mcti_str key = outside_key_of(o, call, bytes);
    struct mcti_outside_client *client = o->opts.guarded.n_steps ? outside_find(o, key) : NULL;
    if (!o->opts.guarded.n_steps)
        return;
    if (!client)
        client = outside_add(o, key, from);
    if (client && key.p[0] == 'p')
        client->until_ms = mcti_sched_now(o->sched) + o->opts.remember_ms;
    if (client || o->lost)
        return;
    o->lost = true;
    mcti_log(o->log, MCT_LOG_ERROR,
             "policy.flow: " MCT_NO_MEMORY_TEXT
             "; from now on every client counts as one that has received results from outside");
}

void mcti_outside_forget(struct mcti_outside *o, uint64_t session)
{
    char bytes[16];
    struct mcti_outside_client *client = session ? outside_find(o, outside_put_key(bytes, session, 0)) : NULL;
    if (client)
        outside_drop(o, client);
}

const struct mcti_outside_client *mcti_outside_client(struct mcti_outside *o, struct mcti_call *call)
{
    static const struct mcti_outside_client anybody = { .from = "unknown: memory was out" };
    char bytes[16];
    struct mcti_outside_client *client = outside_find(o, outside_key_of(o, call, bytes));
    if (client && client->until_ms && client->until_ms <= mcti_sched_now(o->sched)) {
        outside_drop(o, client);
        client = NULL;
    }
    return client || !o->lost ? client : &anybody;
}

/* ---- life ---- */

void mcti_outside_init(struct mcti_outside *o, const struct mcti_naming *naming, struct mcti_sched *sched,
                       const struct mcti_log *log)
{
    *o = (struct mcti_outside){ .naming = naming, .sched = sched, .log = log };
    mcti_map_init(&o->clients);
}

void mcti_outside_take(struct mcti_outside *o, const struct mcti_outside_opts *opts)
{
    free((void *)o->opts.external.steps);
    free((void *)o->opts.guarded.steps);
    free(o->opts.rules);
    o->opts = *opts;
}

void mcti_outside_done(struct mcti_outside *o)
{
    static const struct mcti_outside_opts none = { .is_on = false };
    struct mcti_map_node *n;
    mcti_outside_take(o, &none);
    while ((n = mcti_map_any(&o->clients)))
        outside_drop(o, MCT_CONTAINER(n, struct mcti_outside_client, node));
    mcti_map_done(&o->clients);
}
