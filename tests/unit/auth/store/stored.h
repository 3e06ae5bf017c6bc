/* A folder for stores of a test, and what the tests of stores share. */
#ifndef MCT_TESTS_STORED_H
#define MCT_TESTS_STORED_H

#include "unit.h"

#include "auth/store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char stored_folder[256], stored_key[MCT_AUTH_KEY_CHARS + 1];

/* Makes a folder above the one of the store, which is not there yet. */
static int stored_setup(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(stored_folder, sizeof stored_folder, "%s/mct-store-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(stored_folder))
        return -1;
    strcat(stored_folder, "/state/credentials");
    mcti_auth_key(stored_key, MCT_STR("https://example.com/mcp"), MCT_STR(""));
    return 0;
}

static int stored_teardown(void **state)
{
    char command[512];
    (void)state;
    *strstr(stored_folder, "/state/") = '\0';
    snprintf(command, sizeof command, "rm -rf '%s'", stored_folder);
    return system(command);
}

static inline char *stored_path(const char *ending)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s%s", stored_folder, stored_key, ending);
    return path;
}

static inline struct mcti_auth_store *stored_open(const char *kind)
{
    struct mct_error err = { 0 };
    struct mcti_auth_store *s = mcti_auth_store_open(kind, stored_folder, &err);
    if (!s)
        print_message("%s\n", err.message);
    assert_non_null(s);
    return s;
}

static inline void stored_save(struct mcti_auth_store *s, const char *key, const char *text)
{
    struct mct_error err = { 0 };
    int r = s->ops->save(s, key, mcti_str_of(text), &err);
    if (r < 0)
        print_message("%s\n", err.message);
    assert_int_equal(r, 0);
}

/* The text of the key is this one; NULL: there is none. */
static inline void stored_expect(struct mcti_auth_store *s, const char *key, const char *text)
{
    struct mct_error err = { 0 };
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_AUTH_BYTES);
    int r = s->ops->load(s, key, &b, &err);
    if (r < 0)
        print_message("%s\n", err.message);
    assert_int_equal(r, 0);
    assert_buf(&b, text ? text : "");
    mcti_buf_done(&b);
}

/* Loading fails and appends nothing; the message is in *err. */
static inline void stored_refuses(struct mcti_auth_store *s, const char *key, struct mct_error *err)
{
    struct mcti_buf b;
    *err = (struct mct_error){ 0 };
    mcti_buf_init(&b, MCT_LIMIT_AUTH_BYTES);
    mcti_buf_addz(&b, "before");
    assert_int_equal(s->ops->load(s, key, &b, err), -1);
    assert_buf(&b, "before");
    mcti_buf_done(&b);
}

static inline unsigned stored_n_files(void)
{
    unsigned n = 0;
    DIR *d = opendir(stored_folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d)
        closedir(d);
    return n;
}

/* A secret-tool that keeps the secret in a file, and notes the arguments and names of variables that it gets. */
#define SECRET_TOOL                                                                                                    \
    "echo \"$*\" >> arguments\n"                                                                                       \
    "case \"$*\" in\n"                                                                                                 \
    "'lookup service mcptools key credentials') [ -f secret ] || exit 1; cat secret;;\n"                               \
    "'store --label='*' service mcptools key credentials') cat > new && mv new secret;;\n"                             \
    "*) echo 'wrong arguments' >&2; exit 2;;\n"                                                                        \
    "esac"

/* Puts a program `secret-tool` with this text in front of PATH. It runs in its own folder, above that of the store. */
static inline void stored_fake_tool(const char *script)
{
    static char *path;
    char folder[256], name[300];
    path = path ? path : strdup(getenv("PATH"));
    snprintf(folder, sizeof folder, "%.*s", (int)(strstr(stored_folder, "/state/") - stored_folder), stored_folder);
    snprintf(name, sizeof name, "%s/secret-tool", folder);
    FILE *f = fopen(name, "w");
    fprintf(f, "#!/bin/sh\ncd '%s'\n%s\n", folder, script);
    fchmod(fileno(f), 0755);
    fclose(f);
    snprintf(name, sizeof name, "%s:", folder);
    char *both = malloc(strlen(name) + strlen(path) + 1);
    setenv("PATH", strcat(strcpy(both, name), path), 1);
    free(both);
}

/* Returns the text of a file beside the fake, in memory of this function. */
static inline const char *stored_fake_text(const char *name)
{
    static char text[8192];
    char path[300];
    snprintf(path, sizeof path, "%.*s/%s", (int)(strstr(stored_folder, "/state/") - stored_folder), stored_folder,
             name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
    return f ? text : NULL;
}

#endif
