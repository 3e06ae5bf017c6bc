#include "hub/hooks/hooks_impl.h"

#include "base/limits.h"
#include "base/rand.h"
#include "base/sized.h"
#include "hub/names/canon.h"

#include <stdio.h>
#include <stdlib.h>

const struct mcti_word mcti_hook_kind_words[] = {
    { "before", MCT_HOOK_BEFORE },
    { "after", MCT_HOOK_AFTER },
    { "persist", MCT_HOOK_PERSIST },
    { "before_tool_call", MCT_HOOK_BEFORE },
    { "after_tool_call", MCT_HOOK_AFTER },
    { "tool_result_persist", MCT_HOOK_PERSIST },
    { 0 },
};

static struct mcti_hook *hook_at(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_hook, node);
}

/* ---- one ---- */

enum mct_hook_kind mct_hook_kind(const struct mcti_hook *hook)
{
    return hook->kind;
}

const char *mcti_hook_kind_word(enum mct_hook_kind kind)
{
    return mcti_word_of(mcti_hook_kind_words + MCT_HOOK_KINDS, kind); /* the long words follow the short ones */
}

bool mcti_hook_kind_find(const char *word, enum mct_hook_kind *ret)
{
    const struct mcti_word *found = mcti_word_find(mcti_hook_kind_words, mcti_str_of(word));
    if (found)
        *ret = (enum mct_hook_kind)found->value;
    return found;
}

const char *mcti_hook_name(const struct mcti_hook *hook)
{
    return hook->name;
}

int mcti_hook_priority(const struct mcti_hook *hook)
{
    return hook->priority;
}

static void free_texts(struct mcti_hook *hook)
{
    for (size_t i = 0; hook->tools && hook->tools[i]; i++)
        free(hook->tools[i]);
    free(hook->tools);
    free(hook->name);
    free(hook);
}

void mcti_hook_use(struct mcti_hook *hook)
{
    hook->n_uses++;
}

void mcti_hook_unuse(struct mcti_hook *hook)
{
    if (!--hook->n_uses)
        free_texts(hook);
}

/* Frees the data of a hook whose functions are not called again. */
static void free_data(struct mcti_hook *hook)
{
    if (!hook->removed || hook->depth || !hook->free_data)
        return;
    void (*fn)(void *) = hook->free_data;
    hook->free_data = NULL;
    fn(hook->data);
}

void mcti_hook_enter(struct mcti_hook *hook)
{
    mcti_hook_use(hook);
    hook->depth++;
}

void mcti_hook_leave(struct mcti_hook *hook)
{
    hook->depth--;
    free_data(hook);
    mcti_hook_unuse(hook);
}

/* ---- the list ---- */

void mcti_hooks_init(struct mcti_hooks *h, struct mcti_sched *sched, const struct mcti_log *log)
{
    unsigned char bytes[4];
    *h = (struct mcti_hooks){ .sched = sched, .log = log };
    mcti_list_init(&h->hooks);
    mcti_list_init(&h->events);
    mcti_list_init(&h->waiting);
    for (int kind = 0; kind < MCT_HOOK_KINDS; kind++)
        mcti_list_init(&h->queues[kind]);
    mcti_map_init(&h->always);
    mcti_random(bytes, sizeof bytes);
    mcti_hex(bytes, sizeof bytes, h->process);
}

static void remove_hook(struct mcti_hook *hook)
{
    struct mcti_hooks *h = hook->hooks;
    hook->removed = true;
    mcti_list_remove(&hook->node);
    h->n--;
    hook->depth++; /* its functions may call this again */
    mcti_hook_events_abandon(hook);
    mcti_hook_leave(hook); /* with the use of the list */
}

static struct mcti_hook *hooks_first_of(struct mcti_hooks *h, const void *owner, bool any)
{
    MCT_LIST_EACH(it, &h->hooks)
        if (any || hook_at(it)->owner == owner)
            return hook_at(it);
    return NULL;
}

void mcti_hooks_remove(struct mcti_hooks *h, const void *owner)
{
    struct mcti_hook *hook;
    while ((hook = hooks_first_of(h, owner, false)))
        remove_hook(hook);
}

void mcti_hooks_done(struct mcti_hooks *h)
{
    struct mcti_hook *hook;
    mcti_hook_events_withdraw(h);
    while ((hook = hooks_first_of(h, NULL, true)))
        remove_hook(hook);
    mcti_hook_approvals_forget(h);
    mcti_map_done(&h->always);
}

/* Inserts by priority, highest first; hooks of the same priority in the order of addition. */
static void hooks_insert(struct mcti_hooks *h, struct mcti_hook *hook)
{
    struct mcti_list *at = h->hooks.next;
    while (at != &h->hooks && hook_at(at)->priority >= hook->priority)
        at = at->next;
    mcti_list_append(at, &hook->node);
    h->n++;
}

static int copy_texts(struct mcti_hook *hook, const char *name, const char *const *tools)
{
    size_t n = 0;
    while (tools && tools[n])
        n++;
    hook->name = strdup(name ? name : "hook");
    hook->tools = tools ? calloc(n + 1, sizeof *hook->tools) : NULL;
    for (size_t i = 0; hook->tools && i < n; i++)
        if (!(hook->tools[i] = strdup(tools[i])))
            return -1;
    return hook->name && (!tools || hook->tools) ? 0 : -1;
}

