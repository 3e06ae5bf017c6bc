/* From the configuration to what serves clients. What is returned borrows from the configuration. */
#ifndef MCT_CONFIG_SERVE_H
#define MCT_CONFIG_SERVE_H

#include "config/config.h"
#include "front/http/http.h"

/* `dialect` and `events` are borrowed. */
struct mcti_gateway_opts mcti_config_gateway(const struct mcti_config *c, const struct mcti_offer *offer,
                                             const struct mcti_dialect_opts *dialect, struct mcti_events *events);

/* `address`: HOST:PORT, borrowed. There is no access log. */
struct mcti_front_http_opts mcti_config_http(const struct mcti_config *c, const char *address,
                                             const struct mcti_naming *naming);

/* The host part of HOST:PORT. */
struct mcti_str mcti_config_host(const char *address);

/* -1 with *err when other machines could use every tool there, and need no token. */
int mcti_config_check_exposure(const struct mcti_config *c, const char *address, struct mct_error *err);

#endif
