/* From a plan with answers to the entry of a server. */
#include "packages/plan.h"

#include <stdlib.h>

/* ---- templates ---- */

/* Reads the place of an input at `p`. Returns the position behind it, or NULL if there is none. */
static const char *finish_place(const char *p, int *ret_input)
{
    char *end;
    if (*p != '\x1f')
        return NULL;
    *ret_input = (int)strtol(p + 1, &end, 10);
    return end + 1;
}

/* Returns the input if the template is nothing but its place, else -1. */
static int finish_sole_input(const char *text)
{
    int input;
    const char *end = finish_place(text, &input);
    return end && !*end ? input : -1;
}

/* Appends the text with the answers. Returns false if an input in it has none. */
static bool finish_put(const struct mcti_plan *p, const char *text, struct mcti_buf *to)
{
    while (*text) {
        int input;
        const char *behind = finish_place(text, &input);
        if (!behind) {
            mcti_buf_addc(to, *text++);
            continue;
        }
        const struct mcti_strings *values = &p->inputs[input].values;
        if (!values->n)
            return false;
        for (size_t i = 0; i < values->n; i++) {
            mcti_buf_addz(to, i ? "," : "");
            mcti_buf_addz(to, values->v[i]);
        }
        text = behind;
    }
    return true;
}

/* Returns the text with the answers, owned; NULL if it is left out, or out of memory. */
static char *finish_text(const struct mcti_plan *p, const char *text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_PLAN_TEXT_BYTES);
    bool whole = finish_put(p, text, &b);
    char *z = whole ? mcti_buf_take(&b) : NULL;
    mcti_buf_done(&b);
    return z;
}

bool mcti_template_has(const char *text, size_t input)
{
    for (int found; text && *text;) {
        const char *behind = finish_place(text, &found);
        if (behind && (size_t)found == input)
            return true;
        text = behind ? behind : text + 1;
    }
    return false;
}

bool mcti_plan_uses(const struct mcti_plan *p, size_t input)
{
    bool uses = mcti_template_has(p->command, input) || mcti_template_has(p->url, input);
    for (size_t i = 0; i < p->n_args; i++)
        uses |= p->args[i].input == (int)input || mcti_template_has(p->args[i].text, input);
    for (size_t i = 0; i < p->n_env; i++)
        uses |= mcti_template_has(p->env[i].text, input);
    for (size_t i = 0; i < p->n_headers; i++)
        uses |= mcti_template_has(p->headers[i].text, input);
    return uses;
}

/* ---- the entry ---- */

static int finish_add_pair(struct mcti_pairs *to, const char *key, char *take_value, struct mct_error *err)
{
    struct mcti_pair *v = take_value ? realloc(to->v, (to->n + 1) * sizeof *v) : NULL;
    if (v) {
        to->v = v;
        v[to->n] = (struct mcti_pair){ strdup(key), take_value };
        if (v[to->n].key)
            return to->n++, 0;
    }
    free(take_value);
    return mcti_no_memory(err);
}

static int finish_pairs(const struct mcti_plan *p, const struct mcti_plan_pair *from, size_t n, struct mcti_pairs *to,
                        struct mct_error *err)
{
    for (size_t i = 0; i < n; i++) {
        char *value = finish_text(p, from[i].text);
        if (value && finish_add_pair(to, from[i].key, value, err) < 0)
            return -1;
    }
    return 0;
}

static int finish_add_arg(struct mcti_config_server *to, const char *flag, const char *text)
{
    int r = flag ? mcti_strings_add(&to->args, mcti_str_of(flag)) : 0;
    return r < 0 || !text ? r : mcti_strings_add(&to->args, mcti_str_of(text));
}

static int finish_arg(const struct mcti_plan *p, const struct mcti_plan_arg *a, struct mcti_config_server *to)
{
    int sole = a->text ? finish_sole_input(a->text) : -1, r = 0;
    const struct mcti_strings *values = sole >= 0 ? &p->inputs[sole].values : NULL;
    if (!a->text) {
        const struct mcti_strings *on = a->input >= 0 ? &p->inputs[a->input].values : NULL;
        return !on || (on->n && !strcmp(on->v[0], "true")) ? finish_add_arg(to, a->flag, NULL) : 0;
    }
    if (values) {
        for (size_t i = 0; i < values->n && r == 0; i++)
            r = finish_add_arg(to, a->flag, values->v[i]);
        return r;
    }
    char *text = finish_text(p, a->text);
    r = text ? finish_add_arg(to, a->flag, text) : 0;
    free(text);
    return r;
}

/* docker passes variables of its own environment to the container by name, so their values stay out of the arguments.
 */
static int finish_name_env(struct mcti_config_server *to)
{
    int r = 0;
    for (size_t i = 0; i < to->env.n && r == 0; i++)
        r = finish_add_arg(to, "-e", to->env.v[i].key);
    return r;
}

static int finish_args(const struct mcti_plan *p, struct mcti_config_server *to, struct mct_error *err)
{
    int r = 0;
    for (size_t i = 0; i < p->n_args && r == 0; i++) {
        r = i == p->env_at ? finish_name_env(to) : 0;
        r = r < 0 ? r : finish_arg(p, &p->args[i], to);
    }
    return r < 0 ? mcti_no_memory(err) : 0;
}

static int finish_check(const struct mcti_plan *p, struct mct_error *err)
{
    struct mcti_buf missing;
    if (p->failed)
        return mcti_fail(err, MCT_ERR_LIMIT, "the description of the package is too large");
    mcti_buf_init(&missing, 500);
    for (size_t i = 0; i < p->n_inputs; i++) {
        const struct mcti_input *in = &p->inputs[i];
        if (!in->required || in->values.n || !mcti_plan_uses(p, i))
            continue;
        mcti_buf_addz(&missing, missing.len ? ", " : "");
        mcti_input_put_option(&missing, in);
        if (in->description)
            mcti_buf_printf(&missing, " (%.60s)", in->description);
    }
    bool is_missing = missing.len;
    if (is_missing)
        mcti_fail(err, MCT_ERR_USAGE, "these values are missing: %.*s", (int)missing.len, missing.p);
    mcti_buf_done(&missing);
    return is_missing ? -1 : 0;
}

int mcti_plan_finish(const struct mcti_plan *p, struct mcti_config_server *ret, struct mct_error *err)
{
    if (finish_check(p, err) < 0)
        return -1;
    ret->type = p->url ? p->type : MCT_SERVER_UNSET;
    if (p->url && !(ret->url = finish_text(p, p->url)))
        return mcti_fail(err, MCT_ERR_USAGE, "the URL has a variable without a value");
    if (p->command && !(ret->command = finish_text(p, p->command)))
        return mcti_fail(err, MCT_ERR_USAGE, "the command has a variable without a value");
    if (p->cwd && !(ret->cwd = strdup(p->cwd)))
        return mcti_no_memory(err);
    if (finish_pairs(p, p->env, p->n_env, &ret->env, err) < 0 ||
        finish_pairs(p, p->headers, p->n_headers, &ret->headers, err) < 0)
        return -1;
    return finish_args(p, ret, err);
}
