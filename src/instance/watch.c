#include "instance/watch.h"

#include "base/hash.h"
#include "base/list.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUIET_MS = 300, LONGEST_MS = 3000, POLL_MS = 2000, MAX_LINKS = 16, MAX_SPOTS = 256 };

/* A name in a folder. */
struct spot {
    struct mcti_list node;
    struct mcti_config_watch *watch;
    uv_fs_event_t event;
    char folder[PATH_MAX], name[NAME_MAX + 1];
};

struct mcti_config_watch {
    struct mcti_loop *loop;
    struct mcti_config_watch_ops ops;
    void *data;
    struct mcti_list spots;
    size_t n_spots;
    uint64_t seen;     /* what the files were like when they were listed */
    uint64_t since_ms; /* time of the first event that was not dealt with; 0: none */
    bool polls;        /* a folder cannot be watched */
    struct mcti_timer quiet, poll;
};

/* ---- what the files are like ---- */

static uint64_t hash_file(uint64_t hash, const char *path)
{
    struct stat st;
    char text[160];
    if (stat(path, &st) < 0)
        st = (struct stat){ 0 };
    snprintf(text, sizeof text, "%llu %llu %lld %lld.%09ld", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return mcti_hash(mcti_hash(hash, mcti_str_of(path)), mcti_str_of(text));
}

static uint64_t hash_files(const struct mcti_strings *paths)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < paths->n; i++)
        hash = hash_file(hash, paths->v[i]);
    return hash;
}

/* ---- folders ---- */

static void watch_plan(struct mcti_config_watch *w)
{
    uint64_t now = mcti_sched_now(&w->loop->sched);
    w->since_ms = w->since_ms ? w->since_ms : now;
    uint64_t left = w->since_ms + LONGEST_MS > now ? w->since_ms + LONGEST_MS - now : 0;
    mcti_timer_set(&w->loop->sched, &w->quiet, left < QUIET_MS ? (unsigned)left : QUIET_MS);
}

static void spot_on_event(uv_fs_event_t *event, const char *name, int events, int status)
{
    const struct spot *s = event->data;
    const char *last = strrchr(s->folder, '/');
    (void)events;
    if (status < 0 || !name || !strcmp(name, s->name) || (last && !strcmp(name, last + 1)))
        watch_plan(s->watch);
}

static void spot_on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void spot_free(struct spot *s)
{
    mcti_list_remove(&s->node);
    uv_close((uv_handle_t *)&s->event, spot_on_closed);
}

static bool watch_has(const struct mcti_config_watch *w, const char *folder, const char *name)
{
    MCT_LIST_EACH(it, &w->spots) {
        const struct spot *s = MCT_CONTAINER(it, struct spot, node);
        if (!strcmp(s->folder, folder) && !strcmp(s->name, name))
            return true;
    }
    return false;
}

/* Watches the last name of the absolute path. */
static void watch_name(struct mcti_config_watch *w, const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    struct spot *s = w->n_spots < MAX_SPOTS && !watch_has(w, folder, slash + 1) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return;
    s->watch = w;
    s->event.data = s;
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    snprintf(s->name, sizeof s->name, "%s", slash + 1);
    uv_fs_event_init(&w->loop->uv, &s->event);
    mcti_list_append(&w->spots, &s->node);
    w->n_spots++;
    w->polls |= uv_fs_event_start(&s->event, spot_on_event, folder, 0) < 0;
    uv_unref((uv_handle_t *)&s->event);
}

/* Writes the path that the symbolic link at `link` leads to, followed by `rest`. Returns -1 if it is too long. */
static int follow_link(const char *link, const char *rest, char to[PATH_MAX])
{
    char target[PATH_MAX];
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n < 0)
        return -1;
    target[n] = '\0';
    int folder = *target == '/' ? 0 : (int)(strrchr(link, '/') - link + 1);
    n = snprintf(to, PATH_MAX, "%.*s%s%s%s", folder, link, target, rest ? "/" : "", rest ? rest : "");
    return n < PATH_MAX ? 0 : -1;
}

/* Watches the names of an absolute path that may change what it leads to: the last one, those of symbolic links, and
 * the first one that does not exist. */
static void watch_path(struct mcti_config_watch *w, char path[PATH_MAX])
{
    char next[PATH_MAX];
    struct stat st;
    for (unsigned n_links = 0; n_links < MAX_LINKS; n_links++) {
        bool is_link = false;
        for (char *at = path + 1, *slash; !is_link; at = slash ? slash + 1 : at) {
            slash = strchr(at, '/');
            if (slash)
                *slash = '\0';
            bool exists = lstat(path, &st) == 0;
            is_link = exists && S_ISLNK(st.st_mode);
            if (!exists || is_link || !slash)
                watch_name(w, path);
            if (!exists || (!slash && !is_link) || (is_link && follow_link(path, slash ? slash + 1 : NULL, next) < 0))
                return;
            if (slash)
                *slash = '/';
        }
        memcpy(path, next, PATH_MAX);
    }
}

static void watch_file(struct mcti_config_watch *w, const char *file)
{
    char full[PATH_MAX], here[PATH_MAX] = "";
    if (*file != '/' && !getcwd(here, sizeof here))
        return;
    if (snprintf(full, sizeof full, "%s%s%s", here, *here ? "/" : "", file) < PATH_MAX)
        watch_path(w, full);
}

/* Watches the files as they are listed now. Returns a hash of what they are like. */
static uint64_t watch_all(struct mcti_config_watch *w)
{
    struct mcti_strings paths = { 0 };
    while (!mcti_list_empty(&w->spots))
        spot_free(MCT_CONTAINER(w->spots.next, struct spot, node));
    w->n_spots = 0;
    w->polls = w->ops.places(w->data, &paths) < 0;
    for (size_t i = 0; i < paths.n; i++)
        watch_file(w, paths.v[i]);
    uint64_t seen = hash_files(&paths);
    mcti_strings_clear(&paths);
    if (w->polls)
        mcti_timer_set(&w->loop->sched, &w->poll, POLL_MS);
    else
        mcti_timer_stop(&w->loop->sched, &w->poll);
    return seen;
}

/* ---- life ---- */

static void watch_on_quiet(void *data)
{
    struct mcti_config_watch *w = data;
    uint64_t seen = watch_all(w);
    w->since_ms = 0;
    if (seen == w->seen)
        return;
    w->seen = seen;
    w->ops.changed(w->data);
}

void mcti_config_watch_renew(struct mcti_config_watch *w)
{
    if (w)
        w->seen = watch_all(w);
}

struct mcti_config_watch *mcti_config_watch_new(struct mcti_loop *loop, const struct mcti_config_watch_ops *ops,
                                                void *data)
{
    struct mcti_config_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct mcti_config_watch){ .loop = loop, .ops = *ops, .data = data };
    mcti_list_init(&w->spots);
    mcti_timer_init(&w->quiet, watch_on_quiet, w);
    mcti_timer_init(&w->poll, watch_on_quiet, w);
    w->seen = watch_all(w);
    return w;
}

void mcti_config_watch_free(struct mcti_config_watch *w)
{
    if (!w)
        return;
    mcti_timer_stop(&w->loop->sched, &w->quiet);
    mcti_timer_stop(&w->loop->sched, &w->poll);
    while (!mcti_list_empty(&w->spots))
        spot_free(MCT_CONTAINER(w->spots.next, struct spot, node));
    free(w);
}
