#include "io/fetch/curl.h"

#include <dlfcn.h>

static const char *const names[] = { "libcurl.so.4", "libcurl.4.dylib" };

static void *open_library(void)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* Finds functions of the TLS library that libcurl was linked with. */
static void find_tls_functions(struct mcti_curl *c)
{
    void *pending = dlsym(c->library, "SSL_has_pending"), *ahead = dlsym(c->library, "SSL_set_read_ahead");
    void *ctrl = dlsym(c->library, "SSL_ctrl");
    if (!pending || !ahead || !ctrl)
        return;
    memcpy(&c->ssl_has_pending, &pending, sizeof pending);
    memcpy(&c->ssl_ctrl, &ctrl, sizeof ctrl);
    memcpy(&c->ssl_set_read_ahead, &ahead, sizeof ahead);
}

int mcti_curl_load(struct mcti_curl *c, struct mct_error *err)
{
    *c = (struct mcti_curl){ .library = open_library() };
    if (!c->library)
        return mcti_fail(err, MCT_ERR_CONNECT,
                         "libcurl cannot be loaded: %s; servers with a URL need it (Debian: install libcurl4)",
                         dlerror());
    const struct {
        const char *name;
        void *slot;
    } wanted[] = {
#define WANTED(name) { "curl_" #name, &c->name },
        MCT_CURL_FUNCTIONS(WANTED)
#undef WANTED
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(c->library, wanted[i].name);
        if (!symbol) {
            mcti_fail(err, MCT_ERR_CONNECT, "the installed libcurl is too old: function %s is missing", wanted[i].name);
            dlclose(c->library);
            c->library = NULL;
            return -1;
        }
        memcpy(wanted[i].slot, &symbol, sizeof symbol);
    }
    find_tls_functions(c);
    c->global_init(CURL_GLOBAL_DEFAULT);
    return 0;
}

/* Cleans up libcurl, but does not unmap it: OpenSSL leaves exit handlers behind that point into it. */
void mcti_curl_unload(struct mcti_curl *c)
{
    c->global_cleanup();
}
