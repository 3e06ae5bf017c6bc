#include "mcp/elicit.h"

#include "schema/schema.h"

static struct mcti_str unquoted_get(struct mcti_str object, struct mcti_str raw_key)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        if (mcti_str_eq(m.key, raw_key))
            return m.value;
    return MCT_STR_NONE;
}

void mcti_elicit_put_accept(struct mcti_buf *to, struct mcti_str params, struct mcti_str content)
{
    struct mcti_json_member m;
    struct mcti_str fields = mcti_json_get(mcti_json_get(params, "requestedSchema"), "properties");
    mcti_buf_addz(to, "{\"action\":\"accept\",\"content\":{");
    const char *sep = "";
    for (struct mcti_json_iter it = mcti_json_open(content); mcti_json_next_member(&it, &m); sep = ",") {
        mcti_buf_printf(to, "%s\"", sep);
        mcti_buf_add(to, m.key);
        mcti_buf_addz(to, "\":");
        mcti_buf_add(to, m.value);
    }
    for (struct mcti_json_iter it = mcti_json_open(fields); mcti_json_next_member(&it, &m);) {
        struct mcti_str value = mcti_json_get(m.value, "default");
        if (!value.p || unquoted_get(content, m.key).p)
            continue;
        mcti_buf_printf(to, "%s\"", sep);
        mcti_buf_add(to, m.key);
        mcti_buf_addz(to, "\":");
        mcti_buf_add(to, value);
        sep = ",";
    }
    mcti_buf_addz(to, "}}");
}

int mcti_elicit_check(struct mcti_str params, struct mcti_str content, struct mct_error *err)
{
    struct mcti_schema_fault fault;
    switch (mcti_schema_check(mcti_json_get(params, "requestedSchema"), content, &fault)) {
    case MCT_SCHEMA_INVALID:
        return mcti_fail(err, MCT_ERR_USAGE, "%s%s%s", fault.where, fault.where[0] ? " " : "it ", fault.why);
    case MCT_SCHEMA_UNUSABLE:
    case MCT_SCHEMA_VALID:
        break; /* nothing can be checked with an unusable schema */
    }
    return 0;
}