int mcti_hook_add(struct mcti_hooks *h, const struct mct_hook_def *given, const void *owner,
                  const struct mcti_hook_more *more, struct mct_error *err)
{
    struct mct_hook_def def;
    if (mcti_sized_copy(&def, sizeof def, given, "struct mct_hook_def", err) < 0)
        return -1;
    if ((unsigned)def.kind >= MCT_HOOK_KINDS || !def.run)
        return mcti_fail(err, MCT_ERR_USAGE, "hook '%.100s': %s", def.name ? def.name : "",
                         def.run ? "unknown kind" : "no function to run");
    if (h->n >= MCT_LIMIT_HOOKS && !(more && more->beyond_limit))
        return mcti_fail(err, MCT_ERR_LIMIT, "hook '%.100s': too many hooks (limit %d)", def.name ? def.name : "",
                         MCT_LIMIT_HOOKS);
    struct mcti_hook *hook = calloc(1, sizeof *hook);
    if (!hook || copy_texts(hook, def.name, def.tools) < 0) {
        if (hook)
            free_texts(hook);
        return mcti_no_memory(err);
    }
    hook->hooks = h;
    hook->serial = ++h->n_added;
    hook->kind = def.kind;
    hook->priority = def.priority;
    hook->timeout_ms = def.timeout_ms ? def.timeout_ms : MCT_HOOK_MS;
    hook->run = def.run;
    hook->withdrawn = def.withdrawn;
    hook->data = def.data;
    hook->free_data = def.free_data;
    hook->nocase = more && more->nocase;
    hook->source = more ? more->source : NULL;
    hook->owner = owner;
    hook->n_uses = 1;
    hooks_insert(h, hook);
    return 0;
}

int mcti_hooks_add(struct mcti_hooks *h, const struct mct_hook_def *def, const void *owner, struct mct_error *err)
{
    return mcti_hook_add(h, def, owner, NULL, err);
}

/* ---- hooks not known yet ---- */

void mcti_hooks_hold(struct mcti_hooks *h)
{
    h->n_unknown++;
}

void mcti_hooks_release(struct mcti_hooks *h)
{
    if (!--h->n_unknown)
        mcti_hooked_go_on(&h->waiting);
}

bool mcti_hooks_idle(const struct mcti_hooks *h)
{
    return mcti_list_empty(&h->events);
}

/* ---- the hooks of a call ---- */

/* Sets the names of a tool that belongs to the view: SERVER.TOOL and the exposed name in a view of all servers, if the
 * tool is listed among those of a server; otherwise mcptools.TOOL. */
static void name_own(const struct mcti_view *v, const struct mcti_exposure *x, struct mcti_hook_target *ret)
{
    const struct mcti_name_in in = v->own->name(v->own, x->item);
    const struct mcti_str server = in.server.len ? in.server : MCT_STR("mcptools");
    struct mcti_naming always = v->naming;
    char *prefixed = NULL;
    int n = snprintf(ret->own[0], sizeof ret->own[0], "%.*s.%.*s", MCT_STR_ARG(server), MCT_STR_ARG(in.raw)), m = 0;
    always.prefix = MCT_PREFIX_ALWAYS;
    if (in.server.len && mcti_names_assign(&always, &in, 1, &prefixed, NULL) < 0)
        ret->unsure = true;
    if (prefixed)
        m = snprintf(ret->own[1], sizeof ret->own[1], "%s", prefixed);
    ret->unsure |= n >= (int)sizeof ret->own[0] || m >= (int)sizeof ret->own[1];
    ret->names[1] = mcti_str_of(ret->own[0]);
    ret->names[0] = prefixed ? mcti_str_of(ret->own[1]) : x->name;
    free(prefixed);
}

void mcti_hook_target_name(struct mcti_hooks *h, struct mcti_view *v, const struct mcti_exposure *x,
                           struct mcti_hook_target *ret)
{
    const struct mcti_tool_names *names = mcti_view_tool_names(v, x);
    const struct mcti_str all[MCT_HOOK_NAMES] = {
        names ? mcti_str_of(names->prefixed) : x->name,
        names ? names->dotted : MCT_STR_NONE,
        x->name,
        mcti_item_id(x->item),
        mcti_str_of(names ? names->alone[0] : NULL),
        mcti_str_of(names ? names->alone[1] : NULL),
        mcti_str_of(names ? names->alone[2] : NULL),
        mcti_str_of(names ? names->alone[3] : NULL),
    };
    bool own = v->own && v->own->provider == x->provider; /* the view's own provider is in no registry */
    *ret = (struct mcti_hook_target){ .hooks = h, .tool = mcti_item_id(x->item), .unsure = !names && !own };
    memcpy(ret->names, all, sizeof all);
    if (own)
        name_own(v, x, ret);
}

bool mcti_hook_target(struct mcti_hooks *h, struct mcti_view *v, const struct mcti_exposure *x,
                      struct mcti_hook_target *ret)
{
    if (!h || (!h->n && !h->n_unknown))
        return false;
    mcti_hook_target_name(h, v, x, ret);
    return h->n_unknown || mcti_hooks_next(ret, x->provider, NULL);
}

static bool names_match(const struct mcti_hook *hook, const struct mcti_hook_target *t)
{
    bool (*same)(struct mcti_str, struct mcti_str) = hook->nocase ? mcti_str_glob_nocase : mcti_str_glob;
    for (char *const *glob = hook->tools; glob && *glob; glob++)
        for (size_t i = 0; i < MCT_HOOK_NAMES; i++)
            if (t->names[i].p && same(mcti_str_of(*glob), t->names[i]))
                return true;
    return !hook->tools || t->unsure;
}

struct mcti_hook *mcti_hooks_next(const struct mcti_hook_target *t, const struct mcti_provider *p,
                                  struct mcti_hook *after)
{
    struct mcti_list *end = &t->hooks->hooks;
    for (struct mcti_list *at = after ? after->node.next : end->next; at != end; at = at->next) {
        struct mcti_hook *hook = hook_at(at);
        bool skips = hook->source && hook->source->skips && hook->source->skips(hook->data, p);
        if (!skips && names_match(hook, t))
            return hook;
    }
    return NULL;
}
