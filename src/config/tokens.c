/* serve.tokens: who the clients are, as the operator says. */
#include "config/config.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_MAX_BYTES = 64 };

struct mct_credential *mct_config_add_token(struct mct_config *c)
{
    struct mct_credential *v = realloc(c->tokens, (c->n_tokens + 1) * sizeof *v);
    if (!v)
        return NULL;
    c->tokens = v;
    v[c->n_tokens] = (struct mct_credential){ .prefs.ruled.stranger = true };
    if (!mct_config_add_rules(&c->token_rules))
        return NULL;
    return &v[c->n_tokens++];
}

void mct_config_clear_tokens(struct mct_config *c)
{
    for (size_t i = 0; i < c->n_tokens; i++) {
        free(c->tokens[i].token);
        free(c->tokens[i].name);
    }
    mct_config_clear_rule_sets(&c->token_rules);
    free(c->tokens);
    c->tokens = NULL;
    c->n_tokens = 0;
}

static bool is_name(const char *name)
{
    static const char fine[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    size_t n = strlen(name);
    return n && n <= NAME_MAX_BYTES && strspn(name, fine) == n && strcmp(name, "local") != 0;
}

const char *mct_config_check_token(struct mct_config *c)
{
    struct mct_credential *last = &c->tokens[c->n_tokens - 1];
    char number[32];
    snprintf(number, sizeof number, "token-%zu", c->n_tokens);
    if (!last->name)
        last->name = strdup(number);
    if (!last->name)
        return "out of memory";
    if (!last->token || !last->token[0])
        return "needs a \"token\" that is not empty";
    if (strstr(last->token, "${"))
        return "variables are not replaced here: \"token\" must be the token itself";
    if (mct_str_trim(mct_str_of(last->token)).len != strlen(last->token) || strpbrk(last->token, "\r\n"))
        return "no client can send a \"token\" that begins or ends with a blank, or has line breaks in it";
    if (!is_name(last->name))
        return "\"name\" must be 1 to 64 letters, digits, _ . or -, and not \"local\"";
    if (c->n_tokens > MCT_LIMIT_TOKENS)
        return "there are too many tokens";
    for (const struct mct_credential *t = c->tokens; t < last; t++) {
        if (t->name && !strcmp(t->name, last->name))
            return "this \"name\" is there twice, and clients would not be told apart";
        if (t->token && !strcmp(t->token, last->token))
            return "this \"token\" is there twice, and it would not be clear whose it is";
    }
    return NULL;
}
