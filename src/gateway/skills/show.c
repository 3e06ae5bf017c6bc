/* Results with URIs of skills as clients see them, and the capability. */
#include "gateway/skills/impl.h"

#include "gateway/foreign/route.h"

#include "base/limits.h"
#include "skills/label.h"
#include "skills/skill.h"

/* ---- results ---- */

/* Returns the server of the connection that was used. */
static const struct mcti_provider *show_server(const struct mcti_gw_request *r)
{
    const struct mcti_provider *p = r->connection;
    return p && p->origin ? p->origin : p;
}

/* Returns which URIs of the result get the name of the server. Returns false if it is none. */
static bool show_which(const struct mcti_gw_request *r, enum mcti_skill_relabel *ret)
{
    bool has_links = r->verb == MCT_VERB_TOOLS_CALL || r->verb == MCT_VERB_PROMPTS_GET;
    *ret = r->skill ? MCT_RELABEL_ALL : MCT_RELABEL_SCHEME;
    return r->skill || has_links;
}

/* Writes an entry with the name of the server in its `_meta`. */
static void show_put_entry(struct mcti_buf *to, const struct mcti_provider *p, struct mcti_str entry)
{
    struct mcti_buf labelled, meta, name;
    mcti_buf_init(&labelled, to->max);
    mcti_buf_init(&meta, to->max);
    mcti_buf_init(&name, 6 * strlen(p->name) + 2);
    mcti_skill_put_result(&labelled, mcti_str_of(p->name), MCT_RELABEL_ALL, entry);
    mcti_json_put_string(&name, mcti_str_of(p->name));
    const struct mcti_json_set server = { MCT_META_SERVER, mcti_buf_str(&name) };
    mcti_json_put_object(&meta, mcti_json_get(entry, "_meta"), &server, 1);
    const struct mcti_json_set set = { "_meta", mcti_buf_str(&meta) };
    mcti_json_put_object(to, mcti_buf_str(&labelled), &set, 1);
    mcti_buf_done(&name);
    mcti_buf_done(&meta);
    mcti_buf_done(&labelled);
}

/* Writes a page of the merged list. All pages are private: the lists of other servers may be. */
static void show_put_list(struct mcti_buf *to, const struct mcti_gw_request *r, struct mcti_str result)
{
    const struct mcti_provider *p = show_server(r);
    struct mcti_str skills = mcti_json_get(result, "skills"), cursor = mcti_json_get(result, "nextCursor"), entry;
    bool is_end = mcti_json_type(cursor) != '"' || (cursor.len == 2 && !mcti_rev_is_stateless(r->connection->info.rev));
    struct mcti_buf list, next;
    mcti_buf_init(&list, to->max);
    mcti_buf_init(&next, to->max);
    mcti_buf_addc(&list, '[');
    for (struct mcti_json_iter it = mcti_json_open(skills); mcti_json_next_item(&it, &entry);) {
        mcti_buf_addz(&list, list.len > 1 ? "," : "");
        show_put_entry(&list, p, entry);
    }
    mcti_buf_addc(&list, ']');
    mcti_buf_addc(&next, '{');
    mcti_gw_put_skills_cursor(&next, r, is_end ? MCT_STR_NONE : cursor);
    mcti_buf_addc(&next, '}');
    const struct mcti_json_set sets[] = { { "skills", mcti_buf_str(&list) },
                                          { "nextCursor", mcti_json_get(mcti_buf_str(&next), "nextCursor") },
                                          { "cacheScope", MCT_STR("\"private\"") } };
    bool has_scope = mcti_json_get(result, "cacheScope").p;
    mcti_json_put_object(to, result, sets, has_scope ? 3 : 2);
    to->failed |= !mcti_buf_ok(&next);
    mcti_buf_done(&next);
    mcti_buf_done(&list);
}

/* Writes the result of skills/get. */
static void show_put_get(struct mcti_buf *to, const struct mcti_provider *p, struct mcti_str result)
{
    struct mcti_buf entry;
    mcti_buf_init(&entry, to->max);
    show_put_entry(&entry, p, mcti_json_get(result, "skill"));
    const struct mcti_json_set set = { "skill", mcti_buf_str(&entry) };
    mcti_json_put_object(to, result, &set, 1);
    mcti_buf_done(&entry);
}

struct mcti_outcome mcti_gw_show_skills(const struct mcti_gw_request *r, const struct mcti_outcome *o,
                                        struct mcti_buf *to)
{
    const struct mcti_provider *p = show_server(r);
    struct mcti_outcome shown = *o;
    enum mcti_skill_relabel which;
    mcti_buf_init(to, MCT_LIMIT_ANSWER_FACTOR * r->peer->gateway->message_bytes);
    if (!p || !o->result.p || !show_which(r, &which) || !mcti_view_labels_skills(r->peer->view, p))
        return shown;
    if (r->skill == GW_SKILL_LIST)
        show_put_list(to, r, o->result);
    else if (r->skill && mcti_json_type(mcti_json_get(o->result, "skill")) == '{')
        show_put_get(to, p, o->result);
    else
        mcti_skill_put_result(to, mcti_str_of(p->name), which, o->result);
    shown.result = mcti_buf_str(to);
    shown.chunk = NULL;
    return shown;
}

/* ---- the capability ---- */

void mcti_gw_put_skills(struct mcti_buf *to, const struct mcti_view *v, unsigned *n)
{
    struct mcti_provider *servers[GW_SKILL_SERVERS];
    size_t n_servers = mcti_view_skill_servers(v, servers, GW_SKILL_SERVERS);
    bool directories = true;
    for (size_t i = 0; i < n_servers; i++)
        directories &= mcti_skills_declare_directories(mcti_str_of(mcti_view_source(v, servers[i])->info.capabilities));
    if (n_servers)
        mcti_gw_put_extension(to, MCT_SKILLS_ID, directories ? MCT_STR("{\"directoryRead\":true}") : MCT_STR("{}"), n);
}
