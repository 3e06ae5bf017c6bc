/* The names of arguments: which ones a tool knows, and which ones it needs. */
#include "cli/show/signature.h"

#include "base/log/near.h"
#include "json/scan.h"

#include <stdlib.h>

static bool has_member(struct mcti_str object, struct mcti_str key)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        if (mcti_str_eq(m.key, key))
            return true;
    return false;
}

/* Returns the first key that is no property; absent: there is none. */
static struct mcti_str unknown_name(struct mcti_str arguments, struct mcti_str properties)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(arguments); mcti_json_next_member(&it, &m);)
        if (!has_member(properties, m.key))
            return m.key;
    return MCT_STR_NONE;
}

/* Returns the first required name that is not given; absent: there is none. */
static struct mcti_str missing_name(struct mcti_str arguments, struct mcti_str schema)
{
    struct mcti_str item, name;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(schema, "required"));
    while (mcti_json_next_item(&it, &item))
        if (mcti_json_plain(item, &name) && !has_member(arguments, name))
            return name;
    return MCT_STR_NONE;
}

/* Looks for a property that is not given and has nearly this name. */
static void near_property(struct mcti_near *near, struct mcti_str arguments, struct mcti_str properties)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(properties); mcti_json_next_member(&it, &m);)
        if (!has_member(arguments, m.key))
            mcti_near_try(near, m.key);
}

/* Appends the arguments of the tool to the message. Returns -1. */
static int add_signature(struct mct_error *err, struct mcti_str schema)
{
    struct mcti_buf text;
    size_t n = strlen(err->message);
    mcti_buf_init(&text, sizeof err->message);
    mcti_signature_put(&text, schema);
    snprintf(err->message + n, sizeof err->message - n, "%s:%.*s",
             err->message[n - 1] == '?' ? " Arguments" : "; arguments",
             MCT_STR_ARG(text.len ? mcti_buf_str(&text) : MCT_STR(" none")));
    mcti_buf_done(&text);
    return -1;
}

int mcti_arguments_check(struct mcti_str arguments, struct mcti_str schema, const char *tool, struct mct_error *err)
{
    struct mcti_str properties = mcti_json_get(schema, "properties");
    struct mcti_str unknown = unknown_name(arguments, properties), missing = missing_name(arguments, schema);
    struct mcti_near near = { .word = unknown };
    char hint[MCT_NEAR_HINT_BYTES];
    bool is_closed = mcti_json_type(mcti_json_get(schema, "additionalProperties")) == 'f' &&
                     !mcti_json_get(schema, "patternProperties").p;
    if (unknown.p)
        near_property(&near, arguments, properties);
    if (unknown.p && (is_closed || missing.p || *near.best))
        mcti_fail(err, MCT_ERR_USAGE, "%s has no argument '%.*s'%s", tool, MCT_STR_ARG(unknown),
                  mcti_near_hint(&near, hint));
    else if (missing.p)
        mcti_fail(err, MCT_ERR_USAGE, "%s needs the argument '%.*s'", tool, MCT_STR_ARG(missing));
    else
        return 0;
    return add_signature(err, schema);
}
