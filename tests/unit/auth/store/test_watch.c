#include "stored.h"

#include "io/folder.h"

#include <sys/resource.h>

static struct {
    struct mcti_loop loop;
    char keys[32][MCT_AUTH_KEY_CHARS + 1]; /* "": unknown which */
    unsigned n, n_warnings;
} here;

static void note_changed(void *data, const char *key)
{
    assert_ptr_equal(data, &here);
    if (here.n < 32)
        snprintf(here.keys[here.n++], sizeof *here.keys, "%s", key ? key : "");
    mcti_loop_stop(&here.loop);
}

static void note_line(enum mct_log_level level, const char *line, void *data)
{
    (void)data;
    if (level <= MCT_LOG_WARN && strstr(line, "cannot be watched"))
        here.n_warnings++;
}

static struct mcti_auth_store *open_watched(const char *kind)
{
    static const struct mcti_log log = { .level = MCT_LOG_WARN, .write = note_line };
    struct mct_error err;
    here.n = here.n_warnings = 0;
    assert_int_equal(mcti_loop_init(&here.loop, &log, &err), 0);
    struct mcti_auth_store *s = stored_open(kind);
    s->changed = note_changed;
    s->data = &here;
    assert_int_equal(s->ops->watch(s, &here.loop, &err), 0);
    return s;
}

static void close_watched(struct mcti_auth_store *s)
{
    mcti_auth_store_free(s);
    mcti_loop_done(&here.loop);
}

/* Runs the loop until this change was told. */
static void wait_for(const char *key)
{
    for (;;) {
        for (unsigned i = 0; i < here.n; i++)
            if (!strcmp(here.keys[i], key))
                return;
        uv_run(&here.loop.uv, UV_RUN_ONCE);
    }
}

/* Another process saves the text, or removes it. */
static void save_elsewhere(const char *text)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        struct mcti_auth_store *s = mcti_auth_store_open("file", stored_folder, NULL);
        _exit(!s || s->ops->save(s, stored_key, mcti_str_of(text), NULL) < 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void changes_of_other_processes_are_told(void **state)
{
    struct mcti_auth_store *s = open_watched("file");
    (void)state;
    assert_int_equal(access(stored_folder, F_OK), 0); /* created */
    assert_int_equal(here.n_warnings, 0);
    save_elsewhere("one");
    wait_for(stored_key);
    stored_expect(s, stored_key, "one");
    here.n = 0;
    save_elsewhere(NULL);
    wait_for(stored_key);
    stored_expect(s, stored_key, NULL);
    assert_int_equal(s->ops->watch(s, &here.loop, NULL), 0); /* once more changes nothing */
    close_watched(s);
}

/* Of a save only the text itself is told, once: not its unfinished file, and not locks. */
static void only_texts_are_told(void **state)
{
    struct mcti_auth_store *s = open_watched("file");
    char path[600], key[MCT_AUTH_KEY_CHARS + 1];
    (void)state;
    mcti_auth_key(key, MCT_STR("last"), MCT_STR(""));
    assert_int_equal(s->ops->lock(s, stored_key, NULL), 1);
    s->ops->unlock(s, stored_key);
    snprintf(path, sizeof path, "%s/notes.json", stored_folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    stored_save(s, stored_key, "one");
    stored_save(s, key, "last");
    wait_for(key);
    assert_int_equal(here.n, 2);
    assert_string_equal(here.keys[0], stored_key);
    assert_string_equal(here.keys[1], key);
    close_watched(s);
}

static void a_removed_folder_is_watched_again(void **state)
{
    struct mcti_auth_store *s = open_watched("file");
    char command[600];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", stored_folder);
    stored_save(s, stored_key, "one");
    wait_for(stored_key);
    here.n = 0;
    assert_int_equal(system(command), 0);
    wait_for("");
    while (access(stored_folder, F_OK) < 0)
        uv_run(&here.loop.uv, UV_RUN_ONCE);
    here.n = 0;
    save_elsewhere("two");
    wait_for(stored_key);
    close_watched(s);
}

/* Without inotify the store works all the same. */
static void a_system_that_cannot_watch_is_told(void **state)
{
    struct mct_error err;
    struct rlimit before, limit;
    int fds[64], n = 0;
    (void)state;
    static const struct mcti_log log = { .level = MCT_LOG_WARN, .write = note_line };
    here.n = here.n_warnings = 0;
    assert_int_equal(mcti_loop_init(&here.loop, &log, &err), 0);
    struct mcti_auth_store *s = stored_open("file");
    s->changed = note_changed;
    s->data = &here;
    assert_int_equal(mcti_folder_make(stored_folder), 0);
    getrlimit(RLIMIT_NOFILE, &before);
    limit = (struct rlimit){ 64, before.rlim_max };
    setrlimit(RLIMIT_NOFILE, &limit);
    while (n < 64 && (fds[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    int r = s->ops->watch(s, &here.loop, &err);
    while (n)
        close(fds[--n]);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(r, 0);
    assert_int_equal(here.n_warnings, 1);
    stored_save(s, stored_key, "one");
    stored_expect(s, stored_key, "one");
    close_watched(s);
}

static void memory_needs_no_watch(void **state)
{
    struct mcti_auth_store *s = stored_open("memory");
    (void)state;
    assert_null(s->ops->watch);
    mcti_auth_store_free(s);
}

#define STORED(test) cmocka_unit_test_setup_teardown(test, stored_setup, stored_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED(changes_of_other_processes_are_told),
        STORED(only_texts_are_told),
        STORED(a_removed_folder_is_watched_again),
        STORED(a_system_that_cannot_watch_is_told),
        STORED(memory_needs_no_watch),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
