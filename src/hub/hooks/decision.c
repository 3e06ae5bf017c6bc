/* Reads the decision of a hook, in one format for C, plugins and programs (docs/HOOKS.md). */
#include "hub/hooks/hooks_impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"

/* A member of a decision or of its requireApproval, and its type. null counts as absent. */
struct member {
    const char *key;
    char type;      /* as mcti_json_type() returns it; 't': a boolean */
    unsigned kinds; /* kinds of hooks that may use it, as bits 1 << kind */
    size_t offset;  /* offset of its span in struct mcti_hook_decision */
};

enum { BEFORE = 1u << MCT_HOOK_BEFORE, PERSIST = 1u << MCT_HOOK_PERSIST };

#define AT(field) offsetof(struct mcti_hook_decision, field)

static const struct member members[] = {
    { "params", '{', BEFORE, AT(params) },      { "block", 't', BEFORE, AT(block) },
    { "blockReason", '"', BEFORE, AT(reason) }, { "requireApproval", '{', BEFORE, AT(approval) },
    { "result", '{', PERSIST, AT(result) },
};

static const struct member approval_members[] = {
    { "id", '"', 0, 0 },
    { "pluginId", '"', 0, 0 },
    { "title", '"', 0, 0 },
    { "description", '"', 0, 0 },
    { "severity", '"', 0, 0 },
    { "timeoutMs", '0', 0, 0 },
    { "allowedDecisions", '[', 0, 0 },
};

/* Results of mcti_json_type(). */
static const struct {
    char type;
    const char *word;
} types[] = {
    { '{', "an object" }, { '[', "a list" }, { '"', "a string" }, { '0', "a number" }, { 't', "true or false" }
};

enum { SHOWN_BYTES = 40 };

static int decision_refuse(struct mct_error *err, const char *in, const struct member *row, struct mcti_str value)
{
    size_t i = 0, n;
    struct mcti_str head = mcti_utf8_head(value, SHOWN_BYTES, &n);
    while (types[i].type != row->type)
        i++;
    return mcti_fail(err, MCT_ERR_PROTOCOL, "\"%s%s\" must be %s, not %.*s%s", in, row->key, types[i].word,
                     MCT_STR_ARG(head), head.len < value.len ? "…" : "");
}

static void note_unknown(struct mcti_hook_decision *ret, const char *in, struct mcti_str key)
{
    if (ret->unknown.p)
        return;
    ret->unknown = key;
    ret->unknown_in = in;
}

static bool decision_is(struct mcti_str value, char type)
{
    char has = mcti_json_type(value);
    return has == type || (type == 't' && has == 'f');
}

static const struct member *decision_find(const struct member *table, size_t n, struct mcti_str key)
{
    for (size_t i = 0; i < n; i++)
        if (mcti_json_key_is(key, table[i].key))
            return &table[i];
    return NULL;
}

static int check_approval(struct mcti_hook_decision *d, struct mct_error *err)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(d->approval); mcti_json_next_member(&it, &m);) {
        const struct member *row =
            decision_find(approval_members, sizeof approval_members / sizeof *approval_members, m.key);
        if (!row)
            note_unknown(d, "requireApproval.", m.key);
        else if (mcti_json_type(m.value) != 'n' && !decision_is(m.value, row->type))
            return decision_refuse(err, "requireApproval.", row, m.value);
    }
    return 0;
}

/* Reads one member. Returns 1 if it is known, 0 if not; on failure returns -1 and sets *err. */
static int read_member(enum mct_hook_kind kind, const struct mcti_json_member *m, struct mcti_hook_decision *ret,
                       struct mct_error *err)
{
    const struct member *row = decision_find(members, sizeof members / sizeof *members, m->key);
    if (!row || !(row->kinds & 1u << kind)) {
        note_unknown(ret, "", m->key);
        return 0;
    }
    if (mcti_json_type(m->value) == 'n')
        return 1;
    if (!decision_is(m->value, row->type))
        return decision_refuse(err, "", row, m->value);
    *(struct mcti_str *)(void *)((char *)ret + row->offset) = m->value;
    return 1;
}

/* Reads the members. Returns 1 if any is known, 0 if none is; on failure returns -1 and sets *err. */
static int decision_read_members(enum mct_hook_kind kind, struct mcti_str object, struct mcti_hook_decision *ret,
                                 struct mct_error *err)
{
    struct mcti_json_member m;
    int any = 0;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);) {
        int r = read_member(kind, &m, ret, err);
        if (r < 0)
            return -1;
        any |= r;
    }
    return any;
}

int mcti_hook_decision_read(enum mct_hook_kind kind, struct mcti_str text, struct mcti_hook_decision *ret,
                            struct mct_error *err)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    *ret = (struct mcti_hook_decision){ 0 };
    if (!text.p)
        return 0;
    if (text.len > MCT_LIMIT_DECISION_BYTES)
        return mcti_fail(err, MCT_ERR_LIMIT, "the decision has more than %u bytes", MCT_LIMIT_DECISION_BYTES);
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the decision is not valid JSON at byte %zu: %s", fault.offset,
                         fault.why);
    if (mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the decision is not a JSON object");
    int r = decision_read_members(kind, top.value, ret, err);
    if (r < 0)
        return -1;
    if (r == 0 && kind == MCT_HOOK_BEFORE && ret->unknown.p) /* a misspelt decision must not let the call pass */
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the decision has no known member: unknown member \"%.*s\"",
                         ret->unknown.len < 100 ? (int)ret->unknown.len : 100, ret->unknown.p);
    if (ret->result.p && mcti_json_type(mcti_json_get(ret->result, "content")) != '[')
        return mcti_fail(err, MCT_ERR_PROTOCOL,
                         "\"result\" is not a CallToolResult: it must be an object with a list \"content\"");
    return check_approval(ret, err);
}
