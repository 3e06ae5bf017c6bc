#include "mcp/elicit.h"

#include "schema/schema.h"

static struct mct_str unquoted_get(struct mct_str object, struct mct_str raw_key)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(object); mct_json_next_member(&it, &m);)
        if (mct_str_eq(m.key, raw_key))
            return m.value;
    return MCT_STR_NONE;
}

void mct_elicit_put_accept(struct mct_buf *to, struct mct_str params, struct mct_str content)
{
    struct mct_json_member m;
    struct mct_str fields = mct_json_get(mct_json_get(params, "requestedSchema"), "properties");
    mct_buf_addz(to, "{\"action\":\"accept\",\"content\":{");
    const char *sep = "";
    for (struct mct_json_iter it = mct_json_open(content); mct_json_next_member(&it, &m); sep = ",") {
        mct_buf_printf(to, "%s\"", sep);
        mct_buf_add(to, m.key);
        mct_buf_addz(to, "\":");
        mct_buf_add(to, m.value);
    }
    for (struct mct_json_iter it = mct_json_open(fields); mct_json_next_member(&it, &m);) {
        struct mct_str value = mct_json_get(m.value, "default");
        if (!value.p || unquoted_get(content, m.key).p)
            continue;
        mct_buf_printf(to, "%s\"", sep);
        mct_buf_add(to, m.key);
        mct_buf_addz(to, "\":");
        mct_buf_add(to, value);
        sep = ",";
    }
    mct_buf_addz(to, "}}");
}

int mct_elicit_check(struct mct_str params, struct mct_str content, struct mct_error *err)
{
    struct mct_schema_fault fault;
    switch (mct_schema_check(mct_json_get(params, "requestedSchema"), content, &fault)) {
    case MCT_SCHEMA_INVALID:
        return mct_fail(err, MCT_ERR_USAGE, "%s%s%s", fault.where, fault.where[0] ? " " : "it ", fault.why);
    case MCT_SCHEMA_UNUSABLE:
    case MCT_SCHEMA_VALID:
        break; /* a schema nobody understands asks for nothing we could check */
    }
    return 0;
}
