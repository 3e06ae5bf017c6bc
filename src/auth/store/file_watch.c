/*
 * Watches the folder for changes of any process. A folder that is removed or moved is created and watched again after a
 * second. If the system cannot watch, changes are seen when texts are loaded.
 */
#include "auth/store/impl.h"
#include "io/folder.h"

enum { WATCH_AGAIN_MS = 1000 };

struct mcti_file_watch {
    uv_fs_event_t event;
    struct mcti_file_store *store;
    struct mcti_loop *loop;
    struct mcti_timer again;
};

static void watch_say(const struct mcti_file_watch *w, enum mct_log_level level, const char *why)
{
    mcti_log(w->loop->log, level,
             "stored logins: the folder %s cannot be watched (%s); a login in another process is seen at the next "
             "request only",
             w->store->folder, why);
}

static void watch_on_event(uv_fs_event_t *event, const char *name, int events, int status)
{
    struct mcti_file_watch *w = event->data;
    struct mcti_auth_store *s = &w->store->base;
    const char *last = strrchr(w->store->folder, '/');
    char key[MCT_AUTH_KEY_CHARS + 1];
    struct mcti_str changed = mcti_file_store_key(name ? name : "");
    if (status < 0 || !name || !strcmp(name, last ? last + 1 : w->store->folder)) {
        if (events & UV_RENAME)
            mcti_timer_set(&w->loop->sched, &w->again, WATCH_AGAIN_MS);
        s->changed(s->data, NULL);
    } else if (changed.p) {
        snprintf(key, sizeof key, "%.*s", MCT_STR_ARG(changed));
        s->changed(s->data, key);
    }
}

static void watch_start(struct mcti_file_watch *w)
{
    int r = mcti_folder_make(w->store->folder);
    if (r < 0) { /* not worth a warning: a server may never need a login, and a login that is not stored tells it */
        watch_say(w, MCT_LOG_INFO, "it cannot be created");
        return;
    }
    r = uv_fs_event_start(&w->event, watch_on_event, w->store->folder, 0);
    if (r < 0)
        watch_say(w, MCT_LOG_WARN, uv_strerror(r));
}

static void watch_again(void *data)
{
    struct mcti_file_watch *w = data;
    uv_fs_event_stop(&w->event);
    watch_start(w);
    w->store->base.changed(w->store->base.data, NULL);
}

int mcti_file_store_watch(struct mcti_auth_store *store, struct mcti_loop *loop, struct mct_error *err)
{
    struct mcti_file_store *s = mcti_file_store_of(store);
    struct mcti_file_watch *w = s->watch ? NULL : calloc(1, sizeof *w);
    if (!w)
        return s->watch ? 0 : mcti_no_memory(err);
    w->store = s;
    w->loop = loop;
    w->event.data = w;
    mcti_timer_init(&w->again, watch_again, w);
    uv_fs_event_init(&loop->uv, &w->event);
    s->watch = w;
    watch_start(w);
    return 0;
}

static void watch_on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void mcti_file_store_unwatch(struct mcti_file_store *s)
{
    if (!s->watch)
        return;
    mcti_timer_stop(&s->watch->loop->sched, &s->watch->again);
    uv_close((uv_handle_t *)&s->watch->event, watch_on_closed);
    s->watch = NULL;
}
