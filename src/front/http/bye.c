/* The gateway ends, and some requests are not answered yet: each is told so. */
#include "front/http/impl.h"

/* `stream`: where what has no lane goes (HTTP+SSE); NULL: there is none. */
static void peer_bye(struct mct_peer *p, struct lane *stream)
{
    MCT_LIST_EACH(it, &p->session.inbound) {
        const struct mct_inbound *in = MCT_CONTAINER(it, struct mct_inbound, node);
        struct lane *l = in->lane ? in->lane : stream;
        if (l)
            lane_bye(l, (struct mct_str){ in->id, in->id_len });
    }
}

void bye(struct mct_front_http *f)
{
    for (size_t i = 0; i < f->n_endpoints; i++)
        MCT_LIST_EACH(it, &f->endpoints[i].faces)
            peer_bye(MCT_CONTAINER(it, struct face, node)->stateless, NULL);
    struct mct_list all;
    mct_list_init(&all); /* leaving a lane moves its session to the end */
    while (!mct_list_empty(&f->sessions)) {
        struct http_session *s = MCT_CONTAINER(f->sessions.next, struct http_session, node);
        peer_bye(s->peer, s->stream);
        mct_list_remove(&s->node);
        mct_list_append(&all, &s->node);
    }
    while (!mct_list_empty(&all)) {
        struct mct_list *node = all.next;
        mct_list_remove(node);
        mct_list_append(&f->sessions, node);
    }
}
