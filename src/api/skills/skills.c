/* Skills: lists, entries, and files that are verified. */
#include "api/request.h"

#include "base/base64.h"
#include "base/limits.h"
#include "base/log/utf8.h"
#include "resources/skills/skills.h"

#include <mcptools/skill.h>

#include <stdlib.h>

/* The operation of a request; owned by it. */
struct mcti_api_skills {
    struct mct_request *request;
    struct mcti_listing listing;
    struct mcti_skill_search search;
    struct mcti_skill_load load;
    bool reads; /* the file is wanted, not the entry */
};

static void api_skills_free(struct mct_request *q)
{
    struct mcti_api_skills *s = q->skills;
    q->skills = NULL;
    mcti_listing_done(&s->listing);
    mcti_skill_load_done(&s->load);
    mcti_skill_search_done(&s->search);
    free(s);
}

static void api_skills_stop(struct mct_request *q, const char *reason)
{
    (void)reason;
    api_skills_free(q);
}

/* Ends the request with the text in `b`, which is freed, or with `err`, unless that is NULL. */
static void api_skills_end(struct mct_request *q, struct mcti_buf *take_b, const struct mct_error *err)
{
    struct mct_error lost;
    if (!err && !mcti_buf_ok(take_b)) {
        mcti_no_memory(&lost);
        err = &lost;
    }
    mcti_api_request_finish(q, err ? MCT_STR_NONE : mcti_buf_str(take_b), err);
    mcti_buf_done(take_b);
    api_skills_free(q);
}

/* ---- lists ---- */

static void api_skills_put_entry(struct mcti_buf *to, const struct mcti_provider *p, struct mcti_str entry)
{
    struct mcti_buf name;
    mcti_buf_init(&name, 6 * strlen(p->name) + 8);
    mcti_json_put_string(&name, mcti_str_of(p->name));
    const struct mcti_json_set set = { "server", mcti_buf_str(&name) };
    mcti_json_put_object(to, entry, &set, 1);
    mcti_buf_done(&name);
}

static void api_skills_put_errors(struct mcti_buf *to, const struct mcti_listing *l)
{
    mcti_json_put_key(to, "errors");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < l->n_parts; i++) {
        const struct mcti_listing_part *part = &l->parts[i];
        if (!part->error.kind || part->lacks)
            continue;
        mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
        mcti_json_put_member(to, "server", mcti_str_of(part->provider->name));
        mcti_json_put_fault(to, part->error.kind, part->error.message);
        mcti_buf_addc(to, '}');
    }
    mcti_buf_addc(to, ']');
}

static void api_skills_on_listed(struct mcti_listing *l)
{
    struct mct_request *q = l->data;
    struct mct_error err = l->only ? l->parts->error : (struct mct_error){ .kind = MCT_ERR_NONE };
    struct mcti_str entry;
    struct mcti_buf b;
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_addz(&b, "{\"skills\":[");
    for (size_t i = 0; i < l->n_parts; i++) {
        struct mcti_json_iter it = mcti_listing_items(&l->parts[i]);
        while (mcti_json_next_item(&it, &entry)) {
            mcti_buf_addz(&b, mcti_buf_last(&b) == '[' ? "" : ",");
            api_skills_put_entry(&b, l->parts[i].provider, entry);
        }
    }
    mcti_buf_addc(&b, ']');
    api_skills_put_errors(&b, l);
    mcti_buf_addc(&b, '}');
    if (err.kind)
        mcti_api_name_server(q->api, l->only, &err);
    api_skills_end(q, &b, err.kind ? &err : NULL);
}

/* ---- one skill ---- */

static void api_skills_on_loaded(struct mcti_skill_load *l)
{
    struct mcti_api_skills *s = l->data;
    struct mcti_str bytes = mcti_buf_str(&l->bytes);
    struct mct_error err = l->error;
    struct mcti_buf b, base64;
    bool is_text = mcti_utf8_valid(bytes);
    mcti_buf_init(&b, 6 * (size_t)MCT_LIMIT_SKILL_BYTES + MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&base64, 2 * (size_t)MCT_LIMIT_SKILL_BYTES);
    if (!is_text)
        mcti_base64_put(&base64, bytes);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "server", mcti_str_of(l->provider->name));
    mcti_json_put_member(&b, "skill", s->search.skill.uri);
    mcti_json_put_member(&b, "uri", s->search.uri);
    mcti_json_put_member(&b, is_text ? "text" : "blob", is_text ? bytes : mcti_buf_str(&base64));
    mcti_buf_addc(&b, '}');
    mcti_buf_done(&base64);
    if (err.kind)
        mcti_api_name_server(s->request->api, l->provider, &err);
    api_skills_end(s->request, &b, err.kind ? &err : NULL);
}

