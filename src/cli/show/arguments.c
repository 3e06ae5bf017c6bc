/* The names of arguments: which ones a tool knows, and which ones it needs. */
#include "cli/show/signature.h"

#include "base/log/names.h"
#include "base/log/near.h"
#include "json/scan.h"

#include <stdlib.h>

/* `name` is a string value. */
static bool has_member(struct mcti_str object, struct mcti_str name)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        if (mcti_json_same_text(mcti_json_key_value(m.key), name))
            return true;
    return false;
}

/* Returns the first key that is no property, as a string value; absent: there is none. */
static struct mcti_str unknown_name(struct mcti_str arguments, struct mcti_str properties)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(arguments); mcti_json_next_member(&it, &m);)
        if (!has_member(properties, mcti_json_key_value(m.key)))
            return mcti_json_key_value(m.key);
    return MCT_STR_NONE;
}

/* Returns the first required name that is not given, as a string value; absent: there is none. */
static struct mcti_str missing_name(struct mcti_str arguments, struct mcti_str schema)
{
    struct mcti_str item;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(schema, "required"));
    while (mcti_json_next_item(&it, &item))
        if (mcti_json_type(item) == '"' && !has_member(arguments, item))
            return item;
    return MCT_STR_NONE;
}

/* Looks for a property that is not given and has nearly this name. */
static void near_property(struct mcti_near *near, struct mcti_str arguments, struct mcti_str schema)
{
    struct mcti_signature s;
    for (mcti_signature_open(&s, schema); mcti_signature_next(&s);)
        if (!has_member(arguments, mcti_json_key_value(s.key)))
            mcti_near_try(near, mcti_buf_str(&s.name));
    mcti_signature_done(&s);
}

/* Appends the arguments of the tool to the message. Returns -1. */
static int add_signature(struct mct_error *err, struct mcti_str schema)
{
    struct mcti_names names = { .err = err, .between = " " };
    struct mcti_signature s;
    struct mcti_buf word;
    size_t n = strlen(err->message);
    snprintf(err->message + n, sizeof err->message - n,
             "%s: ", err->message[n - 1] == '?' ? " Arguments" : "; arguments");
    mcti_buf_init(&word, 1u << 20);
    for (mcti_signature_open(&s, schema); mcti_signature_next(&s); mcti_buf_clear(&word)) {
        mcti_signature_put_one(&word, &s);
        mcti_names_add(&names, mcti_buf_str(&word));
    }
    if (!names.n)
        mcti_names_add(&names, MCT_STR("none"));
    mcti_signature_done(&s);
    mcti_buf_done(&word);
    return mcti_names_end(&names);
}

int mcti_arguments_check(struct mcti_str arguments, struct mcti_str schema, const char *tool, struct mct_error *err)
{
    struct mcti_str properties = mcti_json_get(schema, "properties");
    struct mcti_str unknown = unknown_name(arguments, properties), missing = missing_name(arguments, schema);
    struct mcti_near near = { 0 };
    struct mcti_buf name;
    char hint[MCT_NEAR_HINT_BYTES];
    bool is_closed = mcti_json_type(mcti_json_get(schema, "additionalProperties")) == 'f' &&
                     !mcti_json_get(schema, "patternProperties").p;
    mcti_buf_init(&name, 1u << 20);
    mcti_json_unescape_any(unknown.p ? unknown : missing, &name); /* an unknown one besides a missing one is wrong */
    near.word = mcti_buf_str(&name);
    if (unknown.p)
        near_property(&near, arguments, schema);
    bool is_wrong = unknown.p && (is_closed || missing.p || *near.best);
    if (is_wrong)
        mcti_fail(err, MCT_ERR_USAGE, "%s has no argument '%.*s'%s", tool, MCT_STR_ARG(near.word),
                  mcti_near_hint(&near, hint));
    else if (missing.p)
        mcti_fail(err, MCT_ERR_USAGE, "%s needs the argument '%.*s'", tool, MCT_STR_ARG(near.word));
    mcti_buf_done(&name);
    return is_wrong || missing.p ? add_signature(err, schema) : 0;
}
