/* The operations that all resource tools share: requests to servers, and answers. */
#include "resources/dialect/impl.h"

#include "auth/login/login.h"
#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- end ---- */

void mcti_dialect_call_done(struct mcti_dialect_call *c)
{
    mcti_listing_done(&c->listing);
    mcti_reading_done(&c->reading);
    mcti_settle_stop(&c->settle);
    mcti_ready_done(&c->ready);
    if (c->refreshes)
        mcti_login_drop_done(c->server->login, c);
    c->refreshes = false;
    free(c->name);
    free(c->uri);
    free(c->cursor);
    c->name = c->uri = c->cursor = NULL;
}

/* Ends the call with `result`, unless it or the buffer it was made of has failed. */
static void dialect_call_end(struct mcti_dialect_call *c, const struct mcti_buf *result, bool is_whole)
{
    struct mcti_local_request *request = c->request;
    mcti_dialect_call_done(c);
    if (is_whole && mcti_buf_ok(result))
        mcti_local_result(request, mcti_buf_str(result));
    else
        mcti_local_text_error(request, "the result is too large");
}

static void dialect_call_finish(struct mcti_dialect_call *c, struct mcti_buf *text, bool is_error)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 6 * text->len + 256);
    mcti_buf_addz(&b, "{\"content\":[{\"type\":\"text\",\"text\":");
    mcti_json_put_string(&b, mcti_buf_str(text));
    mcti_buf_addz(&b, is_error ? "}],\"isError\":true}" : "}]}");
    bool is_whole = mcti_buf_ok(text);
    mcti_buf_done(text);
    dialect_call_end(c, &b, is_whole);
    mcti_buf_done(&b);
}

void mcti_dialect_answer(struct mcti_dialect_call *c, struct mcti_buf *text)
{
    dialect_call_finish(c, text, false);
}

void mcti_dialect_answer_blocks(struct mcti_dialect_call *c, struct mcti_buf *array)
{
    struct mcti_buf b;
    mcti_buf_init(&b, array->len + 32);
    mcti_buf_addz(&b, "{\"content\":");
    mcti_buf_add(&b, mcti_buf_str(array));
    mcti_buf_addc(&b, '}');
    bool is_whole = mcti_buf_ok(array);
    mcti_buf_done(array);
    dialect_call_end(c, &b, is_whole);
    mcti_buf_done(&b);
}

void mcti_dialect_refuse_buf(struct mcti_dialect_call *c, struct mcti_buf *text)
{
    dialect_call_finish(c, text, true);
}

void mcti_dialect_refuse(struct mcti_dialect_call *c, const char *fmt, ...)
{
    struct mcti_buf b;
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, text ? text : MCT_NO_MEMORY_TEXT);
    free(text);
    dialect_call_finish(c, &b, true);
}

/* ---- asking ---- */

static void dialect_call_on_listed(struct mcti_listing *l)
{
    struct mcti_dialect_call *c = MCT_CONTAINER(l, struct mcti_dialect_call, listing);
    c->then(c);
}

static void start_listing(struct mcti_dialect_call *c, enum mcti_kind kind, struct mcti_provider *only)
{
    mcti_listing_done(&c->listing);
    c->listing.reach = &c->reach;
    c->listing.kind = kind;
    c->listing.only = only;
    c->listing.deadline_ms = c->set->opts.list_ms;
    c->listing.grace_ms = c->set->opts.grace_ms;
    c->listing.max_pages = c->set->opts.max_pages;
    c->listing.done = dialect_call_on_listed;
    if (mcti_listing_start(&c->listing) < 0)
        mcti_dialect_refuse(c, MCT_NO_MEMORY_TEXT);
}

void mcti_dialect_list(struct mcti_dialect_call *c, enum mcti_kind kind, struct mcti_provider *only,
                       void (*then)(struct mcti_dialect_call *c))
{
    c->then = then;
    start_listing(c, kind, only);
}

