/* Turns the configuration into options of the gateway and its fronts. They borrow from the configuration. */
#ifndef MCT_CONFIG_CONNECT_SERVE_H
#define MCT_CONFIG_CONNECT_SERVE_H

#include "config/config.h"
#include "front/http/http.h"

/* Returns the options of the gateway. `dialect` and `events` are borrowed. */
struct mcti_gateway_opts mcti_config_gateway(const struct mcti_config *c, const struct mcti_offer *offer,
                                             const struct mcti_dialect_opts *dialect, struct mcti_events *events);

/* Returns the options of the HTTP front, without an access log. `address` is HOST:PORT and borrowed. */
struct mcti_front_http_opts mcti_config_http(const struct mcti_config *c, const char *address,
                                             const struct mcti_naming *naming);

/* Returns the host part of HOST:PORT. */
struct mcti_str mcti_config_host(const char *address);

/* Returns -1 and sets *err if other machines could use every tool at `address` without a token. */
int mcti_config_check_exposure(const struct mcti_config *c, const char *address, struct mct_error *err);

#endif
