/* What all resource tools do: read arguments, ask servers, answer. */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- the end ---- */

void dialect_call_done(struct dialect_call *c)
{
    mct_listing_done(&c->listing);
    mct_reading_done(&c->reading);
    free(c->name);
    free(c->uri);
    free(c->cursor);
    c->name = c->uri = c->cursor = NULL;
}

static void finish(struct dialect_call *c, struct mct_buf *text, bool is_error)
{
    struct mct_local_request *request = c->request;
    struct mct_buf b;
    mct_buf_init(&b, 6 * text->len + 256);
    mct_buf_addz(&b, "{\"content\":[{\"type\":\"text\",\"text\":");
    mct_json_put_string(&b, mct_buf_str(text));
    mct_buf_addz(&b, is_error ? "}],\"isError\":true}" : "}]}");
    bool ok = mct_buf_ok(text) && mct_buf_ok(&b);
    mct_buf_done(text);
    dialect_call_done(c);
    if (ok)
        mct_local_result(request, mct_buf_str(&b));
    else
        mct_local_text_error(request, "the result is too large");
    mct_buf_done(&b);
}

void dialect_answer(struct dialect_call *c, struct mct_buf *text)
{
    finish(c, text, false);
}

void dialect_refuse_buf(struct dialect_call *c, struct mct_buf *text)
{
    finish(c, text, true);
}

void dialect_refuse(struct dialect_call *c, const char *fmt, ...)
{
    struct mct_buf b;
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addz(&b, text ? text : MCT_NO_MEMORY_TEXT);
    free(text);
    finish(c, &b, true);
}

/* ---- asking ---- */

static void on_listed(struct mct_listing *l)
{
    struct dialect_call *c = MCT_CONTAINER(l, struct dialect_call, listing);
    c->then(c);
}

static void start_listing(struct dialect_call *c, enum mct_kind kind, struct mct_provider *only)
{
    mct_listing_done(&c->listing);
    c->listing.reach = &c->reach;
    c->listing.kind = kind;
    c->listing.only = only;
    c->listing.deadline_ms = c->set->opts.list_ms;
    c->listing.grace_ms = c->set->opts.grace_ms;
    c->listing.max_pages = c->set->opts.max_pages;
    c->listing.done = on_listed;
    if (mct_listing_start(&c->listing) < 0)
        dialect_refuse(c, MCT_NO_MEMORY_TEXT);
}

void dialect_list(struct dialect_call *c, enum mct_kind kind, struct mct_provider *only,
                  void (*then)(struct dialect_call *c))
{
    c->then = then;
    start_listing(c, kind, only);
}

void dialect_list_page(struct dialect_call *c, enum mct_kind kind, const char *cursor,
                       void (*then)(struct dialect_call *c))
{
    struct mct_buf b;
    mct_buf_init(&b, 6 * (cursor ? strlen(cursor) : 0) + 8);
    if (cursor)
        mct_json_put_string(&b, mct_str_of(cursor));
    c->then = then;
    c->cursor = mct_buf_take(&b);
    c->listing.one_page = true;
    c->listing.cursor = cursor ? mct_str_of(c->cursor) : MCT_STR_NONE;
    start_listing(c, kind, c->server);
}

static void on_read(struct mct_reading *r)
{
    struct dialect_call *c = MCT_CONTAINER(r, struct dialect_call, reading);
    c->then(c);
}

void dialect_read(struct dialect_call *c, struct mct_str uri, struct mct_provider *only,
                  void (*then)(struct dialect_call *c))
{
    if (!uri.p) {
        dialect_refuse(c, MCT_NO_MEMORY_TEXT);
        return;
    }
    c->then = then;
    c->reading = (struct mct_reading){ .reach = &c->reach, .only = only, .uri = uri,
                                       .deadline_ms = c->set->opts.read_ms, .done = on_read };
    if (mct_reading_start(&c->reading, &c->reading.error) < 0)
        then(c);
}

/* ---- results ---- */

static int by_part_name(const void *a, const void *b)
{
    const struct mct_listing_part *const *x = a, *const *y = b;
    return strcmp((*x)->provider->name, (*y)->provider->name);
}

const struct mct_listing_part **dialect_by_name(const struct dialect_call *c)
{
    size_t n = c->listing.n_parts;
    const struct mct_listing_part **parts = calloc(n ? n : 1, sizeof *parts);
    for (size_t i = 0; parts && i < n; i++)
        parts[i] = &c->listing.parts[i];
    if (parts)
        qsort(parts, n, sizeof *parts, by_part_name);
    return parts;
}

void dialect_log_failed(const struct dialect_call *c, const struct mct_listing_part *part, bool in_part)
{
    const char *method = mct_method(mct_kind_info(c->listing.kind)->list_verb)->name;
    const char *name = part->provider->name;
    /* a gateway has told that a server is down when it went */
    bool told = c->set->connect && part->provider->state != MCT_CONNECTED;
    enum mct_log_level level = told ? MCT_LOG_DEBUG : MCT_LOG_WARN;
    if (!part->error.kind || part->lacks)
        return;
    if (in_part && part->n_items)
        mct_log(c->set->log, level, "%s in %s with its first %zu items only: %s", name, method, part->n_items,
                part->error.message);
    else
        mct_log(c->set->log, level, "%s left out of %s: %s", name, method, part->error.message);
}

const char *dialect_error_text(const struct mct_provider *p, const struct mct_error *err)
{
    char prefix[300];
    int n = p ? snprintf(prefix, sizeof prefix, "server '%s': ", p->name) : 0;
    bool has = n > 0 && (size_t)n < sizeof prefix && !strncmp(err->message, prefix, (size_t)n);
    return err->message + (has ? n : 0);
}

void dialect_put(struct mct_buf *to, const char *key, struct mct_str value, bool nulls)
{
    bool none = !value.p || mct_json_type(value) == 'n';
    if (none && !nulls)
        return;
    mct_json_put_key(to, key);
    if (none)
        mct_buf_addz(to, "null");
    else
        mct_json_put_compact(to, value);
}

void dialect_put_read_result(const struct dialect_call *c, struct mct_buf *to)
{
    mct_shape_result(to, MCT_VERB_RESOURCES_READ, c->reading.result, c->reading.provider->info.rev, MCT_REV_2025_11_25,
                     MCT_STR_NONE);
}

uint64_t dialect_wall_ms(const struct mct_dialects *set)
{
    struct timespec t;
    if (set->opts.wall_ms)
        return set->opts.wall_ms();
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
