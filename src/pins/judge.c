#include "pins/judge.h"

#include "pins/pins.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* One file of pins. */
struct pins_book {
    struct mcti_pins pins;
    struct mct_error error; /* why it cannot be used; kind NONE: it can be */
    char *path;             /* owned */
};

struct pins_server {
    struct mcti_map_node by_name;
    char *name, *about; /* owned; about: parts of the pin of the server itself */
    struct pins_book *book;
    enum mcti_vet_mode mode;
};

struct pins_judge {
    struct mcti_judge base;
    const struct mcti_log *log;
    struct pins_server *servers;
    struct mcti_map by_name; /* of the servers */
    struct pins_book *books;
    size_t n, n_books;
    enum mcti_pins_unpinned unpinned;
};

static struct pins_judge *judge_of(const struct mcti_judge *j)
{
    return MCT_CONTAINER((struct mcti_judge *)j, struct pins_judge, base);
}

static const struct pins_server *judge_server(const struct mcti_judge *j, const struct mcti_provider *p)
{
    struct mcti_map_node *n = mcti_map_get(&judge_of(j)->by_name, mcti_str_of(p->name));
    const struct pins_server *s = n ? MCT_CONTAINER(n, struct pins_server, by_name) : NULL;
    return s && s->mode != MCT_VET_OFF && s->book ? s : NULL;
}

static enum mcti_judgement judge_strictness(const struct pins_server *s)
{
    return s->mode == MCT_VET_QUARANTINE ? MCT_JUDGED_QUARANTINE : MCT_JUDGED_WARN;
}

/* ---- judging ---- */

/* Members whose names are told. Names that a server has made up could be texts for models, like what is quarantined. */
static const char *const judge_told[] = {
    "title",     "description", "inputSchema", "outputSchema", "annotations", "icons",      "_meta",
    "arguments", "name",        "mimeType",    "text",         "version",     "websiteUrl",
};

/* What differs, as text. */
struct judge_difference {
    struct mcti_buf *why;
    bool has_others;
};

static void judge_put_key(void *data, struct mcti_str key, struct mcti_str was, struct mcti_str is)
{
    struct judge_difference *d = data;
    const char *told = NULL;
    for (size_t i = 0; i < sizeof judge_told / sizeof *judge_told && !told; i++)
        told = mcti_str_is(key, judge_told[i]) ? judge_told[i] : NULL;
    if (!told && d->has_others)
        return;
    d->has_others |= !told;
    mcti_buf_printf(d->why, "%s%s%s", d->why->len ? ", " : "its ", told ? told : "other members",
                    !told    ? ""
                    : !was.p ? " (new)"
                    : !is.p  ? " (gone)"
                             : "");
}

static enum mcti_judgement judge_compare(const struct pins_server *s, const struct mcti_pin *pin,
                                         const struct mcti_vetted *what, struct mcti_buf *why)
{
    struct mcti_buf parts;
    struct judge_difference difference = { .why = why };
    mcti_buf_init(&parts, (size_t)1 << 30);
    int r = mcti_pins_put_parts(&parts, what->subject, what->text);
    size_t n =
        r < 0 ? 1
              : mcti_pins_compare(mcti_str_of(pin->parts), mcti_buf_str(&parts), what->rev, judge_put_key, &difference);
    mcti_buf_done(&parts);
    if (n)
        mcti_buf_addz(why, r < 0 ? MCT_NO_MEMORY_TEXT : " changed since it was approved");
    return n ? judge_strictness(s) : MCT_JUDGED_OK;
}

static enum mcti_judgement judge_unpinned(const struct pins_judge *j, struct mcti_buf *why)
{
    if (j->unpinned != MCT_UNPINNED_ADMIT)
        mcti_buf_addz(why, "the server has no pins");
    return j->unpinned == MCT_UNPINNED_QUARANTINE ? MCT_JUDGED_QUARANTINE
           : j->unpinned == MCT_UNPINNED_WARN     ? MCT_JUDGED_WARN
                                                  : MCT_JUDGED_OK;
}