void mcti_dialect_list_page(struct mcti_dialect_call *c, enum mcti_kind kind, const char *cursor,
                            void (*then)(struct mcti_dialect_call *c))
{
    struct mcti_buf b;
    mcti_buf_init(&b, 6 * (cursor ? strlen(cursor) : 0) + 8);
    if (cursor)
        mcti_json_put_string(&b, mcti_str_of(cursor));
    c->then = then;
    c->cursor = mcti_buf_take(&b);
    c->listing.one_page = c->listing.insists = true;
    c->listing.cursor = cursor ? mcti_str_of(c->cursor) : MCT_STR_NONE;
    start_listing(c, kind, c->server);
}

static void dialect_call_on_read(struct mcti_reading *r)
{
    struct mcti_dialect_call *c = MCT_CONTAINER(r, struct mcti_dialect_call, reading);
    c->then(c);
}

void mcti_dialect_read(struct mcti_dialect_call *c, struct mcti_str uri, struct mcti_provider *only,
                       void (*then)(struct mcti_dialect_call *c))
{
    if (!uri.p) {
        mcti_dialect_refuse(c, MCT_NO_MEMORY_TEXT);
        return;
    }
    c->then = then;
    c->reading = (struct mcti_reading){ .reach = &c->reach,
                                        .only = only,
                                        .insists = c->insists,
                                        .uri = uri,
                                        .deadline_ms = c->set->opts.read_ms,
                                        .done = dialect_call_on_read };
    if (mcti_reading_start(&c->reading, &c->reading.error) < 0)
        then(c);
}

static void dialect_call_on_settled(struct mcti_settle *w)
{
    struct mcti_dialect_call *c = MCT_CONTAINER(w, struct mcti_dialect_call, settle);
    c->then(c);
}

void mcti_dialect_settle(struct mcti_dialect_call *c, void (*then)(struct mcti_dialect_call *c))
{
    struct mcti_registry *all = c->set->view->registry;
    const struct mcti_dialect_opts *o = &c->set->opts;
    unsigned ms = mcti_registry_hold_ms(all, o->settle_ms < o->list_ms ? o->settle_ms : o->list_ms);
    c->then = then;
    c->settle.done = dialect_call_on_settled;
    if (ms)
        mcti_registry_wait(all, &c->settle, ms);
    else
        then(c);
}

static void dialect_call_on_ready(struct mcti_ready *w)
{
    struct mcti_dialect_call *c = MCT_CONTAINER(w, struct mcti_dialect_call, ready);
    c->then(c);
}

void mcti_dialect_wait(struct mcti_dialect_call *c, void (*then)(struct mcti_dialect_call *c))
{
    struct mct_error err;
    c->then = then;
    c->ready.done = dialect_call_on_ready;
    int r = mcti_ready_open(&c->ready, &c->reach, c->server, &err);
    if (r < 0)
        mcti_dialect_refuse(c, "%s", err.message);
    else if (r > 0)
        then(c);
}

/* ---- results ---- */

static int by_part_name(const void *a, const void *b)
{
    const struct mcti_listing_part *const *x = a, *const *y = b;
    return strcmp((*x)->provider->name, (*y)->provider->name);
}

const struct mcti_listing_part **mcti_dialect_by_name(const struct mcti_dialect_call *c)
{
    size_t n = c->listing.n_parts;
    const struct mcti_listing_part **parts = calloc(n ? n : 1, sizeof *parts);
    for (size_t i = 0; parts && i < n; i++)
        parts[i] = &c->listing.parts[i];
    if (parts)
        qsort(parts, n, sizeof *parts, by_part_name);
    return parts;
}

void mcti_dialect_log_failed(const struct mcti_dialect_call *c, const struct mcti_listing_part *part, bool in_part)
{
    const char *method = mcti_method(mcti_kind_info(c->listing.kind)->list_verb)->name;
    const char *name = part->provider->name;
    /* a gateway logged the server's failure when it went down */
    bool logged = c->set->connect && part->provider->state != MCT_CONNECTED;
    enum mct_log_level level = logged ? MCT_LOG_DEBUG : MCT_LOG_WARN;
    if (!part->error.kind || part->lacks)
        return;
    if (in_part && part->n_items)
        mcti_log(c->set->log, level, "%s in %s with its first %zu items only: %s", name, method, part->n_items,
                 part->error.message);
    else
        mcti_log(c->set->log, level, "%s left out of %s: %s", name, method, part->error.message);
}

