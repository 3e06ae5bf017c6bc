/*
 * An intake limits how many bytes and messages of one connection are processed in one turn of the event loop. The owner
 * feeds the bytes it has read, and take() receives them until the share of this turn is used up: share_bytes bytes or
 * MCT_TURN_FRAMES messages. The rest is buffered, reading is paused with hold(), and both continue in the next turn. A
 * peer that never pauses therefore cannot starve other connections, and back-pressure reaches it through its socket.
 *
 * A share of each turn is still a processor, and another one for the peer. So the owner reports bytes that nobody asked
 * for as waste; when there was more than MCT_WASTE_BYTES, it waits until MCT_WASTE_BYTES_PER_S has made up for it.
 *
 * Owns the buffered bytes; does not own the connection. Sans I/O.
 */
#ifndef MCT_IO_INTAKE_H
#define MCT_IO_INTAKE_H

#include "base/buf.h"
#include "base/sched/sched.h"

struct mcti_intake {
    struct mcti_sched *sched;
    /* Consumes bytes from the front of *bytes; must consume all of them unless mcti_intake_frame() returned false. */
    void (*take)(void *data, struct mcti_str *bytes);
    /* Pauses (true) or resumes (false) reading the connection. */
    void (*hold)(void *data, bool hold);
    void *data;         /* argument of both callbacks */
    size_t share_bytes; /* bytes per turn; MCT_TURN_BYTES unless the owner sets it */

    struct mcti_task again;
    struct mcti_timer pause;
    uint64_t waste, waste_ms; /* bytes of waste at that time; it decreases */
    struct mcti_buf rest;     /* bytes before `at` are consumed, the others are pending */
    size_t at;
    uint64_t turn; /* turn that n_bytes and n_frames belong to */
    size_t n_bytes;
    unsigned n_frames;
    bool holding, stopped;
};

/* Initializes `in`. `max` limits the pending bytes; it must leave room for the bytes that are read before hold() takes
 * effect. The owner sets take, hold and data afterwards. */
void mcti_intake_init(struct mcti_intake *in, struct mcti_sched *sched, size_t max);

/* Stops all callbacks. Bytes that take() is processing stay valid. */
void mcti_intake_stop(struct mcti_intake *in);

/* Frees the pending bytes. Must not be called from inside take(). */
void mcti_intake_done(struct mcti_intake *in);

/* Feeds bytes that were read. Returns -1 if they cannot be buffered: the stream then has a gap and must be closed. */
int mcti_intake_feed(struct mcti_intake *in, struct mcti_str bytes);

/* Counts one processed message. Returns false if no further message may be processed in this turn. */
bool mcti_intake_frame(struct mcti_intake *in);

/* Reports bytes that the peer has sent without need. */
void mcti_intake_waste(struct mcti_intake *in, size_t n);

/* Returns true if bytes are pending for the next turn. */
bool mcti_intake_waits(const struct mcti_intake *in);

#endif
