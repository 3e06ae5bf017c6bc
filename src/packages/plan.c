#include "packages/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void mcti_plan_init(struct mcti_plan *p)
{
    *p = (struct mcti_plan){ .env_at = SIZE_MAX };
}

static void plan_clear_input(struct mcti_input *in)
{
    free(in->name);
    free(in->description);
    free(in->preset);
    free(in->placeholder);
    mcti_strings_clear(&in->choices);
    mcti_strings_clear(&in->more_presets);
    mcti_strings_clear(&in->values);
}

static void plan_free_pairs(struct mcti_plan_pair *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(v[i].key);
        free(v[i].text);
    }
    free(v);
}

void mcti_plan_done(struct mcti_plan *p)
{
    char *const texts[] = { p->name,    p->version, p->title, p->description, p->way,
                            p->command, p->url,     p->cwd,   p->sha256,      p->fetch };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (size_t i = 0; i < p->n_args; i++) {
        free(p->args[i].flag);
        free(p->args[i].text);
    }
    for (size_t i = 0; i < p->n_inputs; i++)
        plan_clear_input(&p->inputs[i]);
    for (size_t i = 0; i < p->n_notes; i++)
        free(p->notes[i].text);
    plan_free_pairs(p->env, p->n_env);
    plan_free_pairs(p->headers, p->n_headers);
    free(p->args);
    free(p->inputs);
    free(p->notes);
    mcti_plan_init(p);
}

/* Makes room for one more item of `size` bytes, up to `most` items. Returns the zeroed item, or NULL. */
static void *plan_grow(struct mcti_plan *p, void *items, size_t *n, size_t size, size_t most)
{
    void **v = items;
    char *bigger = *n < most ? realloc(*v, (*n + 1) * size) : NULL;
    if (!bigger) {
        p->failed = true;
        return NULL;
    }
    *v = bigger;
    return memset(bigger + (*n)++ * size, 0, size);
}

struct mcti_input *mcti_plan_add_input(struct mcti_plan *p, int *ret_index)
{
    struct mcti_input *in = plan_grow(p, &p->inputs, &p->n_inputs, sizeof *in, MCT_PLAN_INPUTS);
    if (in && ret_index)
        *ret_index = (int)p->n_inputs - 1;
    return in;
}

void mcti_plan_add_arg(struct mcti_plan *p, char *take_flag, char *take_text, int input)
{
    struct mcti_plan_arg *a = plan_grow(p, &p->args, &p->n_args, sizeof *a, MCT_PLAN_ARGS);
    if (a) {
        *a = (struct mcti_plan_arg){ take_flag, take_text, input };
        return;
    }
    free(take_flag);
    free(take_text);
}

void mcti_plan_add_words(struct mcti_plan *p, const char *const *words)
{
    for (; *words; words++)
        mcti_plan_add_arg(p, NULL, strdup(*words), -1);
}

static void plan_add_pair(struct mcti_plan *p, struct mcti_plan_pair **v, size_t *n, struct mcti_plan_pair take_pair)
{
    struct mcti_plan_pair *added =
        take_pair.key && take_pair.text ? plan_grow(p, v, n, sizeof *added, MCT_PLAN_ARGS) : NULL;
    if (added) {
        *added = take_pair;
        return;
    }
    p->failed = true;
    free(take_pair.key);
    free(take_pair.text);
}

void mcti_plan_add_env(struct mcti_plan *p, char *take_key, char *take_text)
{
    plan_add_pair(p, &p->env, &p->n_env, (struct mcti_plan_pair){ take_key, take_text });
}

void mcti_plan_add_header(struct mcti_plan *p, char *take_key, char *take_text)
{
    plan_add_pair(p, &p->headers, &p->n_headers, (struct mcti_plan_pair){ take_key, take_text });
}

void mcti_plan_note(struct mcti_plan *p, bool danger, const char *fmt, ...)
{
    struct mcti_plan_note *note = plan_grow(p, &p->notes, &p->n_notes, sizeof *note, MCT_PLAN_ARGS);
    va_list ap;
    va_start(ap, fmt);
    if (note && vasprintf(&note->text, fmt, ap) < 0)
        note->text = NULL;
    va_end(ap);
    if (note)
        note->danger = danger;
    p->failed |= !note || !note->text;
}

/* ---- templates ---- */

void mcti_plan_put_fixed(struct mcti_buf *to, struct mcti_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] == '$' && i + 1 < text.len && text.p[i + 1] == '{')
            mcti_buf_addz(to, "$");
        mcti_buf_addc(to, text.p[i]);
    }
}

void mcti_plan_put_input(struct mcti_buf *to, int input)
{
    mcti_buf_printf(to, "\x1f%d\x1f", input);
}

char *mcti_plan_only_input(int input)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 64);
    mcti_plan_put_input(&b, input);
    return mcti_buf_take(&b);
}
