/*
 * Skills of the servers of a view: lists them, finds the entry of one, and loads files that are verified against it.
 * Nothing is fetched before somebody asks for it. A file is read from the server of its skill and from no other.
 */
#ifndef MCT_RESOURCES_SKILLS_SKILLS_H
#define MCT_RESOURCES_SKILLS_SKILLS_H

#include "resources/listing.h"
#include "resources/reading.h"
#include "skills/skill.h"

/* The list skills/list, for struct mcti_listing. */
extern const struct mcti_listing_of mcti_skills_list;

/* ---- ask.c ---- */

/* Asks one server for the entry of a skill (skills/get). */
struct mcti_skill_ask {
    /* set by the caller */
    const struct mcti_reach *reach;
    struct mcti_provider *provider;
    struct mcti_str uri; /* of the SKILL.md; borrowed while it is started */
    unsigned deadline_ms;
    void (*done)(struct mcti_skill_ask *a); /* once, from the loop; may end `a` */
    void *data;

    struct mcti_skill skill; /* owned; without `json` if there is none */
    struct mct_error error;  /* why not */

    struct mcti_ready ready; /* private from here on */
    struct mcti_call call;
    struct mcti_buf params;
    struct mcti_timer deadline;
    struct mcti_task step;
    bool started;
};

void mcti_skill_ask_start(struct mcti_skill_ask *a);
void mcti_skill_ask_done(struct mcti_skill_ask *a); /* cancels and frees; safe on a zeroed one */

/* ---- find.c ---- */

/* Finds the skill that a URI belongs to: in the lists of all servers, or else by skills/get. */
struct mcti_skill_search {
    /* set by the caller */
    const struct mcti_reach *reach;
    struct mcti_provider *only;                /* NULL: any server */
    struct mcti_str uri;                       /* of a SKILL.md or of another file of a skill; copied */
    unsigned list_ms, read_ms;                 /* time limits */
    void (*done)(struct mcti_skill_search *s); /* once, from the loop; may end `s` */
    void *data;

    struct mcti_provider *provider; /* of the skill; NULL: none was found */
    struct mcti_skill skill;        /* owned */
    struct mct_error error;         /* why none was found: MCT_ERR_NOT_FOUND, also if several servers have it */

    char *text; /* private from here on */
    struct mcti_listing listing;
    struct mcti_skill_ask ask;
};

/* Returns -1 with *err when out of memory; then `done` is not called. */
int mcti_skill_search_start(struct mcti_skill_search *s, struct mct_error *err);
void mcti_skill_search_done(struct mcti_skill_search *s); /* cancels and frees; safe on a zeroed one */

/* ---- load.c ---- */

/* Reads a file of a skill and verifies it. If it differs from the entry, the entry is asked for again, once. */
struct mcti_skill_load {
    /* set by the caller */
    const struct mcti_reach *reach;
    struct mcti_provider *provider;
    const struct mcti_skill *skill; /* borrowed */
    struct mcti_str uri;            /* copied */
    unsigned deadline_ms;
    void (*done)(struct mcti_skill_load *l); /* once, from the loop; may end `l` */
    void *data;

    struct mcti_buf bytes;   /* of the file, only if it is verified */
    struct mcti_skill fresh; /* the entry that was asked for again, if the file is verified against it; else empty */
    struct mct_error error;  /* kind NONE: the file is verified; MCT_ERR_INTEGRITY: it is not what the entry says */

    struct mcti_reading reading; /* private from here on */
    struct mcti_skill_ask ask;
};

/* Returns -1 with *err if the URI is not allowed, is no file of the skill, or when out of memory; then `done` is not
 * called. */
int mcti_skill_load_start(struct mcti_skill_load *l, struct mct_error *err);
void mcti_skill_load_done(struct mcti_skill_load *l); /* cancels and frees; safe on a zeroed one */

#endif
