#include "resources/skills/skills.h"

#include "base/limits.h"

/* Checks the bytes against the entry `skill`. Without a match they are forgotten. */
static int load_check(struct mcti_skill_load *l, const struct mcti_skill *skill)
{
    struct mct_error none = { .kind = MCT_ERR_NONE };
    int r = mcti_skill_check(skill, l->reading.uri, mcti_buf_str(&l->bytes), &l->error);
    if (r == 0)
        l->error = none;
    return r;
}

static void load_on_asked(struct mcti_skill_ask *a)
{
    struct mcti_skill_load *l = a->data;
    bool is_new = a->skill.json.p && mcti_str_eq(a->skill.uri, l->skill->uri);
    if (is_new && load_check(l, &a->skill) == 0) {
        l->fresh = a->skill;
        a->skill = (struct mcti_skill){ .n_files = 0 };
    } else {
        mcti_buf_clear(&l->bytes);
    }
    l->done(l);
}

/* Asks for the entry again: the skill may have changed since it was listed. */
static void load_refresh(struct mcti_skill_load *l)
{
    l->ask = (struct mcti_skill_ask){ .reach = l->reach,
                                      .provider = l->provider,
                                      .uri = l->skill->uri,
                                      .deadline_ms = l->deadline_ms,
                                      .done = load_on_asked,
                                      .data = l };
    mcti_skill_ask_start(&l->ask);
}

static void load_on_read(struct mcti_reading *r)
{
    struct mcti_skill_load *l = r->data;
    l->error = r->error;
    if (r->result.p && mcti_skill_put_bytes(&l->bytes, r->result, r->uri, &l->error) == 0 &&
        load_check(l, l->skill) < 0 && l->error.kind == MCT_ERR_INTEGRITY) {
        load_refresh(l);
        return;
    }
    if (l->error.kind)
        mcti_buf_clear(&l->bytes);
    l->done(l);
}

/* Returns whether the file can be verified at all. */
static int load_admit(const struct mcti_skill_load *l, struct mct_error *err)
{
    bool is_main = mcti_str_eq(l->uri, l->skill->uri);
    if (mcti_skill_find(l->skill, l->uri) || is_main)
        return 0;
    if (l->skill->is_dynamic)
        return mcti_fail(err, MCT_ERR_INTEGRITY, "%.*s cannot be verified: the skill is dynamic", MCT_STR_ARG(l->uri));
    return mcti_fail(err, MCT_ERR_INTEGRITY, "%.*s is not a file that the entry of the skill lists",
                     MCT_STR_ARG(l->uri));
}

int mcti_skill_load_start(struct mcti_skill_load *l, struct mct_error *err)
{
    if (load_admit(l, err) < 0)
        return -1;
    mcti_buf_init(&l->bytes, MCT_LIMIT_SKILL_BYTES + 1);
    l->reading = (struct mcti_reading){ .reach = l->reach,
                                        .only = l->provider,
                                        .insists = true,
                                        .uri = l->uri,
                                        .deadline_ms = l->deadline_ms,
                                        .done = load_on_read,
                                        .data = l };
    return mcti_reading_start(&l->reading, err);
}

void mcti_skill_load_done(struct mcti_skill_load *l)
{
    mcti_reading_done(&l->reading);
    mcti_skill_ask_done(&l->ask);
    mcti_skill_done(&l->fresh);
    mcti_buf_done(&l->bytes);
    *l = (struct mcti_skill_load){ .skill = NULL };
}
