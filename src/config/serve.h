/* From the configuration to what serves clients. What is returned borrows from the configuration. */
#ifndef MCT_CONFIG_SERVE_H
#define MCT_CONFIG_SERVE_H

#include "config/config.h"
#include "front/http/http.h"

/* `dialect` and `events` are borrowed. */
struct mct_gateway_opts mct_config_gateway(const struct mct_config *c, const struct mct_offer *offer,
                                           const struct mct_dialect_opts *dialect, struct mct_events *events);

/* `address`: HOST:PORT, borrowed. There is no access log. */
struct mct_front_http_opts mct_config_http(const struct mct_config *c, const char *address,
                                           const struct mct_naming *naming);

/* The host part of HOST:PORT. */
struct mct_str mct_config_host(const char *address);

/* -1 with *err when other machines could use every tool there, and need no token. */
int mct_config_check_exposure(const struct mct_config *c, const char *address, struct mct_error *err);

#endif
