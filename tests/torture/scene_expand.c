/* Texts with variables, files and commands, relative to a configuration file. */
#include "scene.h"

#include "config/expand/expand.h"
#include "failing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char text[] = "a ${file:secret} ${MISSING:-b} ${cmd:echo 'c d'} $${x} ${credential:secret}";
static const char json[] = "{\"k\":[\"${file:secret}\",1,{\"l\":\"${MISSING:-b}\"}]}";

static int expand_all(struct mcti_buf *to, const char *file)
{
    struct mct_error err;
    char *anchored = strdup(text), *expanded = NULL;
    int result = anchored ? mcti_expand_anchor(&anchored, file) : -1;
    if (result == 0 && !(expanded = mcti_expand(anchored, &err)))
        result = -1;
    if (result == 0)
        mcti_buf_addz(to, expanded);
    if (result == 0)
        result = mcti_expand_json(to, mcti_str_of(json), file, &err);
    free(expanded);
    free(anchored);
    return result;
}

int scene_expand(struct mcti_buf *to)
{
    char folder[] = "/tmp/mct-torture-XXXXXX", path[64];
    test_begins();
    int result = mkdtemp(folder) ? 0 : 1;
    snprintf(path, sizeof path, "%s/secret", folder);
    FILE *f = result == 0 ? fopen(path, "w") : NULL;
    if (f) {
        fputs("the secret\n", f);
        fclose(f);
    }
    setenv("CREDENTIALS_DIRECTORY", folder, 1);
    test_ends();
    snprintf(path, sizeof path, "%s/mcptools.json", folder);
    result = result ? result : expand_all(to, path);
    test_begins();
    snprintf(path, sizeof path, "%s/secret", folder);
    unlink(path);
    rmdir(folder);
    test_ends();
    return result;
}
