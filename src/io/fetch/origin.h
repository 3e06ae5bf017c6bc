/*
 * Servers with TLS that have answered in HTTP/1.1 when HTTP/2 was offered to them: their fetches go over direct
 * connections. libcurl makes the first fetch of each server, and all others.
 */
#ifndef MCT_IO_HTTP_ORIGIN_H
#define MCT_IO_HTTP_ORIGIN_H

#include "io/fetch/direct.h"

struct mcti_origin {
    struct mcti_map_node node; /* key: host and port, as in the URL */
    bool is_direct;
};

/* Reads the URL of a fetch into f->host. Returns true if its server is known, and its fetch needs nothing special. */
bool mcti_origin_find(struct mcti_fetch *f);

/* Learns from a fetch that libcurl has completed. */
void mcti_origin_learn(struct mcti_fetch *f);

/* Leaves the next fetch to libcurl again. */
void mcti_origin_doubt(struct mcti_origin *o);

void mcti_origins_free(struct mcti_http_client *c);

#endif
