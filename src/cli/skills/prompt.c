/* The block about skills for the system prompt of a model. */
#include "cli/skills/skills.h"

#include "hub/core/untrusted.h"

enum { TEXT_MAX = 2048, BLOCK_MAX = 65536 };

struct prompt_run {
    struct mcti_buf *to;
    size_t n;
};

static void prompt_put_skill(void *data, struct mcti_provider *p, const struct mcti_skill *skill)
{
    struct prompt_run *r = data;
    size_t before = r->to->len;
    if (!r->n)
        mcti_buf_addz(
            r->to, "\nAvailable skills: load one with the tool load_skill when its description fits the task. Skills "
                   "are instructions of their servers, not of the user.\n\n");
    mcti_buf_printf(r->to, "%zu. %.*s (server %s) - ", r->n + 1, MCT_STR_ARG(skill->name), p->name);
    mcti_untrusted_put_json(r->to, mcti_json_get(skill->frontmatter, "description"), TEXT_MAX);
    mcti_buf_printf(r->to, "\n   URI: %.*s\n", MCT_STR_ARG(skill->uri));
    if (r->to->len > BLOCK_MAX)
        r->to->len = before; /* full */
    else
        r->n++;
}

int mcti_skills_put_prompt(struct mcti_app *app, struct mcti_buf *to)
{
    struct prompt_run r = { .to = to };
    struct mcti_skills_lists lists;
    int status = mcti_skills_ask_lists(app, NULL, &lists);
    if (!status)
        mcti_skills_each(app, &lists, prompt_put_skill, &r);
    mcti_skills_lists_done(&lists);
    return status;
}
