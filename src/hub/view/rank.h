/*
 * Search for tools. A query is a list of words; a word with a '+' in front is required ("+github issue"). The query
 * "select:NAME,NAME" selects tools by name. Tools are ranked by BM25 over name, title, description and parameter names;
 * words of the name weigh more. Equal ranks are sorted by name.
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
    struct mcti_ranked *v; /* owned; best first */
    size_t n;
    struct mcti_str missing[MCT_RANK_NAMES]; /* selected names that do not exist; spans of the query */
    size_t n_missing;
};

/* Ranks the tools of the view, at most `max` of them. The result is valid until the view changes. Returns -1 and sets
 * *err if the query has no words, or when out of memory. */
int mcti_rank(struct mcti_ranking *ret, struct mcti_view *v, struct mcti_str query, size_t max, struct mct_error *err);
void mcti_ranking_done(struct mcti_ranking *r);

#endif
