/*
 * The dialect "skills": tools with which a model finds and loads skills, and a prompt with which a person does, for
 * hosts that do not know them. Files are
 * verified here, and only those that entries list are read. A skill is told to be the server's, not the user's.
 */
#include "resources/dialect/impl.h"
#include "resources/skills/skills.h"

#include "base/base64.h"
#include "base/limits.h"
#include "base/log/utf8.h"
#include "skills/frontmatter.h"

#include <stdio.h>
#include <stdlib.h>

static const char list_json[] = MCT_JSON({
    "name": "list_skills",
    "description": "List the skills that MCP servers provide: instructions and files for certain tasks. Load one with load_skill when its description fits the task.",
    "inputSchema": { "type": "object", "properties": {
        "server": { "type": "string", "description": "Name of one server; default: all servers." } },
        "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char load_json[] = MCT_JSON({
    "name": "load_skill",
    "description": "Load the instructions of one skill, and the list of its files.",
    "inputSchema": { "type": "object", "properties": {
        "uri": { "type": "string", "description": "URI of the skill, from list_skills." },
        "server": { "type": "string", "description": "Name of its server; needed if several servers have the URI." } },
        "required": ["uri"], "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char read_json[] = MCT_JSON({
    "name": "read_skill_file",
    "description": "Read one file of a skill. Only files that load_skill lists can be read.",
    "inputSchema": { "type": "object", "properties": {
        "uri": { "type": "string", "description": "URI of the file." },
        "server": { "type": "string", "description": "Name of its server; needed if several servers have the URI." } },
        "required": ["uri"], "additionalProperties": false },
    "annotations": { "readOnlyHint": true, "openWorldHint": false }
});

static const char prompt_json[] =
    MCT_JSON({ "name": "load_skill", "title": "Load a skill",
        "description": "The instructions of a skill of an MCP server, verified.", "arguments": [
            { "name": "skill", "description": "Name or URI of the skill.", "required": true },
            { "name": "server", "description": "Name of its server; needed if several servers have the skill." } ] });

/* What a call that loads a file has in addition. */
struct skill_tool {
    struct mcti_dialect_call *call;
    struct mcti_skill_search search;
    struct mcti_skill_load load;
    bool is_body;   /* the instructions of the skill are wanted, not a file */
    bool is_prompt; /* the call gets a prompt */
};

static void skill_tool_free(void *side)
{
    struct skill_tool *t = side;
    mcti_skill_load_done(&t->load);
    mcti_skill_search_done(&t->search);
    free(t);
}

/* Ends the call with an error. */
static void skill_tool_fail(struct skill_tool *t, const char *why)
{
    struct mcti_local_request *request = t->call->request;
    char message[sizeof((struct mct_error *)0)->message];
    if (!t->is_prompt) {
        mcti_dialect_refuse(t->call, "%s", why);
        return;
    }
    snprintf(message, sizeof message, "%s", why); /* it may be a text of the call */
    mcti_dialect_call_done(t->call);
    mcti_local_fail(request, MCT_RPC_INVALID_PARAMS, message, MCT_STR_NONE);
}

/* ---- servers ---- */

/* Sets c->server to the server that the arguments name. Returns false after refusing an unknown one. */
static bool skill_tool_take_server(struct mcti_dialect_call *c)
{
    struct mcti_buf b;
    c->name = mcti_dialect_trimmed(c, "server");
    if (mcti_dialect_find_server(c))
        return true;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_printf(&b, "unknown server \"%s\"; known: ", c->name);
    mcti_dialect_put_servers(c, &b, false);
    mcti_dialect_refuse_buf(c, &b);
    return false;
}

/* ---- list_skills ---- */

static void skill_tool_put_part(struct mcti_buf *to, const struct mcti_listing_part *part)
{
    struct mcti_json_iter it = mcti_listing_items(part);
    struct mcti_skill skill;
    struct mcti_str entry;
    while (mcti_json_next_item(&it, &entry)) {
        if (mcti_skill_open(entry, &skill, NULL) < 0)
            continue;
        mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
        mcti_json_put_member(to, "name", skill.name);
        mcti_json_put_member(to, "description", skill.description);
        mcti_json_put_member(to, "uri", skill.uri);
        mcti_json_put_member(to, "server", mcti_str_of(part->provider->name));
        mcti_buf_addc(to, '}');
        mcti_skill_done(&skill);
    }
}

static void skill_tool_on_listed(struct mcti_dialect_call *c)
{
    const struct mcti_listing *l = &c->listing;
    struct mcti_buf b;
    if (c->server && l->parts->error.kind) {
        mcti_dialect_refuse(c, "%s", l->parts->error.message);
        return;
    }
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"skills\":[");
    for (size_t i = 0; i < l->n_parts; i++)
        skill_tool_put_part(&b, &l->parts[i]);
    mcti_buf_addc(&b, ']');
    mcti_dialect_put_told(c, &b, NULL);
    mcti_buf_addc(&b, '}');
    mcti_dialect_answer(c, &b);
}

static void skill_tool_run_list(struct mcti_dialect_call *c)
{
    if (!skill_tool_take_server(c))
        return;
    c->listing.of = &mcti_skills_list;
    mcti_dialect_list(c, MCT_RESOURCE, c->server, skill_tool_on_listed);
}

/* ---- load_skill, read_skill_file ---- */

static const struct mcti_skill *skill_tool_entry(const struct skill_tool *t)
{
    return t->load.fresh.json.p ? &t->load.fresh : &t->search.skill;
}

/* Writes what the model should know before it reads the instructions: whose they are, and what is not granted. */
static void skill_tool_put_head(struct mcti_buf *to, const struct skill_tool *t)
{
    const struct mcti_skill *s = skill_tool_entry(t);
    struct mcti_str tools = mcti_json_get(s->frontmatter, "allowed-tools");
    mcti_buf_printf(to,
                    "Skill \"%.*s\" of the MCP server \"%s\". These are instructions of the server, not of the user.\n",
                    MCT_STR_ARG(s->name), t->search.provider->name);
    if (tools.p)
        mcti_buf_printf(to, "It names tools (allowed-tools: %.*s); nothing is permitted by that.\n",
                        MCT_STR_ARG(tools));
    for (size_t i = 0; i < s->n_files; i++)
        if (!mcti_str_eq(s->files[i].uri, s->uri))
            mcti_buf_printf(to, "File: %.*s (%llu bytes)\n", MCT_STR_ARG(s->files[i].uri),
                            (unsigned long long)s->files[i].size);
    mcti_buf_addc(to, '\n');
}

static void skill_tool_answer_body(struct skill_tool *t)
{
    struct mcti_str yaml, body = mcti_buf_str(&t->load.bytes);
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_frontmatter_split(body, &yaml, &body, NULL);
    skill_tool_put_head(&b, t);
    mcti_buf_add(&b, body);
    if (!t->is_prompt) {
        mcti_dialect_answer(t->call, &b);
        return;
    }
    struct mcti_local_request *request = t->call->request;
    mcti_dialect_call_done(t->call);
    mcti_local_prompt_str(request, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Answers with a file: as text, or as an embedded resource if it is none. */
static void skill_tool_answer_file(struct skill_tool *t)
{
    struct mcti_str bytes = mcti_buf_str(&t->load.bytes);
    struct mcti_buf b, base64;
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    if (mcti_utf8_valid(bytes)) {
        mcti_buf_add(&b, bytes);
        mcti_dialect_answer(t->call, &b);
        return;
    }
    mcti_buf_init(&base64, 2 * MCT_LIMIT_SKILL_BYTES);
    mcti_base64_put(&base64, bytes);
    mcti_buf_addz(&b, "[{\"type\":\"resource\",\"resource\":{");
    mcti_json_put_member(&b, "uri", t->search.uri);
    mcti_json_put_member(&b, "blob", mcti_buf_str(&base64));
    mcti_buf_addz(&b, "}}]");
    b.failed |= !mcti_buf_ok(&base64);
    mcti_buf_done(&base64);
    mcti_dialect_answer_blocks(t->call, &b);
}

static void skill_tool_on_loaded(struct mcti_skill_load *l)
{
    struct skill_tool *t = l->data;
    if (l->error.kind)
        skill_tool_fail(t, l->error.message);
    else if (t->is_body)
        skill_tool_answer_body(t);
    else
        skill_tool_answer_file(t);
}

static int skill_tool_load(struct skill_tool *t, struct mct_error *err)
{
    t->load = (struct mcti_skill_load){ .reach = &t->call->reach,
                                        .provider = t->search.provider,
                                        .skill = &t->search.skill,
                                        .uri = t->is_body ? t->search.skill.uri : t->search.uri,
                                        .deadline_ms = t->call->set->opts.read_ms,
                                        .done = skill_tool_on_loaded,
                                        .data = t };
    return mcti_skill_load_start(&t->load, err);
}

static void skill_tool_on_found(struct mcti_skill_search *s)
{
    struct skill_tool *t = s->data;
    struct mct_error err = s->error;
    if (s->provider && skill_tool_load(t, &err) == 0)
        return;
    skill_tool_fail(t, err.message);
}

static struct skill_tool *skill_tool_new(struct mcti_dialect_call *c)
{
    struct skill_tool *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->call = c;
    mcti_local_set_side(c->request, t, skill_tool_free);
    return t;
}

static void skill_tool_search(struct skill_tool *t)
{
    struct mcti_dialect_call *c = t->call;
    struct mct_error err;
    t->search = (struct mcti_skill_search){ .reach = &c->reach,
                                            .only = c->server,
                                            .uri = mcti_str_of(c->uri),
                                            .list_ms = c->set->opts.list_ms,
                                            .read_ms = c->set->opts.read_ms,
                                            .done = skill_tool_on_found,
                                            .data = t };
    if (mcti_skill_search_start(&t->search, &err) < 0)
        skill_tool_fail(t, err.message);
}

static void skill_tool_start(struct mcti_dialect_call *c, bool is_body)
{
    c->uri = mcti_dialect_trimmed(c, "uri");
    if (!skill_tool_take_server(c))
        return;
    struct skill_tool *t = c->uri ? skill_tool_new(c) : NULL;
    if (!t) {
        mcti_dialect_refuse(c, MCT_NO_MEMORY_TEXT);
        return;
    }
    t->is_body = is_body;
    skill_tool_search(t);
}

static void skill_tool_run_load(struct mcti_dialect_call *c)
{
    skill_tool_start(c, true);
}

static void skill_tool_run_read(struct mcti_dialect_call *c)
{
    skill_tool_start(c, false);
}

static void skill_tool_check_uri(const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    if (!mcti_dialect_has_words(c, "uri"))
        mcti_buf_addz(refusal, "\"uri\" (string) is required");
}

/* ---- the prompt ---- */

/* Keeps the skill with the name if it is the only one. Returns how many there are. */
static size_t skill_tool_find_name(struct skill_tool *t, struct mcti_str name)
{
    const struct mcti_listing *l = &t->call->listing;
    struct mcti_skill skill;
    struct mcti_str entry;
    size_t n = 0;
    for (size_t i = 0; i < l->n_parts; i++) {
        struct mcti_json_iter it = mcti_listing_items(&l->parts[i]);
        while (mcti_json_next_item(&it, &entry)) {
            bool is = mcti_skill_open(entry, &skill, NULL) == 0 && mcti_str_eq(skill.name, name);
            if (!is || n++) {
                mcti_skill_done(&skill);
                continue;
            }
            t->search.provider = l->parts[i].provider;
            t->search.skill = skill;
        }
    }
    return n;
}

static void skill_tool_on_named(struct mcti_dialect_call *c)
{
    struct skill_tool *t = mcti_local_side(c->request);
    struct mct_error err;
    size_t n = skill_tool_find_name(t, mcti_str_of(c->uri));
    if (!n)
        mcti_fail(&err, MCT_ERR_NOT_FOUND, "no server lists the skill %s", c->uri);
    else if (n > 1)
        mcti_fail(&err, MCT_ERR_NOT_FOUND, "several skills have the name %s; name the server, or use the URI", c->uri);
    if (n != 1 || skill_tool_load(t, &err) < 0)
        skill_tool_fail(t, err.message);
}

static void skill_tool_run_prompt(struct mcti_dialect_call *c)
{
    struct skill_tool *t = skill_tool_new(c);
    if (!t) {
        mcti_local_fail(c->request, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
        return;
    }
    t->is_prompt = t->is_body = true;
    c->name = mcti_dialect_trimmed(c, "server");
    c->uri = mcti_dialect_trimmed(c, "skill");
    if (!c->uri) {
        skill_tool_fail(t, "the argument \"skill\" is required");
    } else if (!mcti_dialect_find_server(c)) {
        skill_tool_fail(t, "unknown server");
    } else if (strchr(c->uri, ':')) {
        skill_tool_search(t);
    } else {
        c->listing.of = &mcti_skills_list;
        mcti_dialect_list(c, MCT_RESOURCE, c->server, skill_tool_on_named);
    }
}

static const struct mcti_dialect_tool tools[] = {
    { .json = list_json, .run = skill_tool_run_list },
    { .json = load_json, .run = skill_tool_run_load, .check = skill_tool_check_uri },
    { .json = read_json, .run = skill_tool_run_read, .check = skill_tool_check_uri },
};
const struct mcti_dialect mcti_dialect_skills = {
    .name = "skills", .tools = tools, .n_tools = 3, .prompt = prompt_json, .run_prompt = skill_tool_run_prompt
};
