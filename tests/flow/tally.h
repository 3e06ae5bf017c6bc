/* Counts requests of a transcript and their answers. */
#ifndef MCT_TESTS_TALLY_H
#define MCT_TESTS_TALLY_H

#include "json/scan.h"

/* A request of a transcript, and how often it was answered. */
struct flow_request {
    unsigned hash; /* of the party and the id */
    unsigned n_asked, n_answered;
    bool owed; /* the last time it was asked on a connection that is still there */
};

enum { FLOW_REQUESTS = 512 };

struct flow_tally {
    struct flow_request v[FLOW_REQUESTS];
    unsigned n;
    bool bad_frame; /* a party has received invalid JSON */
};

/* Counts `frame`, which `who` has said, if it has an id; `owed`: if it is a request, it can still be answered. */
void tally_asked(struct flow_tally *t, const char *who, struct mcti_str frame, bool owed);

/* Counts `frame`, which `who` has received, if it is an answer. */
void tally_answered(struct flow_tally *t, const char *who, struct mcti_str frame);

#endif
