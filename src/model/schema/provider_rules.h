/*
 * What model providers accept: the published limits of each, in one table. The formats of arrays (model/array.h) and
 * the schema profiles (profile.h) refer to its rows. tests/interop/provider-rules.mjs checks arrays against the same
 * rules on its own.
 */
#ifndef MCT_MODEL_SCHEMA_PROVIDER_RULES_H
#define MCT_MODEL_SCHEMA_PROVIDER_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* Names of properties that a provider accepts. */
enum mcti_key_form {
    MCT_KEYS_ANY,
    MCT_KEYS_DOTTED,     /* ^[a-zA-Z0-9_.-]{1,64}$ */
    MCT_KEYS_IDENTIFIER, /* ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$ */
};

struct mcti_provider_rules {
    size_t max_name;         /* of a tool, in bytes; 0: no limit */
    bool letter_first;       /* the name of a tool begins with a letter or '_' */
    size_t max_description;  /* of a tool, in UTF-16 code units; 0: no published limit */
    size_t max_tools;        /* in one request; 0: no published limit */
    enum mcti_key_form keys; /* of properties in schemas */
    bool no_blank_text;      /* a text block of white space only is an error, and so is an error without content */
    size_t max_image;        /* characters of base64 in one image; 0: results cannot contain images */
    unsigned max_image_side; /* pixels; 0: no published limit */
};

extern const struct mcti_provider_rules mcti_rules_openai, mcti_rules_responses, mcti_rules_anthropic,
    mcti_rules_gemini, mcti_rules_xai, mcti_rules_deepseek, mcti_rules_llamacpp, mcti_rules_mcp;

#endif
