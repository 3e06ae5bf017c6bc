/*
 * Pattern matching with PCRE2. Pattern and text come from peers, and matching can take quadratic or, with backtracking,
 * exponential time. PCRE2's match limit applies to each start position, so start positions are tried in growing
 * windows, each with a small limit at first. The maximum cost of a window is charged before it is tried.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "schema/value.h"

#include <pcre2.h>

enum {
    FIRST_LIMIT = 64, /* backtracking points per start position; enough for usual patterns */
    LAST_LIMIT = FIRST_LIMIT << 12,
    LIMIT_GROWTH = 16,
    WINDOW_GROWTH = 4,
    DEPTH_LIMIT = 100000,
    HEAP_LIMIT_KIB = 16384,
    PATTERN_BYTES = 16384,
};

/* Options that bring PCRE2 as close as possible to ECMA-262 with the flag u. */
static const uint32_t OPTIONS = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_ALT_BSUX | PCRE2_DOLLAR_ENDONLY |
                                PCRE2_MATCH_UNSET_BACKREF | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_NEVER_BACKSLASH_C |
                                PCRE2_USE_OFFSET_LIMIT;

void mcti_schema_patterns_done(struct mcti_schema_run *run)
{
    for (size_t i = 0; i < MCT_SCHEMA_PATTERN_SLOTS; i++)
        pcre2_code_free(run->pattern[i].code);
    pcre2_match_data_free(run->match_data);
    pcre2_match_context_free(run->match_context);
}

static pcre2_code *compile_text(struct mcti_str text, int *ret_why)
{
    size_t at;
    pcre2_compile_context *how = pcre2_compile_context_create(NULL);
    if (!how)
        return NULL;
    pcre2_set_compile_extra_options(how, PCRE2_EXTRA_ALT_BSUX);
    pcre2_set_newline(how, PCRE2_NEWLINE_LF);
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)text.p, text.len, OPTIONS, ret_why, &at, how);
    pcre2_compile_context_free(how);
    return code;
}

static pcre2_code *pattern_compile(struct mcti_schema_run *run, struct mcti_str raw)
{
    PCRE2_UCHAR message[128] = "too long";
    struct mcti_buf text;
    int why = 0;
    if (!mcti_schema_spend(run, 256 + 16 * raw.len))
        return NULL;
    mcti_buf_init(&text, PATTERN_BYTES);
    mcti_schema_ecma(&text, mcti_schema_text(run, &run->other, raw));
    pcre2_code *code = mcti_buf_ok(&text) ? compile_text(mcti_buf_str(&text), &why) : NULL;
    mcti_buf_done(&text);
    if (why)
        pcre2_get_error_message(why, message, sizeof message);
    if (!code)
        mcti_schema_stop(run, "the schema's pattern \"%.*s%s\" cannot be used: %s", MCT_SCHEMA_SHOW(raw), message);
    return code;
}

/* Returns the compiled pattern, which is cached until another one needs its slot. */
static struct mcti_schema_pattern_slot *pattern_slot_of(struct mcti_schema_run *run, struct mcti_str raw)
{
    struct mcti_schema_pattern_slot *slot =
        &run->pattern[((uintptr_t)raw.p * 0x9e3779b97f4a7c15u >> 32) % MCT_SCHEMA_PATTERN_SLOTS];
    uint32_t options = 0;
    if (slot->code && slot->pattern == raw.p)
        return slot;
    pcre2_code *code = pattern_compile(run, raw);
    if (!code)
        return NULL;
    pcre2_code_free(slot->code);
    pcre2_pattern_info(code, PCRE2_INFO_ALLOPTIONS, &options);
    *slot = (struct mcti_schema_pattern_slot){ raw.p, code, options & PCRE2_ANCHORED };
    return slot;
}

static bool pattern_prepare(struct mcti_schema_run *run)
{
    if (run->match_context)
        return true;
    if (!run->match_data)
        run->match_data = pcre2_match_data_create(1, NULL);
    run->match_context = run->match_data ? pcre2_match_context_create(NULL) : NULL;
    if (!run->match_context)
        return mcti_schema_stop(run, "no memory for patterns");
    pcre2_set_depth_limit(run->match_context, DEPTH_LIMIT);
    pcre2_set_heap_limit(run->match_context, HEAP_LIMIT_KIB);
    return true;
}

/* Searches for a match that begins at one of `width` positions from `from` on. */
static int match_window(struct mcti_schema_run *run, const pcre2_code *code, struct mcti_str text, size_t from,
                        size_t width)
{
    int rc = PCRE2_ERROR_MATCHLIMIT;
    pcre2_set_offset_limit(run->match_context, from + width - 1);
    for (uint32_t limit = FIRST_LIMIT; rc == PCRE2_ERROR_MATCHLIMIT && limit <= LAST_LIMIT; limit *= LIMIT_GROWTH) {
        if (!mcti_schema_spend(run, 16 + width * (limit / 4 + (text.len - from) / 64)))
            return rc;
        pcre2_set_match_limit(run->match_context, limit);
        rc = pcre2_match(code, (PCRE2_SPTR)text.p, text.len, from, PCRE2_NO_UTF_CHECK, run->match_data,
                         run->match_context);
    }
    return rc;
}

bool mcti_schema_match(struct mcti_schema_run *run, struct mcti_str raw_pattern, struct mcti_str text)
{
    const struct mcti_schema_pattern_slot *slot = pattern_slot_of(run, raw_pattern);
    int rc = PCRE2_ERROR_NOMATCH;
    if (!slot || !pattern_prepare(run))
        return false;
    for (size_t from = 0, width = 1; rc == PCRE2_ERROR_NOMATCH && from <= text.len; width *= WINDOW_GROWTH) {
        size_t left = text.len - from + 1;
        width = width < left ? width : left;
        rc = match_window(run, slot->code, text, from, width);
        if (slot->anchored)
            break;
        for (from += width; from < text.len && ((unsigned char)text.p[from] & 0xc0) == 0x80;)
            from++;
    }
    if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
        mcti_schema_stop(run, "the schema's pattern \"%.*s%s\" takes too much work on this text",
                         MCT_SCHEMA_SHOW(raw_pattern));
    return rc >= 0;
}
