/* Words and wishes; the part that is the same on all systems. */
#include "io/sandbox/sandbox.h"

#include <stdlib.h>

const struct mcti_word mcti_sandbox_modes[] = {
    { "off", MCT_SANDBOX_OFF },
    { "best-effort", MCT_SANDBOX_BEST_EFFORT },
    { "strict", MCT_SANDBOX_STRICT },
    { 0 },
};

const struct mcti_word mcti_sandbox_networks[] = {
    { "on", MCT_SANDBOX_NET_ON },
    { "off", MCT_SANDBOX_NET_OFF },
    { "list", MCT_SANDBOX_NET_LIST },
    { 0 },
};

const struct mcti_word mcti_sandbox_allows[] = {
    { "namespaces", MCT_SANDBOX_NAMESPACES },
    { "unix-sockets", MCT_SANDBOX_UNIX },
    { "debug", MCT_SANDBOX_DEBUG },
    { "private-addresses", MCT_SANDBOX_PRIVATE },
    { 0 },
};

int mcti_sandbox_paths_add(struct mcti_sandbox_paths *to, char *take_path, bool write, bool optional)
{
    for (size_t i = 0; take_path && i < to->n; i++)
        if (!strcmp(to->v[i].path, take_path) && (to->v[i].write || !write)) {
            free(take_path);
            return 0;
        }
    struct mcti_sandbox_path *v = take_path ? realloc(to->v, (to->n + 1) * sizeof *v) : NULL;
    if (!v) {
        free(take_path);
        return -1;
    }
    to->v = v;
    v[to->n++] = (struct mcti_sandbox_path){ take_path, write, optional };
    return 0;
}

void mcti_sandbox_wish_done(struct mcti_sandbox_wish *w)
{
    for (size_t i = 0; i < w->paths.n; i++)
        free(w->paths.v[i].path);
    free(w->paths.v);
    mcti_strings_clear(&w->hidden);
    mcti_strings_clear(&w->sealed);
    free(w->label);
    *w = (struct mcti_sandbox_wish){ 0 };
}
