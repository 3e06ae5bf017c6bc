/* The pages of the HTTP front: the status page with its data, /healthz, /readyz and /metrics. */
#ifndef MCT_FRONT_PAGE_PAGE_H
#define MCT_FRONT_PAGE_PAGE_H

#include "front/http/http.h"

extern const struct mcti_http_pages mcti_pages;

#endif