bool mcti_dialect_is_told(const struct mcti_dialect_call *c, const struct mcti_listing_part *part)
{
    enum mcti_told told = (enum mcti_told)c->set->opts.told;
    return part->error.kind && !part->lacks && (told == MCT_TOLD_ALL || (told == MCT_TOLD_LATE && part->is_late));
}

void mcti_dialect_put_told(const struct mcti_dialect_call *c, struct mcti_buf *to,
                           const struct mcti_listing_part *const *parts)
{
    size_t n_told = 0;
    for (size_t i = 0; i < c->listing.n_parts; i++) {
        const struct mcti_listing_part *part = parts ? parts[i] : &c->listing.parts[i];
        if (!mcti_dialect_is_told(c, part))
            continue;
        if (!n_told)
            mcti_json_put_key(to, "errors");
        mcti_buf_addz(to, n_told++ ? ",{" : "[{");
        mcti_json_put_member(to, "server", mcti_str_of(part->provider->name));
        mcti_json_put_member(to, "message", mcti_str_of(mcti_dialect_error_text(part->provider, &part->error)));
        mcti_buf_addc(to, '}');
    }
    mcti_buf_addz(to, n_told ? "]" : "");
}

const char *mcti_dialect_error_text(const struct mcti_provider *p, const struct mct_error *err)
{
    char prefix[300];
    int n = p ? snprintf(prefix, sizeof prefix, "server '%s': ", p->name) : 0;
    bool has = n > 0 && (size_t)n < sizeof prefix && !strncmp(err->message, prefix, (size_t)n);
    return err->message + (has ? n : 0);
}

void mcti_dialect_put_nexo_error(struct mcti_buf *to, const struct mcti_provider *p, const struct mct_error *err,
                                 unsigned duration_ms)
{
    if (err->code) {
        mcti_buf_printf(to, "server error %d: ", err->code);
    } else if (err->kind == MCT_ERR_TIMEOUT && !err->unsent) { /* like a Rust Duration: 30s, 1.5s */
        unsigned tenths = (duration_ms + 50) / 100;
        mcti_buf_printf(to, tenths % 10 ? "call timed out after %u.%us" : "call timed out after %us", tenths / 10,
                        tenths % 10);
        return;
    }
    mcti_buf_addz(to, mcti_dialect_error_text(p, err));
}

void mcti_dialect_refuse_nexo_read(struct mcti_dialect_call *c, const char *before)
{
    const struct mcti_reading *r = &c->reading;
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    if (r->error.kind == MCT_ERR_POLICY) {
        mcti_buf_printf(&b, "mcp '%s' read_resource: %s", c->server->name, r->error.message);
    } else {
        if (before)
            mcti_buf_addz(&b, before);
        else
            mcti_buf_printf(&b, "mcp '%s' read_resource error: ", c->server->name);
        mcti_dialect_put_nexo_error(&b, c->server, &r->error,
                                    r->n_attempts ? r->attempts[r->n_attempts - 1].duration_ms : 0);
    }
    mcti_dialect_refuse_buf(c, &b);
}

void mcti_dialect_put(struct mcti_buf *to, const char *key, struct mcti_str value, bool nulls)
{
    bool none = !value.p || mcti_json_type(value) == 'n';
    if (none && !nulls)
        return;
    mcti_json_put_key(to, key);
    if (none)
        mcti_buf_addz(to, "null");
    else
        mcti_json_put_compact(to, value);
}

void mcti_dialect_put_read_result(const struct mcti_dialect_call *c, struct mcti_buf *to)
{
    const struct mcti_provider *p = c->reading.provider; /* none if the gateway itself has the resource */
    mcti_shape_result(to, MCT_VERB_RESOURCES_READ, c->reading.result, p ? p->info.rev : MCT_REV_LATEST_HANDSHAKE,
                      MCT_REV_2025_11_25, MCT_STR_NONE);
}

uint64_t mcti_dialect_wall_ms(const struct mcti_dialects *set)
{
    struct timespec t;
    if (set->opts.wall_ms)
        return set->opts.wall_ms();
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
