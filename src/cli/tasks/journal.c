#include "cli/tasks/journal.h"

#include "base/clock.h"
#include "clients/places.h"
#include "config/edit/edit.h"
#include "config/import/import.h"

#include <stdlib.h>

#define JOURNAL "${XDG_STATE_HOME:-~/.local/state}/mcptools/tasks.jsonl"

enum { JOURNAL_BYTES = 16 << 20, JOURNAL_DEPTH = 4, MOST_NOTES = 1000, LINE_BYTES = 1 << 16 };

void mcti_task_note_done(struct mcti_task_note *n)
{
    free(n->id);
    free(n->server);
    free(n->tool);
    free(n->status);
    *n = (struct mcti_task_note){ 0 };
}

/* ---- lines ---- */

static void journal_put_line(struct mcti_buf *to, const struct mcti_task_note *n)
{
    mcti_buf_printf(to, "{\"number\":%llu,\"id\":%s", (unsigned long long)n->number, n->id);
    mcti_json_put_member(to, "server", mcti_str_of(n->server));
    mcti_json_put_member(to, "tool", mcti_str_of(n->tool));
    mcti_json_put_member(to, "status", mcti_str_of(n->status));
    mcti_buf_printf(to, ",\"created\":%llu", (unsigned long long)n->created_s);
    if (n->has_ttl)
        mcti_buf_printf(to, ",\"ttlMs\":%llu", (unsigned long long)n->ttl_ms);
    mcti_buf_addz(to, "}\n");
}

/* Reads a line. Returns false if it is not usable, or its task has expired. */
static bool read_line(struct mcti_str line, struct mcti_task_note *ret)
{
    *ret = (struct mcti_task_note){ 0 };
    if (!mcti_json_valid(line, JOURNAL_DEPTH, NULL, NULL) ||
        !mcti_json_uint(mcti_json_get(line, "number"), &ret->number) ||
        !mcti_json_uint(mcti_json_get(line, "created"), &ret->created_s))
        return false;
    struct mcti_str id = mcti_json_get(line, "id");
    ret->has_ttl = mcti_json_uint(mcti_json_get(line, "ttlMs"), &ret->ttl_ms);
    if (ret->has_ttl && mcti_clock_wall_ms() / 1000 > ret->created_s + ret->ttl_ms / 1000)
        return false;
    ret->id = mcti_json_type(id) == '"' ? mcti_str_dup(id) : NULL;
    ret->server = mcti_json_dup(mcti_json_get(line, "server"));
    ret->tool = mcti_json_dup(mcti_json_get(line, "tool"));
    ret->status = mcti_json_dup(mcti_json_get(line, "status"));
    if (ret->id && ret->server && ret->tool && ret->status)
        return true;
    mcti_task_note_done(ret);
    return false;
}

/* Calls fn for each usable line, until it returns false. */
static void each_line(struct mcti_str text, bool (*fn)(void *data, const struct mcti_task_note *n), void *data)
{
    struct mcti_task_note n;
    struct mcti_str line;
    bool goes_on = true;
    while (goes_on && mcti_str_split(&text, '\n', &line)) {
        if (!read_line(line, &n))
            continue;
        goes_on = fn(data, &n);
        mcti_task_note_done(&n);
    }
}

/* ---- changes ---- */

/* A change to the journal: a task to add or to remove, or a new status. */
struct journal_change {
    struct mcti_task_note *added; /* NULL: none */
    uint64_t number;              /* of the task to change */
    const char *status;           /* NULL: remove it */
    struct mcti_buf text;         /* the new journal */
    uint64_t last;
    size_t n;
};

static bool change_line(void *data, const struct mcti_task_note *n)
{
    struct journal_change *c = data;
    struct mcti_task_note now = *n;
    bool is_meant = !c->added && n->number == c->number;
    c->last = n->number > c->last ? n->number : c->last;
    if (is_meant && !c->status)
        return true;
    if (is_meant)
        now.status = (char *)c->status;
    c->n++;
    journal_put_line(&c->text, &now);
    return true;
}

