/* serve.tokens: who the clients are, as the operator says. */
#include "config/read_impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

#define T(member) offsetof(struct token_entry, member)

enum { NAME_MAX_BYTES = 64 };

/* A token as it is read. */
struct token_entry {
    struct mcti_credential credential;
    struct mcti_config_rules rules;
    bool owner;
};

static const struct mcti_config_field token_fields[] = {
    { "token", STRING, T(credential.token), NULL, NULL, 0, 0 },
    { "name", STRING, T(credential.name), NULL, NULL, 0, 0 },
    { "read_only", BOOL, T(credential.prefs.read_only), NULL, NULL, 0, 0 },
    { "mode", MODE, T(credential.prefs.mode), NULL, NULL, 0, 0 },
    { "dialects", DIALECTS, T(credential.prefs), NULL, NULL, 0, 0 },
    { "owner", BOOL, T(owner), NULL, NULL, 0, 0 },
    { "allow", STRINGS, T(rules.allow), NULL, NULL, 0, 0 },
    { "deny", STRINGS, T(rules.deny), NULL, NULL, 0, 0 },
    { "profile", STRING, T(rules.profile), NULL, NULL, 0, 0 },
    { "also_allow", STRINGS, T(rules.also_allow), NULL, NULL, 0, 0 },
    { "provider", STRING, T(rules.provider), NULL, NULL, 0, 0 },
    { 0 },
};

/* An empty row at the end, good until the next one is added. NULL when out of memory. */
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

/* Names the last one, if nobody has, and says what is wrong with it. NULL: nothing is. */
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
        return "variables are not replaced here: \"token\" must be the token itself";
    if (mcti_str_trim(mcti_str_of(last->token)).len != strlen(last->token) || strpbrk(last->token, "\r\n"))
        return "no client can send a \"token\" that begins or ends with a blank, or has line breaks in it";
    if (!tokens_is_name(last->name))
        return "\"name\" must be 1 to 64 letters, digits, _ . or -, and not \"local\"";
    if (c->n_tokens > MCT_LIMIT_TOKENS)
        return "there are too many tokens";
    for (const struct mcti_credential *t = c->tokens; t < last; t++) {
        if (t->name && !strcmp(t->name, last->name))
            return "this \"name\" is there twice, and clients would not be told apart";
        if (t->token && !strcmp(t->token, last->token))
            return "this \"token\" is there twice, and it would not be clear whose it is";
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
        mcti_config_read_object(at, item, token_fields, &entry);
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
