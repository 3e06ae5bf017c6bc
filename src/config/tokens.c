/* "serve.tokens": reads the tokens of clients. */
#include "config/read_impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

#define OWNER struct token_entry

enum { NAME_MAX_BYTES = 64 };

/* A token being read. */
struct token_entry {
    struct mcti_credential credential;
    struct mcti_config_rules rules;
    bool owner;
};

const struct mcti_config_field mcti_config_token_fields[] = {
    FIELD_STRING("token", credential.token, "The token itself; variables are not expanded."),
    FIELD_STRING("name", credential.name,
                 "Name of the client in logs and for `isolation`: 1 to 64 letters, digits, `_`, `.` or `-`.",
                 .preset = "`token-1`, `token-2`, …"),
    FIELD_BOOL("read_only", credential.prefs.read_only, "`true` refuses every tool that may change something."),
    FIELD_ENUM("mode", credential.prefs.mode, mcti_mode_words, "As `serve.mode`, for this client.",
               .preset = "`serve.mode`"),
    FIELD_ENUM("schemas", credential.prefs.schemas, mcti_schemas_words, "As `serve.schemas`, for this client.",
               .preset = "`serve.schemas`"),
    FIELD_DIALECTS("dialects", credential.prefs, "As `serve.dialects`, for this client.", .preset = "`serve.dialects`"),
    FIELD_BOOL("owner", owner, "`true` makes the client an owner, who may use the tools of `policy.owner_only`."),
    FIELD_STRINGS("allow", rules.allow,
                  "Tools that pass, of those that `policy` lets pass. If absent or empty, all of them pass."),
    FIELD_STRINGS("deny", rules.deny, "Tools that are removed, even if `allow` names them."),
    FIELD_STRING("profile", rules.profile, "One of `policy.profiles`, or `full`."),
    FIELD_STRINGS("also_allow", rules.also_allow, "Tools that pass in addition to those in `allow` of the profile."),
    FIELD_STRING("provider", rules.provider, "The client's model provider, instead of `policy.provider`.",
                 .preset = "`policy.provider`"),
    { 0 },
};

/* Adds an empty token, which is valid until the next one is added. Returns NULL when out of memory. */
static struct mcti_credential *add_token(struct mcti_config *c)
{
    struct mcti_credential *v = realloc(c->tokens, (c->n_tokens + 1) * sizeof *v);
    if (!v)
        return NULL;
    c->tokens = v;
    v[c->n_tokens] = (struct mcti_credential){ .prefs.ruled.stranger = true };
    if (!mcti_config_add_rules(&c->token_rules))
        return NULL;
    return &v[c->n_tokens++];
}

void mcti_config_clear_tokens(struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_tokens; i++) {
        free(c->tokens[i].token);
        free(c->tokens[i].name);
    }
    mcti_config_clear_rule_sets(&c->token_rules);
    free(c->tokens);
    c->tokens = NULL;
    c->n_tokens = 0;
}

static bool tokens_is_name(const char *name)
{
    static const char fine[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    size_t n = strlen(name);
    return n && n <= NAME_MAX_BYTES && strspn(name, fine) == n && strcmp(name, "local") != 0;
}

/* Gives the last token a name if it has none. Returns the mistake in it, or NULL. */
static const char *token_mistake(struct mcti_config *c)
{
    struct mcti_credential *last = &c->tokens[c->n_tokens - 1];
    char number[32];
    snprintf(number, sizeof number, "token-%zu", c->n_tokens);
    if (!last->name)
        last->name = strdup(number);
    if (!last->name)
        return MCT_NO_MEMORY_TEXT;
    if (!last->token || !last->token[0])
        return "needs a \"token\" that is not empty";
    if (strstr(last->token, "${"))
        return "variables are not expanded here; write the token itself";
    if (mcti_str_trim(mcti_str_of(last->token)).len != strlen(last->token) || strpbrk(last->token, "\r\n"))
        return "\"token\" must not begin or end with white space or contain line breaks; no client can send that";
    if (!tokens_is_name(last->name))
        return "\"name\" must be 1 to 64 letters, digits, _ . or -, and not \"local\"";
    if (c->n_tokens > MCT_LIMIT_TOKENS)
        return "too many tokens";
    for (const struct mcti_credential *t = c->tokens; t < last; t++) {
        if (t->name && !strcmp(t->name, last->name))
            return "duplicate \"name\"; give each token a name of its own";
        if (t->token && !strcmp(t->token, last->token))
            return "duplicate \"token\"; each token belongs to one client";
    }
    return NULL;
}

static void read_token(struct mcti_config_place *at, struct mcti_str item)
{
    const struct mcti_json_member here = { { item.p, 0 }, item };
    struct mcti_credential *t = add_token(at->config);
    struct token_entry entry = { .credential = t ? *t : (struct mcti_credential){ 0 } };
    const char *what = "must be a string or an object";
    if (!t)
        return mcti_config_mistake(at, here, true, MCT_NO_MEMORY_TEXT);
    bool fine = mcti_json_type(item) == '{' || (entry.credential.token = mcti_json_dup(item));
    if (mcti_json_type(item) == '{')
        mcti_config_read_object(at, item, mcti_config_token_fields, &entry);
    entry.credential.prefs.ruled.stranger = !entry.owner;
    *t = entry.credential;
    at->config->token_rules.v[at->config->n_tokens - 1] = entry.rules;
    if (fine)
        what = token_mistake(at->config);
    if (what)
        mcti_config_mistake(at, here, true, what);
}

void mcti_config_read_tokens(struct mcti_config_place *at, struct mcti_str list)
{
    mcti_config_read_items(at, list, read_token);
}
