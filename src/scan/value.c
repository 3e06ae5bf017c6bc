/* One scan: walks through a value, gives each text its role, and passes it to the families. */
#include "scan/impl.h"

#include "base/limits.h"
#include "json/scan.h"

#include <stdlib.h>

enum { MAX_DECODINGS = 3, STRONG = 2, HARD_WEIGHT = 3, NEAR_BYTES = 600 };

/* ---- one text ---- */

/* Returns true if the soft findings near finding `i` weigh enough together: each kind of sign counts once, and without
 * a strong one they need more. */
static bool run_weighs(const struct mcti_scan_run *run, size_t i)
{
    const struct mcti_scan_report *report = run->report;
    unsigned of_sign[MCT_N_SIGNS] = { 0 }, weight = 0;
    bool strong = false;
    for (size_t k = run->first; k < report->n; k++) {
        const struct mcti_scan_finding *f = &report->v[k];
        if (f->at < report->v[i].at || f->at - report->v[i].at > NEAR_BYTES)
            continue;
        unsigned old = f->rule->sign == MCT_SIGN_OTHER ? 0 : of_sign[f->rule->sign];
        if (f->weight > old) {
            of_sign[f->rule->sign] = f->weight;
            weight += f->weight - old;
        }
        strong |= f->weight >= STRONG;
    }
    return weight >= (unsigned)HARD_WEIGHT + !strong;
}

/* Soft findings of different kinds that stand close together make a hard one. */
static void run_combine(struct mcti_scan_run *run)
{
    const struct mcti_scan_report *report = run->report;
    for (size_t i = run->first; i < report->n; i++)
        if (report->v[i].severity == MCT_SCAN_HARD)
            return;
    for (size_t i = run->first; i < report->n; i++)
        if (report->v[i].weight && run_weighs(run, i)) {
            mcti_scan_found_as(run, &mcti_scan_combined.rules[0], report->v[i].excerpt);
            return;
        }
}

/* Returns true for the name of an environment variable that holds a secret: "X_API_KEY". */
static bool is_secret_variable(struct mcti_str name)
{
    static const struct mcti_str ends[] = { MCT_STR("_KEY"), MCT_STR("_TOKEN"), MCT_STR("_SECRET"),
                                            MCT_STR("_PASSWORD") };
    for (size_t i = 0; i < SCAN_COUNT(ends); i++)
        if (name.len > ends[i].len &&
            mcti_str_eq((struct mcti_str){ name.p + name.len - ends[i].len, ends[i].len }, ends[i]))
            return true;
    return false;
}

/* Returns the concept of a name with '_' or '-' in it: a tool of another server, a name that is not known at all, or
 * nothing. */
static mcti_scan_mask name_mask(void *data, struct mcti_str name)
{
    const struct mcti_scan_run *run = data;
    bool own = false, mine = false, foreign = false;
    if (run->what->names)
        foreign = mcti_scan_names_foreign(run->what->names, run->what->server, name, &own);
    if (run->own)
        mcti_scan_names_foreign(run->own, MCT_STR("*"), name, &mine);
    if (own)
        return 0;
    if (mine)
        return mcti_str_eq(name, run->item_name) ? 0 : SCAN_MASK(PARAM);
    if (is_secret_variable(name))
        return SCAN_MASK(CREDS);
    return foreign ? SCAN_MASK(KNOWN) : memchr(name.p, '_', name.len) ? SCAN_MASK(FOREIGN) : 0;
}

void mcti_scan_run_read(struct mcti_scan_run *run, struct mcti_scan_text *text, struct mcti_str raw)
{
    bool is_name = run->role == SCAN_ROLE_NAME || run->role == SCAN_ROLE_PROPERTY;
    struct mcti_scan_reader reader = { run->s, is_name, name_mask, run };
    mcti_scan_text_read(text, &reader, raw);
    run->report->failed |= text->failed;
}

static void run_words(struct mcti_scan_run *run, struct mcti_str raw)
{
    struct mcti_scan_text text;
    mcti_scan_run_read(run, &text, raw);
    for (size_t i = 0; i < mcti_scan_n_families && !text.failed; i++)
        if (mcti_scan_families[i]->words)
            mcti_scan_families[i]->words(run, &text);
    mcti_scan_text_done(&text);
}

/* Texts are read in pieces that overlap, so that memory stays bounded. */
static void run_pieces(struct mcti_scan_run *run, struct mcti_str raw)
{
    for (size_t at = 0; at < raw.len;) {
        size_t n = raw.len - at < MCT_SCAN_PIECE_BYTES ? raw.len - at : MCT_SCAN_PIECE_BYTES;
        struct mcti_str piece = { raw.p + at, n };
        for (size_t i = 0; i < mcti_scan_n_families; i++)
            if (mcti_scan_families[i]->raw)
                mcti_scan_families[i]->raw(run, piece);
        run_words(run, piece);
        at += at + n < raw.len ? n - MCT_SCAN_OVERLAP_BYTES : n;
    }
}

