/* Questions about the inputs of a plan. */
#include "cli/packages/adding.h"

#include <stdlib.h>

/* ---- what is asked ---- */

static void ask_show_choices(const struct mcti_input *in)
{
    for (size_t i = 0; i < in->choices.n; i++)
        mcti_say("    %zu) %s", i + 1, in->choices.v[i]);
}

static void ask_show_input(const struct mcti_input *in)
{
    static const char *const formats[] = { [MCT_INPUT_TEXT] = "",
                                           [MCT_INPUT_NUMBER] = ", number",
                                           [MCT_INPUT_BOOLEAN] = ", true or false",
                                           [MCT_INPUT_PATH] = ", path" };
    mcti_say("%s%s%s (%s%s%s)", in->name, in->description ? ": " : "", in->description ? in->description : "",
             in->required ? "required" : "optional", formats[in->format],
             in->many ? ", several, an empty line ends" : "");
    ask_show_choices(in);
}

/* Returns the choice that a number stands for; otherwise the text itself. */
static struct mcti_str ask_choice(const struct mcti_input *in, const char *line)
{
    char *end;
    unsigned long n = in->choices.n ? strtoul(line, &end, 10) : 0;
    bool is_number = in->choices.n && *line && !*end && !mcti_strings_has(&in->choices, mcti_str_of(line));
    return mcti_str_of(is_number && n >= 1 && n <= in->choices.n ? in->choices.v[n - 1] : line);
}

enum ask_outcome { ASK_DONE, ASK_AGAIN, ASK_MORE, ASK_ENDED };

/* Takes one line. */
static enum ask_outcome ask_take(struct mcti_adding *a, struct mcti_input *in, const char *line, struct mct_error *err)
{
    int r = 0;
    if (!*line && in->many && in->values.n)
        return ASK_DONE;
    if (!*line && in->preset)
        r = mcti_input_take_preset(in, err);
    else if (!*line)
        return in->required ? ASK_AGAIN : ASK_DONE;
    else
        r = in->secret ? mcti_adding_answer_secret(a, in, mcti_str_of(line), err)
                       : mcti_input_answer(in, ask_choice(in, line), err);
    if (r < 0)
        mcti_say("  %s", err->message);
    return r < 0 ? ASK_AGAIN : in->many && *line ? ASK_MORE : ASK_DONE;
}

static int ask_value(struct mcti_adding *a, struct mcti_input *in, struct mct_error *err)
{
    for (enum ask_outcome o = ASK_AGAIN; o == ASK_AGAIN || o == ASK_MORE;) {
        char *line = in->preset && !in->values.n
                         ? mcti_prompt_line(&a->prompt, "  value [%s]: ", in->preset)
                         : mcti_prompt_line(&a->prompt, "  value%s%s%s: ", in->placeholder ? ", such as " : "",
                                            in->placeholder ? in->placeholder : "",
                                            o == ASK_MORE ? " (empty: no further one)" : "");
        if (!line)
            return mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
        o = ask_take(a, in, line, err);
        free(line);
    }
    return 0;
}

static int ask_secret(struct mcti_adding *a, struct mcti_input *in, struct mct_error *err)
{
    struct mcti_buf variable;
    mcti_buf_init(&variable, 512);
    mcti_secret_put_variable(&variable, a, in);
    mcti_buf_addc(&variable, '\0');
    mcti_say("  A secret. Paste it here: it is not shown, and stored in a file that only you can read.");
    char *reference = NULL,
         *line = !in->required
                     ? mcti_prompt_secret(&a->prompt, "  Or press Enter to go without it: ")
                     : mcti_prompt_secret(&a->prompt,
                                          "  Or press Enter, and it is taken from the variable %s%s: ", variable.p,
                                          getenv(variable.p) ? ", which is set" : " when the server starts");
    int r = line ? 0 : mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    if (line && !*line && in->required)
        r = asprintf(&reference, "${%s}", variable.p) < 0 ? mcti_no_memory(err)
                                                          : mcti_input_answer(in, mcti_str_of(reference), err);
    else if (line && *line)
        r = mcti_adding_answer_secret(a, in, mcti_str_of(line), err);
    free(reference);
    mcti_secret_free(line);
    mcti_buf_done(&variable);
    return r;
}

static int ask_one(struct mcti_adding *a, struct mcti_input *in, struct mct_error *err)
{
    ask_show_input(in);
    return in->secret ? ask_secret(a, in, err) : ask_value(a, in, err);
}

/* ---- which ones ---- */

static bool ask_is_open(const struct mcti_adding *a, size_t i)
{
    return !a->plan.inputs[i].values.n && mcti_plan_uses(&a->plan, i);
}

static int ask_required(struct mcti_adding *a, struct mct_error *err)
{
    for (size_t i = 0; i < a->plan.n_inputs; i++)
        if (ask_is_open(a, i) && a->plan.inputs[i].required && ask_one(a, &a->plan.inputs[i], err) < 0)
            return -1;
    return 0;
}

/* Shows the optional inputs, and asks for them if the person wants that. */
static int ask_optional(struct mcti_adding *a, struct mct_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < a->plan.n_inputs; i++)
        if (ask_is_open(a, i)) {
            const struct mcti_input *in = &a->plan.inputs[i];
            if (!n++)
                mcti_err("Optional settings:\n");
            mcti_say("  %s%s%s%s%s", in->name, in->description ? ": " : "", in->description ? in->description : "",
                     in->preset ? ", default " : "", in->preset ? in->preset : "");
        }
    if (!n || !mcti_prompt_yes(&a->prompt, false, "Set some of them?"))
        return a->app->interrupted ? mcti_fail(err, MCT_ERR_CANCELLED, "interrupted") : 0;
    for (size_t i = 0; i < a->plan.n_inputs; i++)
        if (ask_is_open(a, i) && ask_one(a, &a->plan.inputs[i], err) < 0)
            return -1;
    return 0;
}

/* Takes the variable of the environment that usually has the secret, if it is set here. */
static int ask_environment(struct mcti_adding *a, struct mcti_input *in, struct mct_error *err)
{
    struct mcti_buf variable;
    char *reference = NULL;
    int r = 0;
    mcti_buf_init(&variable, 512);
    mcti_secret_put_variable(&variable, a, in);
    mcti_buf_addc(&variable, '\0');
    if (mcti_buf_ok(&variable) && getenv(variable.p))
        r = asprintf(&reference, "${%s}", variable.p) < 0 ? mcti_no_memory(err)
                                                          : mcti_input_answer(in, mcti_str_of(reference), err);
    free(reference);
    mcti_buf_done(&variable);
    return r;
}

int mcti_adding_ask(struct mcti_adding *a, struct mct_error *err)
{
    if (a->prompt.is_open && (ask_required(a, err) < 0 || ask_optional(a, err) < 0))
        return -1;
    for (size_t i = 0; i < a->plan.n_inputs; i++) {
        struct mcti_input *in = &a->plan.inputs[i];
        if (!in->values.n && in->secret && in->required && ask_environment(a, in, err) < 0)
            return -1;
        if (!in->values.n && mcti_input_take_preset(in, err) < 0)
            return mcti_error_wrap(err, "the default of the package");
    }
    return 0;
}
