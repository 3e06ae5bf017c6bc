#include "hub/core/journal.h"

#include "base/clock.h"
#include "base/limits.h"
#include "json/write.h"

#include <stdlib.h>

const char *mcti_said_word(enum mcti_said by)
{
    return by == MCT_SAID_STDERR ? "stderr" : "gateway";
}

void mcti_journal_init(struct mcti_journal *j)
{
    *j = (struct mcti_journal){ .n = 0 };
    mcti_list_init(&j->lines);
}

static size_t journal_weight(const struct mcti_journal_line *line)
{
    return sizeof *line + line->text.len + 1;
}

static void journal_drop_first(struct mcti_journal *j)
{
    struct mcti_journal_line *line = MCT_CONTAINER(j->lines.next, struct mcti_journal_line, node);
    mcti_list_remove(&line->node);
    j->n--;
    j->bytes -= journal_weight(line);
    free(line);
}

void mcti_journal_done(struct mcti_journal *j)
{
    while (j->n)
        journal_drop_first(j);
}

const struct mcti_journal_line *mcti_journal_add(struct mcti_journal *j, enum mcti_said by, struct mcti_str text)
{
    size_t len = text.len < MCT_LIMIT_JOURNAL_LINE ? text.len : MCT_LIMIT_JOURNAL_LINE;
    struct mcti_journal_line *line = malloc(sizeof *line + len + 1);
    if (!line)
        return NULL;
    char *bytes = (char *)(line + 1);
    if (len)
        memcpy(bytes, text.p, len);
    bytes[len] = '\0';
    *line = (struct mcti_journal_line){
        .seq = ++j->last_seq, .wall_ms = mcti_clock_wall_ms(), .by = by, .text = { bytes, len }
    };
    mcti_list_append(&j->lines, &line->node);
    j->n++;
    j->bytes += journal_weight(line);
    while (j->n > MCT_LIMIT_JOURNAL_LINES || j->bytes > MCT_LIMIT_JOURNAL_BYTES)
        journal_drop_first(j);
    return line;
}

void mcti_journal_each(const struct mcti_journal *j, uint64_t after,
                       void (*fn)(void *data, const struct mcti_journal_line *line), void *data)
{
    MCT_LIST_EACH(it, &j->lines) {
        const struct mcti_journal_line *line = MCT_CONTAINER(it, struct mcti_journal_line, node);
        if (line->seq > after)
            fn(data, line);
    }
}

void mcti_journal_put_line(struct mcti_buf *to, const struct mcti_journal_line *line)
{
    mcti_buf_addz(to, "{\"seq\":");
    mcti_buf_addu(to, line->seq);
    mcti_buf_addz(to, ",\"time\":");
    mcti_buf_addu(to, line->wall_ms);
    mcti_json_put_member(to, "by", mcti_str_of(mcti_said_word(line->by)));
    mcti_json_put_member(to, "text", line->text);
    mcti_buf_addc(to, '}');
}

/* ---- the reason of a failure ---- */

static bool is_frame(struct mcti_str text)
{
    struct mcti_str trimmed = mcti_str_trim_white(text);
    return trimmed.len < text.len && mcti_str_starts(trimmed, MCT_STR("at "));
}

static bool journal_explains(const struct mcti_journal *j, const struct mcti_journal_line *line)
{
    return line->by == MCT_SAID_STDERR && line->seq > j->start_seq && !is_frame(line->text);
}

size_t mcti_journal_put_stderr(const struct mcti_journal *j, struct mcti_buf *to, size_t max)
{
    size_t n_all = 0, n_fit = 0, n = 0;
    MCT_LIST_EACH(it, &j->lines) {
        const struct mcti_journal_line *line = MCT_CONTAINER(it, struct mcti_journal_line, node);
        n_all += line->by == MCT_SAID_STDERR && line->seq > j->start_seq;
        n_fit += journal_explains(j, line);
    }
    MCT_LIST_EACH(it, &j->lines) {
        const struct mcti_journal_line *line = MCT_CONTAINER(it, struct mcti_journal_line, node);
        if (!journal_explains(j, line) || n++ + max < n_fit)
            continue;
        mcti_buf_add(to, line->text);
        mcti_buf_addc(to, '\n');
    }
    return n_all - (n_fit < max ? n_fit : max);
}