void mcti_scan_run_text(struct mcti_scan_run *run, struct mcti_str raw)
{
    size_t outer = run->first;
    run->first = run->report->n;
    run_pieces(run, raw);
    run_combine(run);
    mcti_scan_report_settle(run->report, run->first);
    run->first = outer;
}

void mcti_scan_run_decoded(struct mcti_scan_run *run, struct mcti_str text, struct mcti_str outer, const char *via)
{
    const char *before = run->via;
    size_t n = run->report->n;
    if (!text.len || run->depth >= MAX_DECODINGS)
        return;
    if (text.len > run->budget) {
        run->report->truncated = true;
        return;
    }
    run->budget -= text.len;
    run->depth++;
    run->via = via;
    run_pieces(run, text);
    run->via = before;
    run->depth--;
    if (run->report->n > n)
        mcti_scan_found(run, &mcti_scan_decode.rules[0], outer, outer);
}

/* ---- JSON ---- */

static void place_push(struct mcti_scan_run *run, struct mcti_str raw_key)
{
    struct mcti_buf key;
    mcti_buf_init(&key, 2 * MCT_LIMIT_NAME_BYTES);
    raw_key.len = raw_key.len < MCT_LIMIT_NAME_BYTES ? raw_key.len : MCT_LIMIT_NAME_BYTES;
    mcti_buf_addc(&run->place, '/');
    for (size_t i = 0; i < raw_key.len; i++)
        if (raw_key.p[i] == '~' || raw_key.p[i] == '/')
            mcti_buf_addz(&run->place, raw_key.p[i] == '~' ? "~0" : "~1");
        else
            mcti_buf_addc(&run->place, raw_key.p[i]);
    mcti_buf_done(&key);
}

static void run_string(struct mcti_scan_run *run, struct mcti_str value)
{
    struct mcti_buf text;
    struct mcti_str plain;
    if (mcti_json_plain(value, &plain)) {
        mcti_scan_run_text(run, plain);
        return;
    }
    mcti_buf_init(&text, value.len + 4);
    if (mcti_json_unescape_any(value, &text) == 0 && mcti_buf_ok(&text))
        mcti_scan_run_text(run, mcti_buf_str(&text));
    else
        run->report->failed = true;
    mcti_buf_done(&text);
}

/* The role of the texts below a member, and whether the member is a map whose keys are names of properties. */
struct scan_member {
    const char *key;
    enum mcti_scan_role role;
    bool names, skipped;
};

static const struct scan_member members[] = {
    { "name", SCAN_ROLE_NAME, false, false },
    { "enum", SCAN_ROLE_VALUE, false, false },
    { "enumNames", SCAN_ROLE_VALUE, false, false },
    { "default", SCAN_ROLE_VALUE, false, false },
    { "examples", SCAN_ROLE_VALUE, false, false },
    { "example", SCAN_ROLE_VALUE, false, false },
    { "const", SCAN_ROLE_VALUE, false, false },
    { "properties", SCAN_ROLE_ARGUMENT, true, false },
    { "patternProperties", SCAN_ROLE_ARGUMENT, true, false },
    { "$defs", SCAN_ROLE_ARGUMENT, true, false },
    { "definitions", SCAN_ROLE_ARGUMENT, true, false },
    { "arguments", SCAN_ROLE_ARGUMENT, false, false },
    { "icons", SCAN_ROLE_TEXT, false, false },
    { "src", SCAN_ROLE_ICON, false, false },
    /* bytes, which models do not read as text */
    { "blob", SCAN_ROLE_TEXT, false, true },
};

static const struct scan_member *member_find(struct mcti_str raw_key)
{
    for (size_t i = 0; i < SCAN_COUNT(members); i++)
        if (mcti_json_key_is(raw_key, members[i].key))
            return &members[i];
    return NULL;
}

static void run_value(struct mcti_scan_run *run, struct mcti_str value, bool names);

/* A name in a schema is a text of its own. */
static void run_key(struct mcti_scan_run *run, struct mcti_str key)
{
    enum mcti_scan_role role = run->role;
    run->role = SCAN_ROLE_PROPERTY;
    run_string(run, mcti_json_key_value(key));
    run->role = role;
}