static int change_journal(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct journal_change *c = data;
    struct mcti_str first;
    mcti_buf_clear(&c->text);
    c->n = 0;
    each_line(mcti_buf_str(&e->text), change_line, c);
    if (c->added) {
        c->added->number = c->last + 1;
        journal_put_line(&c->text, c->added);
    }
    struct mcti_str all = mcti_buf_str(&c->text);
    for (; c->n >= MOST_NOTES && mcti_str_split(&all, '\n', &first); c->n--)
        continue;
    mcti_buf_clear(&e->text);
    mcti_buf_add(&e->text, all);
    return mcti_buf_ok(&c->text) && mcti_buf_ok(&e->text) ? 0 : mcti_no_memory(err);
}

static int journal_write(struct journal_change *c, struct mct_error *err)
{
    struct mcti_edit_outcome outcome;
    char *path = mcti_client_path(JOURNAL, NULL);
    if (!path)
        return mcti_fail(err, MCT_ERR_CONFIG, "HOME is not set, so tasks cannot be recorded");
    const struct mcti_edit_job job = { .path = path, .edit = change_journal, .data = c };
    mcti_buf_init(&c->text, JOURNAL_BYTES);
    int r = mcti_edit_file(&job, &outcome, err);
    mcti_edit_outcome_done(&outcome);
    mcti_buf_done(&c->text);
    free(path);
    return r;
}

int mcti_task_note_add(struct mcti_task_note *n, struct mct_error *err)
{
    return journal_write(&(struct journal_change){ .added = n }, err);
}

void mcti_task_note_status(uint64_t number, const char *status)
{
    struct mct_error err;
    journal_write(&(struct journal_change){ .number = number, .status = status }, &err);
}

void mcti_task_note_remove(uint64_t number)
{
    struct mct_error err;
    journal_write(&(struct journal_change){ .number = number }, &err);
}

/* ---- reading ---- */

static void journal_read(bool (*fn)(void *data, const struct mcti_task_note *n), void *data)
{
    char *path = mcti_client_path(JOURNAL, NULL);
    struct mcti_buf text;
    mcti_buf_init(&text, JOURNAL_BYTES);
    if (path && mcti_config_load(path, &text) == 0)
        each_line(mcti_buf_str(&text), fn, data);
    mcti_buf_done(&text);
    free(path);
}

struct journal_search {
    struct mcti_str word;
    struct mcti_task_note *ret;
    bool found;
};

static bool note_matches(void *data, const struct mcti_task_note *n)
{
    struct journal_search *s = data;
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)n->number);
    struct mcti_str id = { n->id + 1, strlen(n->id) - 2 };
    if (!mcti_str_is(s->word, number) && !mcti_str_eq(s->word, id))
        return true;
    *s->ret = (struct mcti_task_note){ .number = n->number,
                                       .id = strdup(n->id),
                                       .server = strdup(n->server),
                                       .tool = strdup(n->tool),
                                       .status = strdup(n->status),
                                       .created_s = n->created_s,
                                       .ttl_ms = n->ttl_ms,
                                       .has_ttl = n->has_ttl };
    s->found = s->ret->id && s->ret->server && s->ret->tool && s->ret->status;
    return false;
}

int mcti_task_note_find(const char *word, struct mcti_task_note *ret, struct mct_error *err)
{
    struct journal_search s = { .word = mcti_str_of(word), .ret = ret };
    *ret = (struct mcti_task_note){ 0 };
    journal_read(note_matches, &s);
    if (s.found)
        return 0;
    mcti_task_note_done(ret);
    return mcti_fail(err, MCT_ERR_NOT_FOUND, "no task '%s'; 'mcptools tasks list' shows them", word);
}

struct journal_visit {
    void (*fn)(void *data, const struct mcti_task_note *n);
    void *data;
};

static bool visit_note(void *data, const struct mcti_task_note *n)
{
    const struct journal_visit *v = data;
    v->fn(v->data, n);
    return true;
}

void mcti_task_notes_each(void (*fn)(void *data, const struct mcti_task_note *n), void *data)
{
    journal_read(visit_note, &(struct journal_visit){ fn, data });
}
