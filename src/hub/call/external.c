/*
 * Stage "external": marks results from outside, and records that their client has received one (hub/policy/outside.h).
 * A call of a tool of the view itself, which sends requests to servers, takes over what these say.
 */
#include "hub/call/stages.h"

#include "hub/call/external_mark.h"
#include "hub/policy/outside.h"

#include <stdlib.h>

struct external {
    struct mcti_stage base;
    struct mcti_outside *outside;
    struct mcti_text *server; /* name of the one whose results are from outside; NULL: none so far */
    char *tool;               /* raw name; NULL: no tool */
    bool marks;
};

static struct external *external_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct external, base);
}

static void external_free(struct external *x)
{
    mcti_text_unref(x->server);
    free(x->tool);
    free(x);
}

/* ---- what is from outside ---- */

/* Returns the object that concerns the call: that of its server, or of the servers behind a view's own tools. */
static struct mcti_outside *external_source(const struct mcti_call *call, const struct mcti_call_start *s)
{
    if (!call->provider || call->provider->outside)
        return call->provider ? call->provider->outside : NULL;
    return s->found && mcti_view_is_own(s->view, s->found) ? s->view->registry->outside : NULL;
}

/* Returns the name of a server, which may be removed before the result. */
static struct mcti_text *external_label(const struct mcti_provider *p)
{
    return p->origin ? p->origin->label : p->label;
}

/* Returns whether the outcome may have text of the server. */
static bool external_has_text(const struct mcti_outcome *o)
{
    return !o->blocked && (!o->failed || (o->failed->kind != MCT_ERR_TIMEOUT && o->failed->kind != MCT_ERR_LIMIT));
}

static bool external_concerns(const struct mcti_call *call)
{
    return mcti_call_is_of_tool(call) || call->verb == MCT_VERB_RESOURCES_READ || call->verb == MCT_VERB_PROMPTS_GET ||
           call->verb == MCT_VERB_FOREIGN;
}

/* Returns the raw name of the called tool, owned by the caller. */
static char *external_tool_name(const struct mcti_call *call, const struct mcti_call_start *s)
{
    struct mcti_str own = call->subject.value;
    return s->found ? mcti_str_dup(mcti_item_id(s->found->item))
                    : mcti_json_dup(own.p ? own : mcti_json_get(call->params, "name"));
}

static bool external_is(const struct mcti_outside *outside, const struct mcti_call *call,
                        const struct mcti_call_start *s, const char *tool)
{
    const struct mcti_item *item = s->found && mcti_call_is_of_tool(call) ? s->found->item : NULL;
    if (!item && tool)
        item = mcti_items_find(&call->provider->items[MCT_TOOL], mcti_str_of(tool));
    return mcti_outside_is_external(outside, call->provider, item, mcti_str_of(tool));
}

/* ---- what clients have received ---- */

static void external_set_server(struct external *x, struct mcti_text *server)
{
    struct mcti_text *before = x->server;
    x->server = mcti_text_ref(server);
    mcti_text_unref(before);
}

static void external_note(struct mcti_outside *outside, struct mcti_call *call, struct mcti_text *server,
                          const char *tool)
{
    struct mcti_buf from;
    struct mcti_call *root = mcti_call_root(call);
    mcti_buf_init(&from, 4096);
    mcti_buf_printf(&from, tool ? "%s.%.1000s" : "%s", server->p, tool);
    mcti_outside_note(outside, call, mcti_buf_str(&from));
    mcti_buf_done(&from);
    for (struct mcti_stage *s = root == call ? NULL : root->stage; s; s = s->outer)
        if (s->ops->enter == mcti_external_enter)
            external_set_server(external_of(s), server);
}

void mcti_external_answered(struct mcti_call *call, const struct mcti_provider *p)
{
    if (mcti_outside_is_on(p->outside) && mcti_outside_is_external(p->outside, p, NULL, MCT_STR_NONE))
        external_note(p->outside, call, external_label(p), NULL);
}

struct mcti_text *mcti_external_from(const struct mcti_call *call)
{
    for (struct mcti_stage *s = call->stage; s; s = s->outer)
        if (s->ops->enter == mcti_external_enter)
            return external_of(s)->server;
    return NULL;
}

void mcti_external_kept(struct mcti_call *call, struct mcti_outside *outside, struct mcti_text *from)
{
    struct mcti_call read = { .behalf = call };
    if (from && mcti_outside_is_on(outside))
        external_note(outside, &read, from, NULL);
}

/* ---- the stage ---- */

static enum mcti_pass external_put(struct mcti_call *call, const struct mcti_call_start *s,
                                   struct mcti_outside *outside, struct mct_error *err)
{
    bool own = !call->provider->outside;
    struct external *x = calloc(1, sizeof *x);
    bool is_named = !own && mcti_call_is_of_tool(call) && (s->found || call->verb == MCT_VERB_TOOLS_CALL);
    char *tool = x && is_named ? external_tool_name(call, s) : NULL;
    if (!x || (is_named && !tool)) {
        free(x);
        mcti_no_memory(err);
        return MCT_ANSWER;
    }
    bool is = !own && external_is(outside, call, s, tool);
    *x = (struct external){ .outside = outside, .tool = tool };
    if (is)
        external_set_server(x, external_label(call->provider));
    x->marks = outside->opts.mark != MCT_MARK_NONE && !call->provider->is_attached;
    if (is || own)
        mcti_stage_put(call, &x->base);
    else
        external_free(x);
    return MCT_PASS;
}

enum mcti_pass mcti_external_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    struct mcti_outside *outside = external_source(call, s);
    return mcti_outside_is_on(outside) && external_concerns(call) ? external_put(call, s, outside, err) : MCT_PASS;
}

void mcti_external_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed)
{
    (void)call;
    if (failed)
        external_free(external_of(s));
}

/* Passes the result on with its mark. */
static void external_leave_marked(struct mcti_call *call, const struct mcti_outcome *o,
                                  const struct mcti_external_mark *mark)
{
    struct mcti_outcome marked = *o;
    struct mct_error err;
    struct mcti_buf b;
    mcti_buf_init(&b, o->result.len + MCT_EXTERNAL_MARK_BYTES);
    mcti_buf_reserve(&b, o->result.len + 1024);
    mcti_external_mark_put(&b, o->result, mark);
    struct mcti_chunk *chunk = mcti_buf_ok(&b) ? mcti_chunk_take(&b) : NULL;
    marked.chunk = chunk;
    marked.result = chunk ? mcti_chunk_str(chunk) : mcti_buf_str(&b);
    if (!chunk && !mcti_buf_ok(&b)) {
        mcti_no_memory(&err);
        marked = (struct mcti_outcome){ .failed = &err, .rev = o->rev };
    }
    mcti_call_leave(call, &marked);
    mcti_chunk_unref(chunk);
    mcti_buf_done(&b);
}

void mcti_external_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct external *x = external_of(s);
    bool is = x->server && external_has_text(o);
    mcti_stage_take(call, s);
    if (is)
        external_note(x->outside, call, x->server, x->tool);
    if (is && x->marks && o->result.p && !mcti_outcome_is_pending(o)) {
        const struct mcti_external_mark mark = { mcti_str_of(x->server->p), mcti_str_of(x->tool),
                                                 x->outside->opts.mark == MCT_MARK_FRAME &&
                                                     mcti_call_is_of_tool(call) };
        external_leave_marked(call, o, &mark);
    } else {
        mcti_call_leave(call, o);
    }
    external_free(x);
}

void mcti_external_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    (void)call;
    (void)reason;
    external_free(external_of(s));
}
