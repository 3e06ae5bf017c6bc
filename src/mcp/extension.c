#include "mcp/extension.h"

#include "json/edit.h"

/* Extensions of one connection: they say how the client authenticates. */
static const char *const of_hop[] = {
    "io.modelcontextprotocol/oauth-client-credentials",
    "io.modelcontextprotocol/enterprise-managed-authorization",
    "io.modelcontextprotocol/auth/dpop",
    "io.modelcontextprotocol/auth/wif",
};

/* Extensions that add members to tools, resources and results, but no methods. */
static const char *const members_only[] = { "io.modelcontextprotocol/ui" };

const char *mcti_extension_of_members(size_t i)
{
    return i < sizeof members_only / sizeof *members_only ? members_only[i] : NULL;
}

bool mcti_extension_crosses(struct mcti_str key, enum mcti_extensions which)
{
    bool known = false, here = mcti_json_key_is(key, MCT_TASKS_ID);
    for (size_t i = 0; i < sizeof of_hop / sizeof *of_hop; i++)
        here |= mcti_json_key_is(key, of_hop[i]);
    for (size_t i = 0; i < sizeof members_only / sizeof *members_only; i++)
        known |= mcti_json_key_is(key, members_only[i]);
    bool members = which == MCT_EXTENSIONS_MEMBERS || which == MCT_EXTENSIONS_DECLARED;
    return members ? known : which == MCT_EXTENSIONS_SINGLE && !here;
}

/* Returns whether the object `extensions` has this member; both keys as written. */
static bool has_extension(struct mcti_str extensions, struct mcti_str key)
{
    struct mcti_json_member m;
    if (mcti_json_type(extensions) == '{')
        for (struct mcti_json_iter it = mcti_json_open(extensions); mcti_json_next_member(&it, &m);)
            if (mcti_str_eq(m.key, key))
                return true;
    return false;
}

static bool is_kept(struct mcti_str key, struct mcti_extensions_kept kept)
{
    if (kept.tasks && mcti_json_key_is(key, MCT_TASKS_ID))
        return true;
    return mcti_extension_crosses(key, kept.which) ||
           (kept.which == MCT_EXTENSIONS_DECLARED && mcti_extension_crosses(key, MCT_EXTENSIONS_SINGLE) &&
            has_extension(mcti_json_get(kept.declared, "extensions"), key));
}

/* Removes the members of the object `extensions` that are not kept. */
static void leave_out(struct mcti_json_edit *e, struct mcti_str extensions, struct mcti_extensions_kept kept)
{
    struct mcti_json_edit_members m = mcti_json_edit_members(extensions);
    while (mcti_json_edit_next(e, &m))
        if (!is_kept(m.now.key, kept))
            mcti_json_edit_leave_out(e, &m);
}

struct mcti_str mcti_extensions_undeclare(struct mcti_str capabilities, struct mcti_extensions_kept kept,
                                          struct mcti_buf *scratch)
{
    struct mcti_json_edit e = mcti_json_edit_open(scratch, capabilities);
    struct mcti_json_edit_members m = mcti_json_edit_members(capabilities);
    mcti_buf_clear(scratch);
    while (mcti_json_edit_next(&e, &m))
        if (mcti_json_key_is(m.now.key, "extensions"))
            leave_out(&e, m.now.value, kept);
        else if (kept.which != MCT_EXTENSIONS_SINGLE && mcti_json_key_is(m.now.key, "experimental"))
            mcti_json_edit_leave_out(&e, &m);
    if (e.at == capabilities.p)
        return capabilities;
    mcti_json_edit_close(&e, capabilities);
    return mcti_buf_str(scratch);
}

static bool declares_any(struct mcti_str object)
{
    struct mcti_json_iter it;
    struct mcti_json_member m;
    if (mcti_json_type(object) != '{')
        return false;
    it = mcti_json_open(object);
    return mcti_json_next_member(&it, &m);
}

/* Begins the next member of "extensions"; `n` counts them. */
static void extension_begin(struct mcti_buf *to, unsigned *n)
{
    if (!*n)
        mcti_json_put_key(to, "extensions");
    mcti_buf_addc(to, (*n)++ ? ',' : '{');
}

