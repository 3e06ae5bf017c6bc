/* Names that look like other names: compared in a form in which look-alike characters are equal. */
#include "scan/impl.h"

#include "base/log/near.h"
#include "base/log/utf8.h"

#include <stdlib.h>

enum { TWIN, NEAR };

static const struct mcti_scan_rule rules[] = {
    [TWIN] = { "name.twin", MCT_SCAN_HARD, "MCP09", "looks like another name",
               "equal to another server or tool but for look-alike or unseen characters",
               "Do not use the server: it may imitate the other one.", .weight = 2 },
    [NEAR] = { "name.near", MCT_SCAN_SOFT, "MCP09", "resembles a well-known or other name",
               "one letter differs from a well-known server, or 0/O, 1/l are exchanged", "Check where it comes from." },
};

/* Names that are imitated because many people have them. */
static const char *const well_known[] = {
    "github",   "gitlab",     "filesystem", "slack",     "notion",  "playwright",  "puppeteer",
    "postgres", "postgresql", "sqlite",     "stripe",    "sentry",  "linear",      "atlassian",
    "supabase", "cloudflare", "context7",   "firecrawl", "mongodb", "kubernetes",  "figma",
    "hubspot",  "salesforce", "airtable",   "asana",     "discord", "telegram",    "whatsapp",
    "gmail",    "paypal",     "docker",     "anthropic", "openai",  "browserbase", "elasticsearch",
};

enum { NEAR_NAME_LETTERS = 6 };

void mcti_scan_skeleton_put(struct mcti_buf *to, struct mcti_str name, bool loose)
{
    for (const char *p = name.p, *end = p + name.len; p < end && to->len < SCAN_SKELETON_BYTES;) {
        unsigned f = mcti_scan_fold(mcti_scan_next(&p, end)), like = f > 0x7f ? mcti_scan_lookalike(f) : f;
        f = like ? like : f;
        if (loose)
            f = f == '0' ? 'o' : f == '1' || f == 'i' ? 'l' : f == '-' || f == '.' ? '_' : f;
        if (f)
            mcti_utf8_put(to, f);
    }
}

static bool same_skeleton(struct mcti_str a, struct mcti_str b, bool loose)
{
    struct mcti_buf left, right;
    mcti_buf_init(&left, 2 * SCAN_SKELETON_BYTES);
    mcti_buf_init(&right, 2 * SCAN_SKELETON_BYTES);
    mcti_scan_skeleton_put(&left, a, loose);
    mcti_scan_skeleton_put(&right, b, loose);
    bool same =
        mcti_buf_ok(&left) && mcti_buf_ok(&right) && left.len && mcti_str_eq(mcti_buf_str(&left), mcti_buf_str(&right));
    mcti_buf_done(&left);
    mcti_buf_done(&right);
    return same;
}

static bool has_wide(struct mcti_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.p[i] >= 0x80)
            return true;
    return false;
}

/* Adds the finding that two names look alike. */
static void run_found(struct mcti_scan_run *run, int rule, struct mcti_str name, struct mcti_str other)
{
    struct mcti_buf text;
    char *one = mcti_scan_excerpt(name, name), *two = mcti_scan_excerpt(other, other);
    mcti_buf_init(&text, 4096);
    mcti_buf_printf(&text, "'%s' and '%s'", one ? one : "", two ? two : "");
    mcti_buf_addc(&text, '\0');
    if (one && two && mcti_buf_ok(&text))
        mcti_scan_found_as(run, &rules[rule], text.p);
    else
        run->report->failed = true;
    mcti_buf_done(&text);
    free(one);
    free(two);
}

static void name_found(const char *place, int rule, struct mcti_str name, struct mcti_str other,
                       struct mcti_scan_report *report)
{
    struct mcti_scan_run run = { .report = report, .first = report->n };
    mcti_buf_init(&run.place, 4096);
    mcti_buf_addz(&run.place, place);
    run_found(&run, rule, name, other);
    mcti_buf_done(&run.place);
}

/* Compares with one other name. Returns whether they look alike. */
static bool name_compare(struct mcti_str name, struct mcti_str other, const char *place,
                         struct mcti_scan_report *report)
{
    bool wide = has_wide(name), other_wide = has_wide(other);
    if (mcti_str_eq(name, other) || mcti_str_eq_nocase(name, other))
        return false;
    if (same_skeleton(name, other, false) && (wide || other_wide)) {
        if (wide || !other_wide)
            name_found(place, TWIN, name, other, report);
        return true;
    }
    if (!wide && !other_wide && name.len == other.len && name.len >= NEAR_NAME_LETTERS &&
        same_skeleton(name, other, true) && !memchr(other.p, '-', other.len) == !memchr(name.p, '-', name.len)) {
        name_found(place, NEAR, name, other, report);
        return true;
    }
    return false;
}

void mcti_scan_name(struct mcti_str name, const struct mcti_str *others, size_t n_others, const char *place,
                    struct mcti_scan_report *report)
{
    for (size_t i = 0; i < n_others; i++)
        if (name_compare(name, others[i], place, report))
            return;
}

/* Looks whether the name of an item looks like that of a tool. */
static void confuse_item(struct mcti_scan_run *run, struct mcti_str raw)
{
    struct mcti_str twin = has_wide(raw) ? mcti_scan_names_twin(run->what->names, raw) : MCT_STR_NONE;
    if (twin.p)
        run_found(run, TWIN, raw, twin);
}

/* Looks whether the name of a server resembles a well-known one, by one letter or by look-alikes. */
static void confuse_raw(struct mcti_scan_run *run, struct mcti_str raw)
{
    if (run->role == SCAN_ROLE_NAME && run->what->kind == MCT_SCAN_ITEM && run->what->names)
        confuse_item(run, raw);
    if (run->role != SCAN_ROLE_NAME || run->is_tool || raw.len < NEAR_NAME_LETTERS || raw.len > MCT_NEAR_NAME_BYTES)
        return;
    for (size_t i = 0; i < SCAN_COUNT(well_known); i++) {
        struct mcti_str known = mcti_str_of(well_known[i]);
        if (mcti_str_eq_nocase(raw, known))
            return;
    }
    for (size_t i = 0; i < SCAN_COUNT(well_known); i++) {
        struct mcti_str known = mcti_str_of(well_known[i]);
        struct mcti_near near = { .word = known };
        if (known.len < NEAR_NAME_LETTERS || (raw.len > known.len ? raw.len - known.len : known.len - raw.len) > 1)
            continue;
        bool twin = has_wide(raw) && same_skeleton(raw, known, false);
        mcti_near_try(&near, raw);
        if (twin || (near.best[0] && near.distance <= 1))
            mcti_scan_found(run, &rules[twin ? TWIN : NEAR], raw, raw);
    }
}

const struct mcti_scan_family mcti_scan_confuse = { rules, SCAN_COUNT(rules), confuse_raw, NULL };
