/* Who may change the file of a plugin: its code runs as the user of this process. */
#include "hub/plugin/impl.h"

#include <sys/stat.h>
#include <unistd.h>

int mcti_plugin_check_owner(const char *path, struct mct_error *err)
{
    struct stat st;
    if (!strchr(path, '/') || stat(path, &st) < 0)
        return 0; /* dlopen() searches for it, or says why there is none */
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "%s: belongs to another user (uid %u) and is not loaded, because that user could run any "
                         "program as you: change its owner",
                         path, (unsigned)st.st_uid);
    if (st.st_mode & S_IWOTH)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "%s: every user may write to it, so it is not loaded: remove that permission (chmod o-w)",
                         path);
    return 0;
}