void mcti_extensions_put(struct mcti_buf *to, struct mcti_str capabilities, enum mcti_extensions which)
{
    mcti_extensions_put_with(to, capabilities, which, (const char *const[]){ NULL });
}

void mcti_extensions_put_with(struct mcti_buf *to, struct mcti_str capabilities, enum mcti_extensions which,
                              const char *const *own)
{
    struct mcti_str extensions = mcti_json_get(capabilities, "extensions");
    struct mcti_str experimental = mcti_json_get(capabilities, "experimental");
    struct mcti_json_member m;
    unsigned n = 0;
    if (mcti_json_type(extensions) != '{')
        extensions = MCT_STR("{}");
    for (struct mcti_json_iter it = mcti_json_open(extensions); mcti_json_next_member(&it, &m);) {
        if (!mcti_extension_crosses(m.key, which))
            continue;
        extension_begin(to, &n);
        mcti_buf_add(to, mcti_json_key_value(m.key));
        mcti_buf_addc(to, ':');
        mcti_buf_add(to, m.value);
    }
    for (; *own; own++) {
        extension_begin(to, &n);
        mcti_buf_printf(to, "\"%s\":{}", *own);
    }
    if (n)
        mcti_buf_addc(to, '}');
    if (which == MCT_EXTENSIONS_SINGLE && declares_any(experimental))
        mcti_json_put_raw(to, "experimental", experimental);
}

bool mcti_extensions_bring_results(struct mcti_str capabilities)
{
    struct mcti_str extensions = mcti_json_get(capabilities, "extensions");
    struct mcti_json_member m;
    if (mcti_json_type(extensions) == '{')
        for (struct mcti_json_iter it = mcti_json_open(extensions); mcti_json_next_member(&it, &m);)
            if (mcti_extension_crosses(m.key, MCT_EXTENSIONS_SINGLE) &&
                !mcti_extension_crosses(m.key, MCT_EXTENSIONS_MEMBERS))
                return true;
    return false;
}

bool mcti_extensions_put_lacking(struct mcti_buf *to, struct mcti_str error)
{
    struct mcti_str needs = mcti_json_get(mcti_json_get(error, "data"), "requiredCapabilities");
    struct mcti_str extensions = mcti_json_get(needs, "extensions");
    struct mcti_json_member m;
    unsigned n = 0;
    if (mcti_json_type(extensions) == '{')
        for (struct mcti_json_iter it = mcti_json_open(extensions); mcti_json_next_member(&it, &m);) {
            mcti_buf_addz(to, n++ ? ", " : "");
            mcti_json_unescape_any(mcti_json_key_value(m.key), to);
        }
    return n;
}

/* ---- tasks ---- */

bool mcti_tasks_declared(struct mcti_str capabilities)
{
    return mcti_json_type(mcti_json_get(mcti_json_get(capabilities, "extensions"), MCT_TASKS_ID)) == '{';
}

bool mcti_tasks_offered_2025(struct mcti_str capabilities)
{
    struct mcti_str requests = mcti_json_get(mcti_json_get(capabilities, "tasks"), "requests");
    return mcti_json_type(mcti_json_get(mcti_json_get(requests, "tools"), "call")) == '{';
}

void mcti_tasks_declare(struct mcti_buf *to, struct mcti_str capabilities)
{
    struct mcti_buf b;
    struct mcti_str extensions = mcti_json_get(capabilities, "extensions");
    const struct mcti_json_set tasks = { MCT_TASKS_ID, MCT_STR("{}") };
    mcti_buf_init(&b, extensions.len + 64);
    mcti_json_put_object(&b, mcti_json_type(extensions) == '{' ? extensions : MCT_STR_NONE, &tasks, 1);
    const struct mcti_json_set all = { "extensions", mcti_buf_str(&b) };
    mcti_json_put_object(to, capabilities, &all, 1);
    to->failed |= !mcti_buf_ok(&b);
    mcti_buf_done(&b);
}