static enum mcti_judgement pins_judge_one(struct mcti_judge *j, const struct mcti_vetted *what, struct mcti_buf *why)
{
    const struct pins_server *s = judge_server(j, what->provider);
    if (!s)
        return MCT_JUDGED_OK;
    if (s->book->error.kind) {
        mcti_buf_addz(why, s->book->error.message);
        return judge_strictness(s);
    }
    if (!mcti_pins_have(&s->book->pins, s->name))
        return judge_unpinned(judge_of(j), why);
    const struct mcti_pin *pin = mcti_pins_find(&s->book->pins, mcti_str_of(s->name), what->subject, what->id);
    if (pin)
        return judge_compare(s, pin, what, why);
    mcti_buf_addz(why, "it is new since the server was pinned");
    return judge_strictness(s);
}

/* ---- what is missing ---- */

static bool judge_has(const struct mcti_provider *p, const struct mcti_pin *pin)
{
    struct mcti_str id = mcti_str_of(pin->id);
    return !mcti_provider_admits(p, (enum mcti_kind)pin->subject, id) || mcti_items_find(&p->items[pin->subject], id) ||
           mcti_items_find(&p->barred[pin->subject], id);
}

/* Reports that the entry starts something else than when the server was pinned. */
static void judge_start(const struct pins_server *s, struct mcti_findings *to)
{
    const struct mcti_pin *pin = mcti_pins_find(&s->book->pins, mcti_str_of(s->name), MCT_PIN_ABOUT, MCT_STR(""));
    if (pin && s->about && strcmp(pin->parts, s->about) != 0)
        mcti_findings_add(to, &(struct mcti_finding){ .subject = MCT_SUBJECT_SERVER_INFO,
                                                      .judgement = MCT_JUDGED_WARN,
                                                      .id = MCT_STR(""),
                                                      .reason = MCT_STR("its command line or URL changed since it was "
                                                                        "pinned") });
}

static void pins_judge_missing(struct mcti_judge *j, const struct mcti_provider *p, enum mcti_subject subject,
                               struct mcti_findings *to)
{
    const struct pins_server *s = judge_server(j, p);
    if (!s || s->book->error.kind || p->origin || p->retired)
        return;
    if (subject == MCT_SUBJECT_SERVER_INFO)
        judge_start(s, to);
    if (subject >= MCT_SUBJECT_INSTRUCTIONS || !p->info.rev || p->list_error[subject]->kind)
        return;
    bool by_gateway = p->transport && !strcmp(p->transport, MCT_TRANSPORT_ATTACHED);
    struct mcti_str reason = by_gateway ? MCT_STR("it was approved, but the running gateway does not offer it")
                                        : MCT_STR("it was approved, but is gone");
    for (size_t i = 0; i < s->book->pins.n; i++) {
        const struct mcti_pin *pin = s->book->pins.v[i];
        if (pin->subject == subject && !strcmp(pin->server, s->name) && !judge_has(p, pin))
            mcti_findings_add(to, &(struct mcti_finding){ .subject = subject,
                                                          .judgement = MCT_JUDGED_WARN,
                                                          .id = mcti_str_of(pin->id),
                                                          .reason = reason });
    }
}

/* Returns whether a name of a server can be copied into a shell as it is. */
static bool judge_is_plain(struct mcti_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:", name.p[i]))
            return false;
    return name.len > 0 && name.len <= 128;
}

static void pins_judge_advise(struct mcti_judge *j, const struct mcti_provider *p, const struct mcti_finding *f,
                              struct mcti_buf *to)
{
    const struct pins_server *s = judge_server(j, p);
    struct mcti_str id = judge_is_plain(f->id) ? f->id : MCT_STR("");
    const char *dot = id.len ? "." : "";
    if (s && s->book->error.kind)
        return;
    if (s && !mcti_pins_have(&s->book->pins, s->name))
        mcti_buf_printf(to, "'mcptools pin %s' records what it says now", p->name);
    else
        mcti_buf_printf(to, "'mcptools diff %s%s%.*s' shows the change, 'mcptools approve %s%s%.*s' admits it", p->name,
                        dot, MCT_STR_ARG(id), p->name, dot, MCT_STR_ARG(id));
}

/* ---- life ---- */

static void pins_judge_free(struct mcti_judge *base)
{
    struct pins_judge *j = judge_of(base);
    for (size_t i = 0; i < j->n; i++) {
        free(j->servers[i].name);
        free(j->servers[i].about);
    }
    for (size_t i = 0; i < j->n_books; i++) {
        mcti_pins_done(&j->books[i].pins);
        free(j->books[i].path);
    }
    mcti_map_done(&j->by_name);
    free(j->servers);
    free(j->books);
    free(j);
}

