/* What servers with a URL need: libcurl, certificates, proxies. */
#include "cli/doctor/doctor.h"

#include "io/fetch/curl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static bool uses_urls(const struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_servers; i++)
        if (c->servers[i].url && c->servers[i].enabled)
            return true;
    return false;
}

static void check_library(struct mcti_doctor *d, bool needed)
{
    struct mcti_curl curl;
    struct mct_error err;
    if (mcti_curl_load(&curl, &err) < 0) {
        mcti_doctor_say(d, needed ? DOCTOR_ERROR : DOCTOR_WARNING, "%s", err.message);
        return;
    }
    char *(*version)(void) = NULL;
    *(void **)&version = dlsym(curl.library, "curl_version");
    const char *text = version ? version() : "libcurl";
    mcti_doctor_say(d, DOCTOR_OK, "%.*s", (int)strcspn(text, " "), text);
    mcti_curl_unload(&curl);
}

static void check_certificates(struct mcti_doctor *d)
{
    static const char *const variables[] = { "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS" };
    static const char *const usual[] = { "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                         "/etc/ssl/cert.pem" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *path = getenv(variables[i]);
        if (path && *path && access(path, R_OK) < 0)
            mcti_doctor_say(d, DOCTOR_ERROR, "%s: '%s' cannot be read; correct the variable or unset it", variables[i],
                            path);
        else if (path && *path)
            mcti_doctor_say(d, DOCTOR_OK, "%s: certificates in %s", variables[i], path);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (access(usual[i], R_OK) == 0) {
            mcti_doctor_say(d, DOCTOR_OK, "certificates in %s", usual[i]);
            return;
        }
    mcti_doctor_say(d, DOCTOR_WARNING,
                    "no certificates in the usual places: https:// will fail; install "
                    "ca-certificates, or set SSL_CERT_FILE");
}

static void check_proxies(struct mcti_doctor *d)
{
    static const char *const variables[] = { "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *url = getenv(variables[i]);
        struct mcti_buf shown; /* without credentials */
        if (!url || !*url)
            continue;
        mcti_buf_init(&shown, 1u << 16);
        mcti_config_put_url(&shown, url);
        mcti_doctor_say(d, DOCTOR_OK, "%s: proxy %.*s (loopback addresses do not use it)", variables[i],
                        MCT_STR_ARG(mcti_buf_str(&shown)));
        mcti_buf_done(&shown);
    }
}

void mcti_doctor_network(struct mcti_doctor *d)
{
    check_library(d, uses_urls(&d->app->inst.config));
    check_certificates(d);
    check_proxies(d);
}
