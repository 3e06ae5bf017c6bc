/* Requests about one skill: which server they are for. */
#include "gateway/skills/impl.h"

#include "gateway/answer.h"
#include "gateway/call.h"
#include "gateway/foreign/route.h"
#include "gateway/read.h"

#include "base/limits.h"
#include "skills/label.h"
#include "skills/skill.h"

#include <stdio.h>

static const char *const of_uri[] = { "skills/get", "resources/directory/read" };

static bool skills_has_uri(struct mcti_str method)
{
    return mcti_str_is(method, of_uri[0]) || mcti_str_is(method, of_uri[1]);
}

bool mcti_gw_is_of_skills(const struct mcti_view *v, struct mcti_str method)
{
    struct mcti_provider *first;
    return (mcti_str_is(method, "skills/list") || skills_has_uri(method)) && mcti_view_skill_servers(v, &first, 1);
}

struct mcti_provider *mcti_gw_skills_hint(const struct mcti_view *v, struct mcti_str params)
{
    struct mcti_provider *servers[GW_SKILL_SERVERS];
    struct mcti_str named = mcti_json_get(mcti_json_get(params, "_meta"), MCT_META_SERVER);
    size_t n = named.p ? mcti_view_skill_servers(v, servers, GW_SKILL_SERVERS) : 0;
    for (size_t i = 0; i < n; i++)
        if (mcti_json_is(named, servers[i]->name))
            return servers[i];
    return NULL;
}

/* ---- URIs without the name of a server ---- */

/* Fails because several servers may have the skill, and names some of the URIs that are clear. */
static struct mcti_provider *skills_fail_unclear(struct mcti_provider *const *servers, size_t n, struct mcti_str uri,
                                                 struct mct_error *err)
{
    enum { NAMED = 3 };
    struct mcti_buf b;
    mcti_fail(err, MCT_ERR_USAGE, "several servers may have %.*s: use", MCT_STR_ARG(uri));
    for (size_t i = 0; i < n && i < NAMED; i++) {
        mcti_buf_init(&b, 3 * strlen(servers[i]->name) + uri.len + 64);
        mcti_skill_put_labelled(&b, mcti_str_of(servers[i]->name), uri);
        size_t len = strlen(err->message);
        snprintf(err->message + len, sizeof err->message - len, "%s %.*s", i ? " or" : "",
                 MCT_STR_ARG(mcti_buf_str(&b)));
        mcti_buf_done(&b);
    }
    return NULL;
}

/* Returns the server that a bare URI, as it stands in instructions and texts of a server, is for: the one that the
 * client names, the only one that lists it, or the only one that has skills. Otherwise sets *err and returns NULL:
 * others are never asked. */
static struct mcti_provider *skills_bare_server(struct mcti_view *v, struct mcti_str uri, struct mct_error *err)
{
    struct mcti_provider *found[GW_SKILL_SERVERS];
    size_t n = 0;
    mcti_view_for_uri(v, uri, found, GW_SKILL_SERVERS, &n);
    if (!n)
        n = mcti_view_skill_servers(v, found, GW_SKILL_SERVERS);
    return n == 1 ? found[0] : skills_fail_unclear(found, n, uri, err);
}

/* ---- requests ---- */

/* A request about the URI of a skill. */
struct skills_asked {
    const struct mcti_msg *msg;
    const struct mcti_msg_meta *meta;
    struct mcti_str uri;
};

/* Sends the request with the server's own URI. The params are a copy, so that everything on the way sees this URI. */
static int skills_send(struct mcti_gw_request *r, struct mcti_provider *p, const struct skills_asked *a,
                       struct mcti_str own, struct mct_error *err)
{
    const struct mcti_json_set nothing = { "uri", MCT_STR_NONE };
    struct mcti_buf uri, params;
    mcti_buf_init(&uri, 6 * own.len + 2);
    mcti_buf_init(&params, a->msg->params.len + 6 * own.len + 64);
    mcti_json_put_string(&uri, own);
    const struct mcti_json_set set = { "uri", mcti_buf_str(&uri) };
    mcti_json_put_object(&params, a->msg->params, &set, 1);
    const struct mcti_msg msg = mcti_msg_with_params(a->msg, mcti_buf_str(&params));
    int result = mcti_buf_ok(&params) ? mcti_gw_start(r, p, &msg, a->meta, &nothing, err) : mcti_no_memory(err);
    mcti_buf_done(&params);
    mcti_buf_done(&uri);
    return result;
}

/* Sends the request to the server of its URI. */
static void skills_route(struct mcti_gw_request *r, const struct skills_asked *a)
{
    struct mcti_view *v = r->peer->view;
    struct mct_error err;
    struct mcti_buf own;
    mcti_buf_init(&own, MCT_LIMIT_URI_BYTES);
    struct mcti_provider *p = mcti_view_skill_server(v, a->uri, &own);
    bool is_bare = !p;
    r->skill = is_bare ? GW_SKILL_NONE : GW_SKILL_FILE;
    if (is_bare)
        p = mcti_gw_skills_hint(v, a->msg->params);
    if (!p)
        p = skills_bare_server(v, a->uri, &err);
    struct mcti_str uri = is_bare ? a->uri : mcti_buf_str(&own);
    int result = !p || mcti_gw_admit_uri(r, uri, &err) < 0 ? -1 : skills_send(r, p, a, uri, &err);
    mcti_buf_done(&own);
    if (result < 0)
        mcti_gw_fail(r, &err);
}

enum mcti_gw_step mcti_gw_skills(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                 const struct mcti_msg_meta *meta)
{
    struct skills_asked a = { .msg = msg, .meta = meta };
    struct mcti_buf scratch;
    struct mct_error err;
    if (!mcti_gw_is_of_skills(r->peer->view, msg->method))
        return GO_ON;
    if (!skills_has_uri(msg->method)) {
        mcti_gw_list_skills(r, msg, meta);
        return TAKEN;
    }
    mcti_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    if (mcti_gw_text_param(msg, "uri", MCT_LIMIT_URI_BYTES, &scratch, &a.uri, &err) < 0)
        mcti_gw_fail(r, &err);
    else
        skills_route(r, &a);
    mcti_buf_done(&scratch);
    return TAKEN;
}

enum mcti_gw_step mcti_gw_read_skill(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                     const struct mcti_msg_meta *meta, struct mcti_str uri)
{
    struct mcti_provider *first;
    if (!mcti_skill_has_scheme(uri) || !mcti_view_skill_servers(r->peer->view, &first, 1))
        return GO_ON;
    skills_route(r, &(struct skills_asked){ msg, meta, uri });
    return TAKEN;
}
