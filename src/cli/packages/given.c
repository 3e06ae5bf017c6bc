/* Answers that are given as options: --env, --header and --arg. */
#include "cli/packages/adding.h"

#include <stdlib.h>

/* Returns the input of this name, without the dashes in front of it; NULL if there is none. */
static struct mcti_input *given_input(struct mcti_adding *a, struct mcti_str name, int use)
{
    while (name.len && name.p[0] == '-')
        name = mcti_str_range(name.p + 1, name.p + name.len);
    for (size_t i = 0; i < a->plan.n_inputs; i++) {
        struct mcti_input *in = &a->plan.inputs[i];
        const char *known = in->name + strspn(in->name, "-");
        bool same =
            in->use == MCT_INPUT_HEADER ? mcti_str_eq_nocase(name, mcti_str_of(known)) : mcti_str_is(name, known);
        if (same && (use < 0 || in->use == (enum mcti_input_use)use))
            return in;
    }
    return NULL;
}

int mcti_adding_answer_secret(struct mcti_adding *a, struct mcti_input *in, struct mcti_str text, struct mct_error *err)
{
    struct mcti_buf reference;
    if (memmem(text.p, text.len, "${", 2))
        return mcti_input_answer(in, text, err);
    mcti_buf_init(&reference, 8192);
    int r = mcti_secret_plan(a, in->name, text, &reference, err);
    if (r == 0)
        r = mcti_buf_ok(&reference) ? mcti_input_answer(in, mcti_buf_str(&reference), err) : mcti_no_memory(err);
    mcti_buf_done(&reference);
    return r;
}

static int given_answer(struct mcti_adding *a, struct mcti_input *in, struct mcti_str text, struct mct_error *err)
{
    return in->secret ? mcti_adding_answer_secret(a, in, text, err) : mcti_input_answer(in, text, err);
}

/* Replaces the text of a variable or header, or adds it. Returns false if there was none. */
static bool given_replace(struct mcti_plan_pair *v, size_t n, struct mcti_str key, struct mcti_str text)
{
    for (size_t i = 0; i < n; i++)
        if (mcti_str_eq_nocase(key, mcti_str_of(v[i].key))) {
            free(v[i].text);
            v[i].text = mcti_str_dup(text);
            return true;
        }
    return false;
}

static int given_env(struct mcti_adding *a, const char *option, struct mct_error *err)
{
    const char *eq = strchr(option, '=');
    struct mcti_str name = eq ? mcti_str_range(option, eq) : mcti_str_of(option);
    struct mcti_input *in = given_input(a, name, MCT_INPUT_ENV);
    char *text = NULL;
    if (a->plan.url)
        return mcti_fail(err, MCT_ERR_USAGE, "--env '%.*s': a server with a URL has no environment; use --header",
                         MCT_STR_ARG(name));
    if (!name.len || (eq ? (text = strdup(eq + 1)) == NULL : asprintf(&text, "${%s}", option) < 0))
        return name.len ? mcti_no_memory(err) : mcti_fail(err, MCT_ERR_USAGE, "--env '%s': must be NAME=VALUE", option);
    int r = in ? given_answer(a, in, mcti_str_of(text), err) : 0;
    if (!in && !given_replace(a->plan.env, a->plan.n_env, name, mcti_str_of(text)))
        mcti_plan_add_env(&a->plan, mcti_str_dup(name), strdup(text));
    free(text);
    return r;
}

static int given_header(struct mcti_adding *a, const char *option, struct mct_error *err)
{
    const char *colon = option + strcspn(option, ":=");
    struct mcti_str name = mcti_str_trim(mcti_str_range(option, colon));
    struct mcti_str text = mcti_str_trim(mcti_str_of(*colon ? colon + 1 : colon));
    struct mcti_input *in = given_input(a, name, MCT_INPUT_HEADER);
    char *key = mcti_str_dup(name);
    int r = 0;
    if (!a->plan.url)
        r = mcti_fail(err, MCT_ERR_USAGE, "--header '%.*s': only a server with a URL has headers; use --env",
                      MCT_STR_ARG(name));
    else if (!*colon || !key || !mcti_is_header_name(key))
        r = mcti_fail(err, MCT_ERR_USAGE, "--header '%.*s': must be 'NAME: VALUE'", MCT_STR_ARG(name));
    else if (in)
        r = given_answer(a, in, text, err);
    else if (!given_replace(a->plan.headers, a->plan.n_headers, name, text))
        mcti_plan_add_header(&a->plan, strdup(key), mcti_str_dup(text));
    free(key);
    return r;
}

/* A value for an input, or one more argument of the program. */
static int given_arg(struct mcti_adding *a, const char *option, struct mct_error *err)
{
    const char *eq = strchr(option, '=');
    struct mcti_input *in =
        eq ? given_input(a, mcti_str_range(option, eq), -1) : given_input(a, mcti_str_of(option), -1);
    if (in && eq)
        return given_answer(a, in, mcti_str_of(eq + 1), err);
    if (in && in->format == MCT_INPUT_BOOLEAN)
        return mcti_input_answer(in, MCT_STR("true"), err);
    if (in)
        return mcti_fail(err, MCT_ERR_USAGE, "--arg %s: must have a value: --arg %s=VALUE", option, option);
    if (a->plan.url)
        return mcti_fail(err, MCT_ERR_USAGE, "--arg %s: this server has no such value, and a URL has no arguments",
                         option);
    mcti_plan_add_arg(&a->plan, NULL, strdup(option), -1);
    return 0;
}

int mcti_adding_take_options(struct mcti_adding *a, struct mct_error *err)
{
    static const struct {
        size_t offset;
        int (*take)(struct mcti_adding *a, const char *option, struct mct_error *err);
    } kinds[] = { { offsetof(struct mcti_options, env), given_env },
                  { offsetof(struct mcti_options, headers), given_header },
                  { offsetof(struct mcti_options, values), given_arg } };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct mcti_strings *list = (const void *)((const char *)&a->app->opt + kinds[k].offset);
        for (size_t i = 0; i < list->n; i++) {
            if (strchr(list->v[i], '\x1f'))
                return mcti_fail(err, MCT_ERR_USAGE, "an option has control characters");
            if (kinds[k].take(a, list->v[i], err) < 0)
                return -1;
        }
    }
    return 0;
}
