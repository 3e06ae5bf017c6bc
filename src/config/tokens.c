/* "serve.tokens": reads the tokens of clients. */
#include "config/expand/expand.h"
#include "config/read_impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

#define OWNER struct token_entry

enum { NAME_MAX_BYTES = 64 };

#define CANNOT_BE_SENT                                                                                                 \
    "\"token\" must not begin or end with white space or contain line breaks; no client can send that"
#define IS_DUPLICATE "duplicate \"token\"; each token belongs to one client"

/* A token being read. */
struct token_entry {
    struct mcti_credential credential;
    struct mcti_config_rules rules;
    bool owner;
};

const struct mcti_config_field mcti_config_token_fields[] = {
    FIELD_STRING("token", credential.token, "The token. Variables are expanded when the gateway starts."),
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
    FIELD_UINT("calls_per_minute", credential.rate.per_minute, 0, 10000000,
               "As `limits.calls_per_minute`, for this client."),
    FIELD_UINT("calls_burst", credential.rate.burst, 0, 10000000, "How many of these calls may come at once.",
               .preset = "the calls of ten seconds"),
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

/* Returns true if a client can send the token, as far as it is known. */
static bool tokens_is_sendable(const char *token)
{
    return mcti_str_trim(mcti_str_of(token)).len == strlen(token) && !strpbrk(token, "\r\n");
}

/* Returns the token that has the same text and comes before the n-th one, or NULL. */
static const struct mcti_credential *token_twin(const struct mcti_config *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c->tokens[i].token && !strcmp(c->tokens[i].token, c->tokens[n].token))
            return &c->tokens[i];
    return NULL;
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
    if (!tokens_is_sendable(last->token))
        return CANNOT_BE_SENT;
    if (!tokens_is_name(last->name))
        return "\"name\" must be 1 to 64 letters, digits, _ . or -, and not \"local\"";
    if (c->n_tokens > MCT_LIMIT_TOKENS)
        return "too many tokens";
    for (const struct mcti_credential *t = c->tokens; t < last; t++) {
        if (t->name && !strcmp(t->name, last->name))
            return "duplicate \"name\"; give each token a name of its own";
    }
    return token_twin(c, c->n_tokens - 1) ? IS_DUPLICATE : NULL;
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
    if (mcti_expand_anchor(&t->token, at->file) < 0)
        mcti_config_mistake(at, here, true, MCT_NO_MEMORY_TEXT);
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

int mcti_config_expand_tokens(struct mcti_config *c, struct mct_error *err)
{
    for (size_t i = 0; i < c->n_tokens; i++) {
        struct mcti_credential *t = &c->tokens[i];
        if (!t->token || !strstr(t->token, "${"))
            continue;
        char *token = mcti_expand(t->token, err);
        if (!token)
            return mcti_error_wrap(err, "serve.tokens: '%s'", t->name);
        free(t->token);
        t->token = token;
        if (!*token || !tokens_is_sendable(token))
            return mcti_fail(err, MCT_ERR_CONFIG, "serve.tokens: '%s': %s", t->name,
                             *token ? CANNOT_BE_SENT : "the token is empty");
    }
    for (size_t i = 0; i < c->n_tokens; i++)
        if (c->tokens[i].token && token_twin(c, i))
            return mcti_fail(err, MCT_ERR_CONFIG, "serve.tokens: '%s': %s", c->tokens[i].name, IS_DUPLICATE);
    return 0;
}
