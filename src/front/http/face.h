/*
 * A face: the view of one endpoint for clients with the same offer. Faces are created on demand; idle ones are freed
 * after a while or to make room. The first face of an endpoint serves clients without preferences and is never freed
 * before the endpoint.
 */
#ifndef MCT_FRONT_HTTP_FACE_H
#define MCT_FRONT_HTTP_FACE_H

#include "front/http/impl.h"

struct mcti_http_session;

struct mcti_face {
    struct mcti_http_endpoint *endpoint;
    struct mcti_list node;
    struct mcti_offer offer;
    struct mcti_view view;
    struct mcti_peer *stateless; /* peer of all 2026-07-28 requests to this face */
    unsigned principal;          /* principal whose request created the face */
    bool in_use;                 /* a session that uses it is not idle; valid only while a face to free is chosen */
    uint64_t used_ms;            /* time of the last request */
};

/* Message of the refusal when no face can be created. */
extern const char mcti_faces_too_many[];

/* Returns the face for clients with these preferences and creates it if necessary. Returns NULL if there are too many
 * faces in use, or when out of memory. */
struct mcti_face *mcti_face_for(struct mcti_http_endpoint *e, const struct mcti_client_prefs *prefs,
                                unsigned principal);

/* Returns the face for a request outside a session; on failure answers with 503 and returns NULL. */
struct mcti_face *mcti_face_for_visit(const struct mcti_http_visit *v, struct mcti_str id);

/* Gives the session a face again if its own was freed. Returns false if there is no room for one. */
bool mcti_http_session_restore_face(struct mcti_http_session *s);

/* Frees the faces that have been idle for too long. */
void mcti_faces_expire(struct mcti_front_http *f);

/* Returns the first face of the endpoint; NULL if it could not be created. */
struct mcti_face *mcti_face_first(const struct mcti_http_endpoint *e);
void mcti_faces_free(struct mcti_http_endpoint *e);

#endif