static int api_skills_load(struct mcti_api_skills *s, struct mct_error *err)
{
    const struct mcti_skill_search *found = &s->search;
    s->load = (struct mcti_skill_load){ .reach = found->reach,
                                        .provider = found->provider,
                                        .skill = &found->skill,
                                        .uri = found->uri,
                                        .deadline_ms = found->read_ms,
                                        .done = api_skills_on_loaded,
                                        .data = s };
    return mcti_skill_load_start(&s->load, err);
}

static void api_skills_on_found(struct mcti_skill_search *found)
{
    struct mcti_api_skills *s = found->data;
    struct mct_error err = found->error;
    struct mcti_buf b;
    if (found->provider && s->reads && api_skills_load(s, &err) == 0)
        return;
    bool failed = !found->provider || s->reads;
    mcti_buf_init(&b, 2 * found->skill.json.len + 1024);
    if (!failed)
        api_skills_put_entry(&b, found->provider, found->skill.json);
    api_skills_end(s->request, &b, failed ? &err : NULL);
}

/* ---- requests ---- */

static struct mct_request *api_skills_new(struct mct_instance *r, const struct mct_call_opts *opts,
                                          struct mct_error *err)
{
    struct mct_request *q = mcti_api_request_new(r, opts, err);
    if (!q)
        return NULL;
    q->skills = calloc(1, sizeof *q->skills);
    if (!q->skills) {
        mcti_no_memory(err);
        mcti_api_request_drop(q);
        return NULL;
    }
    q->skills->request = q;
    q->stop = api_skills_stop;
    return q;
}

/* Returns the request if its operation has been started; else frees both. */
static struct mct_request *api_skills_started(struct mct_request *q, int result)
{
    if (result < 0)
        api_skills_free(q);
    return api_request_started(q, result);
}

struct mct_request *mct_instance_skills(struct mct_instance *r, const char *server, const struct mct_call_opts *opts,
                                        struct mct_error *err)
{
    struct mcti_instance *inst = &mcti_api_of(r)->inst;
    struct mcti_provider *only = server ? mcti_api_find_server(r, server, err) : NULL;
    struct mct_request *q = server && !only ? NULL : api_skills_new(r, opts, err);
    if (!q)
        return NULL;
    q->skills->listing =
        (struct mcti_listing){ .reach = &inst->reach,
                               .of = &mcti_skills_list,
                               .only = only,
                               .deadline_ms = q->opts.timeout_ms ? q->opts.timeout_ms : inst->dialect.list_ms,
                               .done = api_skills_on_listed,
                               .data = q };
    return api_skills_started(q, mcti_listing_start(&q->skills->listing) < 0 ? mcti_no_memory(err) : 0);
}

static struct mct_request *api_skills_search(struct mct_instance *r, const char *server, const char *uri,
                                             const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mcti_instance *inst = &mcti_api_of(r)->inst;
    struct mcti_provider *only = server ? mcti_api_find_server(r, server, err) : NULL;
    struct mct_request *q = server && !only ? NULL : api_skills_new(r, opts, err);
    if (!q)
        return NULL;
    q->skills->search = (struct mcti_skill_search){ .reach = &inst->reach,
                                                    .only = only,
                                                    .uri = mcti_str_of(uri),
                                                    .list_ms = inst->dialect.list_ms,
                                                    .read_ms = inst->dialect.read_ms,
                                                    .done = api_skills_on_found,
                                                    .data = q->skills };
    return api_skills_started(q, mcti_skill_search_start(&q->skills->search, err));
}

struct mct_request *mct_instance_skill(struct mct_instance *r, const char *server, const char *uri,
                                       const struct mct_call_opts *opts, struct mct_error *err)
{
    return api_skills_search(r, server, uri, opts, err);
}

struct mct_request *mct_instance_read_skill(struct mct_instance *r, const char *server, const char *uri,
                                            const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_request *q = api_skills_search(r, server, uri, opts, err);
    if (q)
        q->skills->reads = true;
    return q;
}

int mct_skill_verify(const char *entry, const char *uri, const void *bytes, size_t len, struct mct_error *err)
{
    struct mcti_str text = MCT_STR_NONE;
    struct mcti_skill skill;
    if (mcti_json_read_object(mcti_str_of(entry), "entry", &text, err) < 0 || mcti_skill_open(text, &skill, err) < 0)
        return -1;
    int r = mcti_skill_check(&skill, mcti_str_of(uri), (struct mcti_str){ bytes ? bytes : "", len }, err);
    mcti_skill_done(&skill);
    return r;
}
