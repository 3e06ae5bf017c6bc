/*
 * The merged list: one server after the other, in the order of the view. A cursor names the server and its own cursor,
 * sealed, so that the gateway keeps nothing between two pages. A server that fails is left out: a list may be partial
 * (SEP-2640).
 */
#include "gateway/skills/impl.h"

#include "gateway/answer.h"
#include "gateway/call.h"

#include "base/limits.h"

#include <stdlib.h>

/* A cursor, opened. */
struct skills_cursor {
    struct mcti_str server;
    struct mcti_str upstream; /* raw JSON string; absent: the first page */
};

static void cursor_put(struct mcti_buf *to, struct mcti_gateway *g, const char *server, struct mcti_str upstream)
{
    struct mcti_buf text;
    mcti_buf_init(&text, strlen(server) + upstream.len + 2);
    mcti_buf_add(&text, upstream);
    mcti_buf_addc(&text, '\n');
    mcti_buf_addz(&text, server);
    mcti_json_put_key(to, "nextCursor");
    mcti_buf_addc(to, '"');
    mcti_seal(to, gw_seal_key(g), mcti_buf_str(&text));
    mcti_buf_addc(to, '"');
    mcti_buf_done(&text);
}

/* Opens a cursor into *text. Returns -1 if it is none. */
static int cursor_read(struct mcti_gateway *g, struct mcti_str cursor, struct mcti_buf *text, struct skills_cursor *ret)
{
    struct mcti_str sealed;
    if (!mcti_json_plain(cursor, &sealed) || mcti_unseal(text, gw_seal_key(g), sealed) < 0)
        return -1;
    const char *line = text->len ? memchr(text->p, '\n', text->len) : NULL, *end = text->p + text->len;
    if (!line)
        return -1;
    ret->upstream = line > text->p ? mcti_str_range(text->p, line) : MCT_STR_NONE;
    ret->server = mcti_str_range(line + 1, end);
    return 0;
}

void mcti_gw_put_skills_cursor(struct mcti_buf *to, const struct mcti_gw_request *r, struct mcti_str upstream)
{
    if (upstream.p)
        cursor_put(to, r->peer->gateway, r->candidates[r->next - 1]->name, upstream);
    else if (r->next < r->n_candidates)
        cursor_put(to, r->peer->gateway, r->candidates[r->next]->name, MCT_STR_NONE);
}

/* Finds the servers again: the one that the client names, or all. Returns -1 when out of memory. */
static int skills_take_servers(struct mcti_gw_request *r, struct mcti_str params)
{
    const struct mcti_view *v = r->peer->view;
    struct mcti_provider *only = mcti_gw_skills_hint(v, params);
    size_t n = mcti_view_n_providers(v);
    free(r->candidates);
    r->candidates = calloc(n ? n : 1, sizeof(struct mcti_provider *));
    r->n_candidates = !r->candidates ? 0 : only ? 1 : mcti_view_skill_servers(v, r->candidates, n);
    if (r->candidates && only)
        r->candidates[0] = only;
    return r->candidates ? 0 : -1;
}

/* Sets r->next to the server of the cursor. Returns -1 and sets *err if it is not one of the view. */
static int skills_find_server(struct mcti_gw_request *r, const struct skills_cursor *c, struct mct_error *err)
{
    for (r->next = 0; r->next < r->n_candidates; r->next++)
        if (mcti_str_is(c->server, r->candidates[r->next]->name))
            return 0;
    return mcti_fail(err, MCT_ERR_USAGE, "unknown cursor; request the list again without one");
}

/* Asks the server r->next and those behind it until one can be asked. */
static int skills_ask_next(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta,
                           struct mcti_str upstream, struct mct_error *err)
{
    const struct mcti_json_set nothing = { "cursor", MCT_STR_NONE };
    int result = mcti_fail(err, MCT_ERR_CONNECT, "no server that has skills is connected");
    while (result < 0 && r->next < r->n_candidates) {
        const struct mcti_json_set cursor = { "cursor", upstream };
        struct mcti_buf params;
        mcti_buf_init(&params, msg->params.len + upstream.len + 64);
        mcti_json_put_object(&params, msg->params, &cursor, 1);
        const struct mcti_msg own = mcti_msg_with_params(msg, mcti_buf_str(&params));
        r->skill = GW_SKILL_LIST;
        result = mcti_gw_start(r, r->candidates[r->next++], &own, meta, &nothing, err);
        mcti_buf_done(&params);
        upstream = MCT_STR_NONE;
    }
    return result;
}

/* Answers with an empty list. */
static void skills_answer_nothing(struct mcti_gw_request *r)
{
    const struct mcti_outcome o = { .result = MCT_STR("{\"skills\":[]}"), .rev = MCT_REV_LATEST_HANDSHAKE };
    r->skill = GW_SKILL_NONE;
    mcti_gw_answer_result(r, &o);
}

void mcti_gw_list_skills(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_str cursor = mcti_json_get(msg->params, "cursor");
    struct skills_cursor c = { .server = MCT_STR_NONE };
    struct mcti_buf text;
    struct mct_error err;
    if (mcti_gw_keep(r, msg) == TAKEN)
        return;
    mcti_buf_init(&text, cursor.len + 64);
    int result = skills_take_servers(r, msg->params) < 0 ? mcti_no_memory(&err) : 0;
    r->next = 0;
    if (result == 0 && cursor.p) {
        if (cursor_read(r->peer->gateway, cursor, &text, &c) < 0)
            c.server = MCT_STR_NONE;
        result = skills_find_server(r, &c, &err);
    }
    if (result == 0)
        result = skills_ask_next(r, msg, meta, c.upstream, &err);
    mcti_buf_done(&text);
    if (result < 0)
        mcti_gw_fail(r, &err);
}

enum mcti_gw_step mcti_gw_skills_retry(struct mcti_gw_request *r, const struct mcti_outcome *o)
{
    struct mcti_msg msg;
    struct mcti_msg_meta meta;
    struct mct_error err;
    bool was_first = r->next == 1;
    if (r->skill != GW_SKILL_LIST || o->result.p || !r->kept)
        return GO_ON;
    if (mcti_msg_parse((struct mcti_str){ r->kept, r->kept_len }, &msg, NULL) < 0 ||
        mcti_msg_read_meta(&msg, &meta, NULL) < 0)
        return GO_ON;
    if (r->next == r->n_candidates && was_first && r->n_candidates == 1)
        return GO_ON; /* the error of the only server says more than an empty list */
    if (skills_ask_next(r, &msg, &meta, MCT_STR_NONE, &err) < 0)
        skills_answer_nothing(r);
    return TAKEN;
}
