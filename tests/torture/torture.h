/* Runs cases over and over, each time with another allocation that fails. */
#ifndef MCT_TESTS_TORTURE_H
#define MCT_TESTS_TORTURE_H

#include <stdbool.h>

enum { TORTURE_NOTES = 1024 };

/* What a case has noted in the run without a failure; it finds it again in the others. */
struct torture_notes {
    unsigned n;
    unsigned v[TORTURE_NOTES];
};

struct torture_run {
    bool fails;                  /* an allocation fails in this run */
    struct torture_notes *notes; /* written when none does, read otherwise */
};

struct torture_case {
    const char *name;
    /* Does it once and frees everything. NULL: it went well, or reported the failure in order; otherwise what is wrong.
     * Without a failure it must go well. */
    const char *(*run)(const struct torture_case *c, const struct torture_run *run);
};

/* Runs the scene `name` (scene.h). */
const char *torture_scene(const struct torture_case *c, const struct torture_run *run);

/* A case of a transcript; `name` is its file. */
const char *torture_flow(const struct torture_case *c, const struct torture_run *run);

#endif