static void run_member(struct mcti_scan_run *run, const struct mcti_json_member *member, bool names, bool image)
{
    const struct scan_member *known = names ? NULL : member_find(member->key);
    enum mcti_scan_role role = run->role;
    size_t len = run->place.len;
    bool data = image && mcti_json_key_is(member->key, "data");
    place_push(run, member->key);
    if (names || (!known && member->key.len > 24))
        run_key(run, member->key);
    if (known && run->role != SCAN_ROLE_VALUE)
        run->role = known->role == SCAN_ROLE_NAME && role == SCAN_ROLE_ARGUMENT ? SCAN_ROLE_PROPERTY : known->role;
    if (!data && !(known && known->skipped))
        run_value(run, member->value, known && known->names);
    run->role = role;
    run->place.len = len;
}

static void run_object(struct mcti_scan_run *run, struct mcti_str object, bool names)
{
    struct mcti_json_member member;
    struct mcti_str type = mcti_json_get(object, "type");
    bool image = !names && (mcti_json_is(type, "image") || mcti_json_is(type, "audio"));
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &member);)
        run_member(run, &member, names, image);
}

static void run_array(struct mcti_scan_run *run, struct mcti_str array)
{
    struct mcti_str item;
    size_t len = run->place.len, n = 0;
    for (struct mcti_json_iter it = mcti_json_open(array); mcti_json_next_item(&it, &item); n++) {
        mcti_buf_printf(&run->place, "/%zu", n);
        run_value(run, item, false);
        run->place.len = len;
    }
}

static void run_value(struct mcti_scan_run *run, struct mcti_str value, bool names)
{
    char type = mcti_json_type(value);
    if (type == '"')
        run_string(run, value);
    else if (type == '{')
        run_object(run, value, names);
    else if (type == '[')
        run_array(run, value);
}

/* ---- items ---- */

/* Adds the names of properties, which descriptions mention. */
static void own_add(struct mcti_scan_names *own, struct mcti_str value, bool names, unsigned depth)
{
    struct mcti_json_member member;
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(value);
         depth && mcti_json_type(value) == '{' && mcti_json_next_member(&it, &member);) {
        const struct scan_member *known = names ? NULL : member_find(member.key);
        if (names)
            mcti_scan_names_add(own, MCT_STR("*"), member.key);
        own_add(own, member.value, known && known->names, depth - 1);
    }
    for (struct mcti_json_iter it = mcti_json_open(value);
         depth && mcti_json_type(value) == '[' && mcti_json_next_item(&it, &item);) {
        struct mcti_str plain;
        if (mcti_json_plain(item, &plain))
            mcti_scan_names_add(own, MCT_STR("*"), plain); /* enum values and required names */
        own_add(own, item, false, depth - 1);
    }
}

static void value_run_item(struct mcti_scan_run *run, struct mcti_str value)
{
    enum { OWN_DEPTH = 16 };
    struct mcti_str name = mcti_json_get(value, "name"), plain;
    struct mcti_scan_names *own = mcti_scan_names_new();
    run->report->failed |= !own;
    if (own && mcti_json_plain(name, &plain)) {
        run->item_name = plain;
        mcti_scan_names_add(own, MCT_STR("*"), plain);
    }
    if (own)
        own_add(own, value, false, OWN_DEPTH);
    run->own = own;
    run->is_tool = mcti_json_get(value, "inputSchema").p != NULL;
    run->read_only = mcti_json_true(mcti_json_get(mcti_json_get(value, "annotations"), "readOnlyHint"));
    run_value(run, value, false);
    run->own = NULL;
    mcti_scan_names_free(own);
}

void mcti_scan_value(const struct mcti_scanner *s, const struct mcti_scan_what *what, struct mcti_str value,
                     struct mcti_scan_report *report)
{
    struct mcti_scan_run run = { .s = s, .what = what, .report = report, .first = report->n };
    run.budget = 4 * value.len + MCT_SCAN_PIECE_BYTES;
    mcti_buf_init(&run.place, MCT_LIMIT_JSON_DEPTH * 2 * MCT_LIMIT_NAME_BYTES);
    if (what->kind == MCT_SCAN_TEXT)
        mcti_scan_run_text(&run, value);
    else if (what->kind == MCT_SCAN_ITEM)
        value_run_item(&run, value);
    else
        run_value(&run, value, false);
    report->failed |= !mcti_buf_ok(&run.place);
    mcti_buf_done(&run.place);
}

void mcti_scan_server_name(const struct mcti_scanner *s, struct mcti_str name, struct mcti_scan_report *report)
{
    struct mcti_scan_what what = { MCT_SCAN_TEXT, name, NULL };
    struct mcti_scan_run run = { .s = s, .what = &what, .report = report, .first = report->n, .role = SCAN_ROLE_NAME };
    run.budget = 4 * name.len + 256;
    mcti_buf_init(&run.place, 4096);
    mcti_scan_run_text(&run, name);
    mcti_buf_done(&run.place);
}
