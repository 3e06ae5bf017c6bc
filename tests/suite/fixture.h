/* One end of a transport in a test: it owns the transport and notes what it hears. */
#ifndef MCT_TESTS_FIXTURE_H
#define MCT_TESTS_FIXTURE_H

#include "peers.h"

enum { MAX_IDS = 4096 };

struct fixture {
    struct mcti_loop loop;
    struct peer peer;
    struct mcti_transport *t;
    const struct row *row;
    unsigned n_sent;
    unsigned n_frames, n_lost, n_closed, last_id;
    size_t n_bytes;
    bool answered[MAX_IDS];
    char last[256];
    bool out_of_order, twice;
    bool failed;        /* closed with a reason */
    bool free_in_frame; /* free the transport inside its own callback */
    struct mcti_timer tick;
    unsigned n_ticks;
    uint64_t skew_ms, frame_ms; /* how far the clock is ahead; how long it takes to act on a message */
};

/* Runs one turn of the loop; where messages take time, the clock is ahead by that. */
void fixture_turn(struct fixture *f);

/* Owns the transport and listens to it. */
void fixture_listen(struct fixture *f, struct mcti_transport *t);

/* What only a transport over a process can do. Returns how many tests failed. */
int run_process_tests(void);

#endif
