/* Where the pins of a server are, and how it is started. */
#include "pins/pins.h"

#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns the folder of files of mcptools of the user; NULL: none. */
static char *place_of_user(void)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int r = base && *base == '/' ? asprintf(&path, "%s/mcptools/" MCT_PINS_FILE, base)
            : home && *home      ? asprintf(&path, "%s/.config/mcptools/" MCT_PINS_FILE, home)
                                 : -1;
    return r < 0 ? NULL : path;
}

char *mcti_pins_path(const struct mcti_config_server *s)
{
    const char *slash = s->file ? strrchr(s->file, '/') : NULL;
    char *path = NULL;
    if (!s->file)
        return NULL;
    if (s->client)
        return place_of_user();
    return asprintf(&path, "%.*s" MCT_PINS_FILE, slash ? (int)(slash - s->file + 1) : 0, s->file) < 0 ? NULL : path;
}

/* Appends the text of all that decides what is started; secrets stay in the hash. */
static void place_put_identity(struct mcti_buf *to, const struct mcti_config_server *s)
{
    mcti_buf_addc(to, '[');
    mcti_json_put_string(to, mcti_str_of(s->command ? s->command : s->url ? s->url : ""));
    for (size_t i = 0; i < s->args.n; i++) {
        mcti_buf_addc(to, ',');
        mcti_json_put_string(to, mcti_str_of(s->args.v[i]));
    }
    for (size_t i = 0; i < s->plugins.n; i++) {
        mcti_buf_addc(to, ',');
        mcti_json_put_string(to, mcti_str_of(s->plugins.v[i]));
    }
    mcti_buf_addc(to, ']');
}

int mcti_pins_put_about(struct mcti_buf *to, const struct mcti_config_server *s)
{
    struct mcti_buf identity;
    char hash[MCT_PINS_HASH_CHARS + 1];
    mcti_buf_init(&identity, 1u << 20);
    place_put_identity(&identity, s);
    int r = mcti_buf_ok(&identity) ? mcti_pins_hash(mcti_buf_str(&identity), hash) : -1;
    if (r == 0)
        mcti_buf_printf(to, "{\"%s\":{\"sha256\":\"%s\"}}", s->command ? "command" : s->url ? "url" : "plugins", hash);
    mcti_buf_done(&identity);
    return r;
}
