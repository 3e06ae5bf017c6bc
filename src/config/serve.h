/* Turns the configuration into options of the gateway and its fronts. They borrow from the configuration. */
#ifndef MCT_CONFIG_SERVE_H
#define MCT_CONFIG_SERVE_H

#include "config/config.h"
#include "front/http/http.h"

/* `dialect` and `events` are borrowed. */
struct mct_gateway_opts mct_config_gateway(const struct mct_config *c, const struct mct_offer *offer,
                                           const struct mct_dialect_opts *dialect, struct mct_events *events);

/* Returns options without an access log. `address` is HOST:PORT and borrowed. */
struct mct_front_http_opts mct_config_http(const struct mct_config *c, const char *address,
                                           const struct mct_naming *naming);

/* Returns the host part of HOST:PORT. */
struct mct_str mct_config_host(const char *address);

/* Returns -1 with *err if other machines could use every tool at `address` without a token. */
int mct_config_check_exposure(const struct mct_config *c, const char *address, struct mct_error *err);

#endif
