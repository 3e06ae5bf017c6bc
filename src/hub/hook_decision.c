/* What a handler says: one format for C, plugins and programs (docs/HOOKS.md). */
#include "hub/hooks_impl.h"

#include "base/limits.h"

/* A member of a decision, or of its requireApproval: what it must be. null is as if it were not there. */
struct member {
    const char *key;
    char type;     /* of mct_json_type(); 't': a boolean */
    unsigned kinds; /* bits 1 << kind: of which hooks it means something */
    size_t offset;  /* of its span in struct hook_decision */
};

enum { BEFORE = 1u << MCT_HOOK_BEFORE, PERSIST = 1u << MCT_HOOK_PERSIST };

#define AT(field) offsetof(struct hook_decision, field)

static const struct member members[] = {
    { "params", '{', BEFORE, AT(params) },
    { "block", 't', BEFORE, AT(block) },
    { "blockReason", '"', BEFORE, AT(reason) },
    { "requireApproval", '{', BEFORE, AT(approval) },
    { "result", '{', PERSIST, AT(result) },
};

static const struct member approval_members[] = {
    { "id", '"', 0, 0 }, { "title", '"', 0, 0 }, { "description", '"', 0, 0 }, { "severity", '"', 0, 0 },
    { "timeoutMs", '0', 0, 0 }, { "allowedDecisions", '[', 0, 0 },
};

static bool is(struct mct_str value, char type)
{
    char has = mct_json_type(value);
    return has == type || (type == 't' && has == 'f');
}

static const struct member *find(const struct member *table, size_t n, struct mct_str key)
{
    for (size_t i = 0; i < n; i++)
        if (mct_json_key_is(key, table[i].key))
            return &table[i];
    return NULL;
}

static int check_approval(struct mct_str approval, struct mct_error *err)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(approval); mct_json_next_member(&it, &m);) {
        const struct member *row = find(approval_members, sizeof approval_members / sizeof *approval_members, m.key);
        if (row && mct_json_type(m.value) != 'n' && !is(m.value, row->type))
            return mct_fail(err, MCT_ERR_PROTOCOL, "\"requireApproval.%s\" is not what it must be", row->key);
    }
    return 0;
}

static int read_member(enum mct_hook_kind kind, const struct mct_json_member *m, struct hook_decision *ret,
                       struct mct_error *err)
{
    const struct member *row = find(members, sizeof members / sizeof *members, m->key);
    if (!row || !(row->kinds & 1u << kind)) {
        ret->unknown = ret->unknown.p ? ret->unknown : m->key;
        return 0;
    }
    if (mct_json_type(m->value) == 'n')
        return 0;
    if (!is(m->value, row->type))
        return mct_fail(err, MCT_ERR_PROTOCOL, "\"%s\" is not what it must be", row->key);
    *(struct mct_str *)(void *)((char *)ret + row->offset) = m->value;
    return 0;
}

int hook_decision_read(enum mct_hook_kind kind, struct mct_str text, struct hook_decision *ret, struct mct_error *err)
{
    struct mct_json_fault fault;
    struct mct_json_top top;
    struct mct_json_member m;
    *ret = (struct hook_decision){ 0 };
    if (!text.p)
        return 0;
    if (text.len > MCT_LIMIT_DECISION_BYTES)
        return mct_fail(err, MCT_ERR_LIMIT, "the decision has more than %u bytes", MCT_LIMIT_DECISION_BYTES);
    if (!mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mct_fail(err, MCT_ERR_PROTOCOL, "the decision is not valid JSON at byte %zu: %s", fault.offset, fault.why);
    if (mct_json_type(top.value) != '{')
        return mct_fail(err, MCT_ERR_PROTOCOL, "the decision is no JSON object");
    for (struct mct_json_iter it = mct_json_open(top.value); mct_json_next_member(&it, &m);)
        if (read_member(kind, &m, ret, err) < 0)
            return -1;
    if (ret->result.p && mct_json_type(mct_json_get(ret->result, "content")) != '[')
        return mct_fail(err, MCT_ERR_PROTOCOL, "\"result\" is no CallToolResult: an object with a list \"content\"");
    return check_approval(ret->approval, err);
}
