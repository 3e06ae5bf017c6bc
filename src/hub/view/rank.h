/*
 * Finding tools by words. A query is words, of which those with a '+' in front must be there ("+github issue"), or
 * "select:NAME,NAME" for tools that are known. Words are ranked by BM25 over name, title, description and names of
 * parameters, a word of the name counting more; equal ranks are in order of their names.
 */
#ifndef MCT_HUB_VIEW_RANK_H
#define MCT_HUB_VIEW_RANK_H

#include "hub/view/view.h"

enum { MCT_RANK_TERMS = 16, MCT_RANK_NAMES = 64 };

struct mcti_ranked {
    const struct mcti_exposure *tool;
    double score; /* 0 for tools that were selected by name */
};

struct mcti_ranking {
    bool selects;
    struct mcti_ranked *v; /* owned; best first, at most as many as were asked for */
    size_t n;
    struct mcti_str missing[MCT_RANK_NAMES]; /* names that were selected and are not there; spans of the query */
    size_t n_missing;
};

/* Good until the view changes. -1 with *err when the query says nothing or memory is short. */
int mcti_rank(struct mcti_ranking *ret, struct mcti_view *v, struct mcti_str query, size_t max, struct mct_error *err);
void mcti_ranking_done(struct mcti_ranking *r);

#endif
