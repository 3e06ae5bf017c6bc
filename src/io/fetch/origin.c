#include "io/fetch/origin.h"

#include "base/limits.h"
#include "io/fetch/proxy.h"

#include <ctype.h>
#include <stdlib.h>

static const struct mcti_str https = MCT_STR("https://");

/* Returns true if host and port can be sent as they stand. */
static bool origin_name_is_plain(struct mcti_str name)
{
    static const struct mcti_str usual = MCT_STR(":443"); /* libcurl leaves it out */
    for (size_t i = 0; i < name.len; i++)
        if (!isalnum((unsigned char)name.p[i]) && !strchr(".-:[]", name.p[i]))
            return false;
    return name.len < usual.len || memcmp(name.p + name.len - usual.len, usual.p, usual.len) != 0;
}

/* Returns true if the fetch needs nothing that only libcurl does. */
static bool origin_suits(const struct mcti_fetch *f, struct mcti_direct_host *ret)
{
    return f->client->curl.ssl_has_pending && !f->public_only && !f->ca_file && !f->cert_file && !f->key_file &&
           mcti_direct_split_url(f->url, https, ret) && origin_name_is_plain(ret->name);
}

bool mcti_origin_find(struct mcti_fetch *f)
{
    struct mcti_direct_host host;
    if (!f->client->origins.n || !origin_suits(f, &host))
        return false;
    struct mcti_map_node *node = mcti_map_get(&f->client->origins, host.name);
    if (!node || !MCT_CONTAINER(node, struct mcti_origin, node)->is_direct)
        return false;
    host.origin = MCT_CONTAINER(node, struct mcti_origin, node);
    f->host = host;
    return true;
}

static struct mcti_origin *origin_new(struct mcti_http_client *c, struct mcti_str name)
{
    struct mcti_origin *o = c->origins.n < MCT_LIMIT_HTTP_ORIGINS ? calloc(1, sizeof *o + name.len) : NULL;
    char *at = (char *)(o + 1);
    if (o && mcti_map_put(&c->origins, &o->node, mcti_str_keep(&at, name)) < 0) {
        free(o);
        o = NULL;
    }
    return o;
}

/* Returns true if libcurl has got an answer in HTTP/1.1, with a TLS library of which the direct connections know when
 * it holds bytes. */
static bool origin_is_seen(const struct mcti_fetch *f)
{
    const struct mcti_curl *curl = &f->client->curl;
    struct curl_tlssessioninfo *tls = NULL;
    long version = 0;
    curl->easy_getinfo(f->easy, CURLINFO_HTTP_VERSION, &version);
    curl->easy_getinfo(f->easy, CURLINFO_TLS_SSL_PTR, &tls);
    return version == CURL_HTTP_VERSION_1_1 && tls && tls->backend == CURLSSLBACKEND_OPENSSL;
}

void mcti_origin_learn(struct mcti_fetch *f)
{
    struct mcti_direct_host host;
    if (!origin_suits(f, &host) || !origin_is_seen(f) || mcti_proxy_for(&f->client->curl, f->url))
        return;
    struct mcti_map_node *node = mcti_map_get(&f->client->origins, host.name);
    struct mcti_origin *o = node ? MCT_CONTAINER(node, struct mcti_origin, node) : origin_new(f->client, host.name);
    if (o)
        o->is_direct = true;
}

void mcti_origin_doubt(struct mcti_origin *o)
{
    o->is_direct = false;
}

void mcti_origins_free(struct mcti_http_client *c)
{
    struct mcti_map_node *node;
    while ((node = mcti_map_any(&c->origins))) {
        mcti_map_remove(&c->origins, node);
        free(MCT_CONTAINER(node, struct mcti_origin, node));
    }
    mcti_map_done(&c->origins);
}
