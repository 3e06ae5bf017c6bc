#include "config/connect/serve.h"

#include <string.h>

struct mcti_gateway_opts mcti_config_gateway(const struct mcti_config *c, const struct mcti_offer *offer,
                                             const struct mcti_dialect_opts *dialect, struct mcti_events *events)
{
    return (struct mcti_gateway_opts){
        .list_wait_ms = c->list_wait_ms,
        .instructions_wait_ms = c->list_wait_ms,
        .message_bytes = c->message_bytes,
        .page_items = c->page_items,
        .offer = *offer,
        .app_rules = c->apps,
        .dialect = dialect,
        .preferred = c->preferred,
        .apart = c->n_tokens > 0,
        .memory = { c->memory_bytes, c->principal_share, c->client_share, c->server_share, false },
        .subscriptions = c->subscriptions,
        .rate = c->rate,
        .policy = mcti_config_policy(c),
        .events = events,
        .cache = &c->cache,
        .results = { .rules = &c->results.rules, .bytes = c->results.bytes, .ttl_ms = c->results.ttl_ms }
    };
}

struct mcti_str mcti_config_host(const char *address)
{
    const char *colon = strrchr(address, ':');
    return colon ? mcti_str_range(address, colon) : mcti_str_of(address);
}

struct mcti_front_http_opts mcti_config_http(const struct mcti_config *c, const char *address,
                                             const struct mcti_naming *naming)
{
    struct mcti_str host = mcti_config_host(address);
    return (struct mcti_front_http_opts){
        .address = address,
        .guard = { .loopback = mcti_is_loopback_host(host),
                   .bound_host = host,
                   .hosts = (const char *const *)c->hosts.v,
                   .n_hosts = c->hosts.n,
                   .origins = (const char *const *)c->origins.v,
                   .n_origins = c->origins.n,
                   .tokens = c->tokens,
                   .n_tokens = c->n_tokens },
        .naming = *naming,
        .message_bytes = c->message_bytes,
        .connections = c->connections,
        .sessions = c->sessions,
        .legacy_sse = c->legacy_sse,
        .access_log = -1,
    };
}

int mcti_config_check_exposure(const struct mcti_config *c, const char *address, struct mct_error *err)
{
    bool unclear = !strchr(address, ':'); /* opening the port will report the invalid address */
    if (unclear || mcti_is_loopback_host(mcti_config_host(address)) || c->n_tokens)
        return 0;
    return mcti_fail(err, MCT_ERR_CONFIG,
                     "listening on %s lets other machines use every tool: configure "
                     "serve.tokens, or listen on 127.0.0.1",
                     address);
}
