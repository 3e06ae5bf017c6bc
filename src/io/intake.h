/*
 * A connection's share of a turn of the loop. Its owner hands over the bytes it has read; they are given
 * on until the share is used up: share_bytes read, or MCT_TURN_FRAMES messages acted on. The rest is
 * kept, the connection is not read, and both go on in the next turn. So a peer that never pauses leaves
 * time for everybody else, and what it sends too fast waits in its own socket.
 *
 * Owns the bytes that wait; does not own the connection. Sans I/O.
 */
#ifndef MCT_IO_INTAKE_H
#define MCT_IO_INTAKE_H

#include "base/buf.h"
#include "base/sched/sched.h"

struct mcti_intake {
    struct mcti_sched *sched;
    /* Takes from the front of *bytes, all of them unless mcti_intake_frame() says stop. */
    void (*take)(void *data, struct mcti_str *bytes);
    /* Stops reading the connection, or reads on. */
    void (*hold)(void *data, bool hold);
    void *data;         /* for both */
    size_t share_bytes; /* of a turn: MCT_TURN_BYTES, unless the owner knows better */

    struct mcti_task again;
    struct mcti_buf rest; /* from `at` on it waits */
    size_t at;
    uint64_t turn; /* in which the share below was used */
    size_t n_bytes;
    unsigned n_frames;
    bool holding, stopped;
};

/* `max` bounds what may wait, beyond what is read before hold() has its effect. The three members named
 * first are set by the owner. */
void mcti_intake_init(struct mcti_intake *in, struct mcti_sched *sched, size_t max);

/* Nothing is called any more; bytes that are just being taken stay where they are. */
void mcti_intake_stop(struct mcti_intake *in);

/* Frees what waits. Not from inside take(). */
void mcti_intake_done(struct mcti_intake *in);

/* Bytes that were read. -1 when they cannot be kept: the stream has a gap then, and must end. */
int mcti_intake_feed(struct mcti_intake *in, struct mcti_str bytes);

/* Counts a message that was taken; false: no more of them in this turn. */
bool mcti_intake_frame(struct mcti_intake *in);

/* Whether bytes wait for the next turn. */
bool mcti_intake_waits(const struct mcti_intake *in);

#endif
