/* The gateway ends, and some requests are not answered yet: each is told so. */
#include "front/http/impl.h"

/* `stream`: where what has no lane goes (HTTP+SSE); NULL: there is none. */
static void peer_bye(struct mcti_peer *p, struct mcti_lane *stream)
{
    MCT_LIST_EACH(it, &p->session.inbound) {
        const struct mcti_inbound *in = MCT_CONTAINER(it, struct mcti_inbound, node);
        struct mcti_lane *l = in->lane ? in->lane : stream;
        if (l)
            mcti_lane_bye(l, (struct mcti_str){ in->id, in->id_len });
    }
}

void mcti_http_bye(struct mcti_front_http *f)
{
    for (size_t i = 0; i < f->n_endpoints; i++)
        MCT_LIST_EACH(it, &f->endpoints[i].faces)
            peer_bye(MCT_CONTAINER(it, struct mcti_face, node)->stateless, NULL);
    struct mcti_list all;
    mcti_list_init(&all); /* leaving a lane moves its session to the end */
    while (!mcti_list_empty(&f->sessions)) {
        struct mcti_http_session *s = MCT_CONTAINER(f->sessions.next, struct mcti_http_session, node);
        peer_bye(s->peer, s->stream);
        mcti_list_remove(&s->node);
        mcti_list_append(&all, &s->node);
    }
    while (!mcti_list_empty(&all)) {
        struct mcti_list *node = all.next;
        mcti_list_remove(node);
        mcti_list_append(&f->sessions, node);
    }
}
