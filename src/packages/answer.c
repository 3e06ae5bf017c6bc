/* Answers to the inputs of a plan. */
#include "packages/plan.h"

#include "base/log/near.h"
#include "base/log/visible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int answer_refuse(const struct mcti_input *in, struct mct_error *err, const char *why)
{
    return mcti_fail(err, MCT_ERR_USAGE, "%s: %s", in->name, why);
}

static int answer_check_choice(const struct mcti_input *in, struct mcti_str text, struct mct_error *err)
{
    struct mcti_near near = { .word = text };
    struct mcti_buf known;
    char hint[MCT_NEAR_HINT_BYTES];
    if (!in->choices.n || mcti_strings_has(&in->choices, text))
        return 0;
    mcti_buf_init(&known, 300);
    for (size_t i = 0; i < in->choices.n; i++) {
        mcti_buf_printf(&known, "%s%s", i ? ", " : "", in->choices.v[i]);
        mcti_near_try(&near, mcti_str_of(in->choices.v[i]));
    }
    mcti_fail(err, MCT_ERR_USAGE, "%s: '%.*s' must be one of: %.*s%s", in->name, MCT_STR_ARG(text),
              MCT_STR_ARG(mcti_buf_str(&known)), mcti_near_hint(&near, hint));
    mcti_buf_done(&known);
    return -1;
}

static int answer_check_number(const struct mcti_input *in, const char *text, struct mct_error *err)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number))
        return mcti_fail(err, MCT_ERR_USAGE, "%s: '%s' must be a number", in->name, text);
    if (in->has_min && number < in->min)
        return mcti_fail(err, MCT_ERR_USAGE, "%s: %s must be at least %g", in->name, text, in->min);
    if (in->has_max && number > in->max)
        return mcti_fail(err, MCT_ERR_USAGE, "%s: %s must be at most %g", in->name, text, in->max);
    return 0;
}

static char *answer_boolean(const struct mcti_input *in, const char *text, struct mct_error *err)
{
    static const struct mcti_word words[] = { { "true", 1 }, { "yes", 1 },   { "y", 1 },  { "1", 1 },
                                              { "on", 1 },   { "false", 0 }, { "no", 0 }, { "n", 0 },
                                              { "0", 0 },    { "off", 0 },   { 0 } };
    const struct mcti_word *w = mcti_word_find(words, mcti_str_of(text));
    if (!w)
        mcti_fail(err, MCT_ERR_USAGE, "%s: '%s' must be true or false", in->name, text);
    return w ? strdup(w->value ? "true" : "false") : NULL;
}

/* Returns the absolute form of a path: the server may be started in another folder. */
static char *answer_path(const char *text, struct mct_error *err)
{
    const char *home = getenv("HOME");
    bool is_home = text[0] == '~' && (!text[1] || text[1] == '/');
    char *here = NULL, *path = NULL;
    if (text[0] == '/')
        return strdup(text);
    if (is_home && !home)
        return mcti_fail(err, MCT_ERR_USAGE, "'%s': HOME is not set: write the whole path", text), NULL;
    if (!is_home && !(here = getcwd(NULL, 0)))
        return mcti_fail(err, MCT_ERR_USAGE, "'%s': the working directory is unknown: write the whole path", text),
               NULL;
    while (!is_home && text[0] == '.' && text[1] == '/')
        text += 2;
    bool is_here = !strcmp(text, ".");
    if (asprintf(&path, "%s%s%s", is_home ? home : here, is_home || is_here ? "" : "/",
                 is_home   ? text + 1
                 : is_here ? ""
                           : text) < 0)
        path = NULL;
    free(here);
    return path;
}

/* Returns the answer in its written form, owned, or NULL with *err. */
static char *answer_written(const struct mcti_input *in, struct mcti_str text, struct mct_error *err)
{
    char *z = mcti_str_dup(text), *read = NULL;
    for (size_t i = 0; z && i < text.len; i++)
        if (mcti_control_len(text.p + i, text.len - i) || !text.p[i]) {
            answer_refuse(in, err, "the value has control characters");
            free(z);
            return NULL;
        }
    mcti_no_memory(err);
    if (!z || (in->choices.n && answer_check_choice(in, text, err) < 0) ||
        (in->format == MCT_INPUT_NUMBER && answer_check_number(in, z, err) < 0)) {
        free(z);
        return NULL;
    }
    if (in->format == MCT_INPUT_BOOLEAN)
        read = answer_boolean(in, z, err);
    else if (in->format == MCT_INPUT_PATH)
        read = answer_path(z, err);
    else
        return z;
    free(z);
    return read;
}

static int answer_add(struct mcti_input *in, struct mcti_str text, struct mct_error *err)
{
    if (!in->many)
        mcti_strings_clear(&in->values);
    return mcti_strings_add(&in->values, text) < 0 ? mcti_no_memory(err) : 0;
}

int mcti_input_answer(struct mcti_input *in, struct mcti_str answer, struct mct_error *err)
{
    if (memmem(answer.p, answer.len, "${", 2))
        return answer_add(in, answer, err);
    char *text = answer_written(in, answer, err);
    int r = text ? answer_add(in, mcti_str_of(text), err) : -1;
    free(text);
    return r;
}

static int answer_take_fixed(struct mcti_input *in, const char *preset, struct mct_error *err)
{
    char *text = answer_written(in, mcti_str_of(preset), err);
    struct mcti_buf fixed;
    if (!text)
        return -1;
    mcti_buf_init(&fixed, MCT_PLAN_TEXT_BYTES);
    mcti_plan_put_fixed(&fixed, mcti_str_of(text));
    free(text);
    int r = mcti_buf_ok(&fixed) ? answer_add(in, mcti_buf_str(&fixed), err)
                                : answer_refuse(in, err, "the default is too long");
    mcti_buf_done(&fixed);
    return r;
}

int mcti_input_take_preset(struct mcti_input *in, struct mct_error *err)
{
    int r = in->preset ? answer_take_fixed(in, in->preset, err) : 0;
    for (size_t i = 0; i < in->more_presets.n && r == 0; i++)
        r = answer_take_fixed(in, in->more_presets.v[i], err);
    return r;
}

void mcti_input_put_option(struct mcti_buf *to, const struct mcti_input *in)
{
    static const char *const options[] = {
        [MCT_INPUT_ARG] = "--arg", [MCT_INPUT_ENV] = "--env", [MCT_INPUT_HEADER] = "--header"
    };
    mcti_buf_printf(to, "%s %s=VALUE", options[in->use], in->name);
}