static const struct mcti_judge_ops pins_judge_ops = {
    .name = "pins",
    .judge = pins_judge_one,
    .missing = pins_judge_missing,
    .advise = pins_judge_advise,
    .free = pins_judge_free,
};

void mcti_pins_judge_renew(struct mcti_judge *base)
{
    struct pins_judge *j = judge_of(base);
    for (size_t i = 0; i < j->n_books; i++) {
        struct pins_book *b = &j->books[i];
        if (b->pins.n && access(b->path, F_OK) < 0 && errno == ENOENT)
            mcti_log(j->log, MCT_LOG_WARN, "%s is gone: its servers have no pins now", b->path);
        const struct mct_error was = b->error;
        mcti_pins_done(&b->pins);
        mcti_pins_init(&b->pins);
        b->error = (struct mct_error){ 0 };
        if (mcti_pins_load(b->path, &b->pins, &b->error) < 0 && strcmp(was.message, b->error.message) != 0)
            mcti_log(j->log, MCT_LOG_ERROR, "the pins cannot be used: %s", b->error.message);
    }
}

bool mcti_pins_judge_lacks_file(const struct mcti_judge *base)
{
    const struct pins_judge *j = judge_of(base);
    bool lacks = false;
    for (size_t i = 0; i < j->n_books; i++)
        lacks |= j->books[i].error.kind != MCT_ERR_NONE;
    return lacks;
}

/* Returns the book of the path, which it takes. */
static struct pins_book *judge_book(struct pins_judge *j, char *take_path)
{
    for (size_t i = 0; take_path && i < j->n_books; i++)
        if (!strcmp(j->books[i].path, take_path)) {
            free(take_path);
            return &j->books[i];
        }
    if (!take_path)
        return NULL;
    j->books[j->n_books].path = take_path;
    return &j->books[j->n_books++];
}

static int judge_add(struct pins_judge *j, const struct mcti_config *c, const struct mcti_config_server *s)
{
    struct pins_server *to = &j->servers[j->n];
    struct mcti_buf about;
    mcti_buf_init(&about, 4096);
    int r = mcti_pins_put_about(&about, s);
    *to = (struct pins_server){ .name = strdup(s->name),
                                .about = r == 0 ? mcti_buf_take(&about) : NULL,
                                .mode = s->pins == MCT_VET_PRESET ? c->pins : s->pins };
    mcti_buf_done(&about);
    j->n++;
    if (!to->name || r < 0 || mcti_map_put(&j->by_name, &to->by_name, mcti_str_of(to->name)) < 0)
        return -1;
    to->book = s->file ? judge_book(j, mcti_pins_path(s)) : NULL;
    return 0;
}

struct mcti_judge *mcti_pins_judge_new(const struct mcti_config *c, const struct mcti_log *log)
{
    struct pins_judge *j = calloc(1, sizeof *j);
    size_t n = c->n_servers ? c->n_servers : 1;
    if (!j)
        return NULL;
    *j = (struct pins_judge){ .base = { &pins_judge_ops },
                              .log = log,
                              .servers = calloc(n, sizeof *j->servers),
                              .books = calloc(n, sizeof *j->books),
                              .unpinned = c->pins_unpinned };
    mcti_map_init(&j->by_name);
    bool ok = j->servers && j->books;
    for (size_t i = 0; ok && i < c->n_servers; i++) {
        const struct mcti_config_server *s = &c->servers[i]; /* of two entries of one name, the one that counts */
        bool is_used = s->enabled && mcti_config_find(c, mcti_str_of(s->name)) == s;
        ok = !is_used || judge_add(j, c, s) == 0;
    }
    if (ok) {
        mcti_pins_judge_renew(&j->base);
        return &j->base;
    }
    pins_judge_free(&j->base);
    return NULL;
}

int mcti_pins_judge_files(const struct mcti_judge *base, struct mcti_strings *to)
{
    const struct pins_judge *j = judge_of(base);
    for (size_t i = 0; i < j->n_books; i++)
        if (mcti_strings_add(to, mcti_str_of(j->books[i].path)) < 0)
            return -1;
    return 0;
}
