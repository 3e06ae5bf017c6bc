#include "resources/skills/skills.h"

#include "skills/uri.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- in the lists ---- */

/* Returns how well the skill fits the URI: the length of its root if the URI is a file of it, more than any if it is
 * its SKILL.md; 0: not at all. */
static size_t search_fit(const struct mcti_skill *skill, struct mcti_str uri)
{
    if (mcti_str_eq(skill->uri, uri))
        return SIZE_MAX;
    bool has = mcti_skill_find(skill, uri) || (skill->is_dynamic && mcti_skill_is_inside(skill->root, uri));
    return has ? skill->root.len : 0;
}

/* Keeps the best entry of one server. Returns its fit. */
static size_t search_part(const struct mcti_listing_part *part, struct mcti_str uri, struct mcti_skill *best)
{
    struct mcti_json_iter it = mcti_listing_items(part);
    struct mcti_skill skill;
    struct mcti_str entry;
    size_t best_fit = 0;
    while (mcti_json_next_item(&it, &entry)) {
        size_t fit = mcti_skill_open(entry, &skill, NULL) == 0 ? search_fit(&skill, uri) : 0;
        if (fit > best_fit) {
            mcti_skill_done(best);
            *best = skill;
            best_fit = fit;
        } else {
            mcti_skill_done(&skill);
        }
    }
    return best_fit;
}

static void search_fail_ambiguous(struct mcti_skill_search *s, const struct mcti_provider *other)
{
    mcti_fail(&s->error, MCT_ERR_NOT_FOUND, "servers '%s' and '%s' have the skill %s; name one of them",
              s->provider->name, other->name, s->text);
    s->provider = NULL;
    mcti_skill_done(&s->skill);
}

/* Looks through the lists. Returns false if several servers have the URI; s->error says so. */
static bool search_lists(struct mcti_skill_search *s)
{
    for (size_t i = 0; i < s->listing.n_parts; i++) {
        struct mcti_skill skill = { .n_files = 0 };
        if (!search_part(&s->listing.parts[i], s->uri, &skill))
            continue;
        if (s->provider) {
            mcti_skill_done(&skill);
            search_fail_ambiguous(s, s->listing.parts[i].provider);
            return false;
        }
        s->provider = s->listing.parts[i].provider;
        s->skill = skill;
    }
    return true;
}

/* ---- by skills/get ---- */

/* Returns the only server that may have a skill that no list has; NULL: there are several, or none. */
static struct mcti_provider *search_sole(const struct mcti_skill_search *s)
{
    struct mcti_provider *sole = NULL;
    for (size_t i = 0; i < s->listing.n_parts; i++) {
        const struct mcti_listing_part *part = &s->listing.parts[i];
        if (part->lacks || (part->error.kind && part->provider->state != MCT_CONNECTED))
            continue;
        if (sole)
            return NULL;
        sole = part->provider;
    }
    return sole;
}

/* Sets the error: that of the only server, or of the first that could not be asked. */
static void search_fail_unknown(struct mcti_skill_search *s)
{
    for (size_t i = 0; i < s->listing.n_parts; i++) {
        const struct mcti_listing_part *part = &s->listing.parts[i];
        if (part->error.kind && (s->only || !part->lacks)) {
            s->error = part->error;
            return;
        }
    }
    mcti_fail(&s->error, MCT_ERR_NOT_FOUND, "no server lists the skill %s", s->text);
}

static void search_on_asked(struct mcti_skill_ask *a)
{
    struct mcti_skill_search *s = a->data;
    s->error = a->error;
    if (a->skill.json.p && mcti_str_eq(a->skill.uri, s->uri)) {
        s->provider = a->provider;
        s->skill = a->skill;
        a->skill = (struct mcti_skill){ .n_files = 0 };
    } else if (a->skill.json.p) {
        mcti_fail(&s->error, MCT_ERR_PROTOCOL, "server '%s' answered with another skill", a->provider->name);
    }
    s->done(s);
}

static void search_on_listed(struct mcti_listing *l)
{
    struct mcti_skill_search *s = l->data;
    bool decided = !search_lists(s) || s->provider;
    struct mcti_provider *sole = decided || !mcti_skill_root(s->uri).p ? NULL : search_sole(s);
    if (!decided && !sole)
        search_fail_unknown(s);
    if (!sole) {
        s->done(s);
        return;
    }
    s->ask = (struct mcti_skill_ask){ .reach = s->reach,
                                      .provider = sole,
                                      .uri = s->uri,
                                      .deadline_ms = s->read_ms,
                                      .done = search_on_asked,
                                      .data = s };
    mcti_skill_ask_start(&s->ask);
}

/* ---- life ---- */

int mcti_skill_search_start(struct mcti_skill_search *s, struct mct_error *err)
{
    s->text = mcti_str_dup(s->uri);
    s->uri.p = s->text;
    s->listing = (struct mcti_listing){ .reach = s->reach,
                                        .of = &mcti_skills_list,
                                        .only = s->only,
                                        .deadline_ms = s->list_ms,
                                        .done = search_on_listed,
                                        .data = s };
    if (s->text && mcti_listing_start(&s->listing) == 0)
        return 0;
    free(s->text);
    s->text = NULL;
    return mcti_no_memory(err);
}

void mcti_skill_search_done(struct mcti_skill_search *s)
{
    mcti_listing_done(&s->listing);
    mcti_skill_ask_done(&s->ask);
    mcti_skill_done(&s->skill);
    free(s->text);
    *s = (struct mcti_skill_search){ .text = NULL };
}
