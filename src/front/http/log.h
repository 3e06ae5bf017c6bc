/* The access log: one JSON object per HTTP exchange, on one line, without secrets; see log.c. */
#ifndef MCT_FRONT_HTTP_LOG_H
#define MCT_FRONT_HTTP_LOG_H

#include "front/http/session.h"

/* Opens the log on the borrowed descriptor `fd`; -1: no log. */
void mcti_access_init(struct mcti_front_http *f, int fd);
void mcti_access_done(struct mcti_front_http *f);

/* Starts the record of an exchange; the next four functions add to it, mcti_access_end() writes it. */
void mcti_access_begin(struct mcti_front_http *f, struct mcti_http_exchange *x, struct mcti_str path);
void mcti_access_principal(struct mcti_http_exchange *x, unsigned principal);
void mcti_access_session(struct mcti_http_exchange *x, const struct mcti_http_session *s);
void mcti_access_message(struct mcti_http_exchange *x, const struct mcti_msg *msg);

/* Adds the name of the tool or prompt that `msg` calls, if the view has it. */
void mcti_access_name(const struct mcti_http_visit *v, struct mcti_view *view, const struct mcti_msg *msg);
void mcti_access_end(struct mcti_front_http *f, struct mcti_http_exchange *x);

#endif
