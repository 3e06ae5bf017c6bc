/* What the files of the room share: the scan of one value, and the tables of the families. */
#ifndef MCT_SCAN_IMPL_H
#define MCT_SCAN_IMPL_H

#include "scan/scan.h"
#include "scan/words/words.h"

/* ---- value.c: one scan ---- */

/* The part of a value that a text stands in. */
enum mcti_scan_role {
    SCAN_ROLE_TEXT,     /* descriptions, instructions, results */
    SCAN_ROLE_NAME,     /* name of the item */
    SCAN_ROLE_PROPERTY, /* name of a property or argument */
    SCAN_ROLE_ARGUMENT, /* description of a property or argument */
    SCAN_ROLE_VALUE,    /* enum values, defaults, examples, constants */
    SCAN_ROLE_ICON,     /* source of an icon */
};

struct mcti_scan_run {
    const struct mcti_scanner *s;
    const struct mcti_scan_what *what;
    struct mcti_scan_report *report;
    const struct mcti_scan_names *own; /* names of its own that the item mentions: itself, its properties */
    struct mcti_buf place;             /* JSON pointer of the current text */
    enum mcti_scan_role role;
    int depth;               /* number of decodings that led to the current text */
    const char *via;         /* the last decoding; NULL: none */
    size_t first;            /* findings of the report in front of those of the current text */
    size_t budget;           /* bytes that may still be decoded */
    bool read_only, is_tool; /* of the item */
    struct mcti_str item_name;
};

struct mcti_scan_degree {
    enum mcti_scan_severity severity;
    unsigned weight;
};

/* Cuts a text into words, with the names that the scan knows. */
void mcti_scan_run_read(struct mcti_scan_run *run, struct mcti_scan_text *text, struct mcti_str raw);

/* Scans a text and what is encoded in it. */
void mcti_scan_run_text(struct mcti_scan_run *run, struct mcti_str raw);

/* Scans a decoded part of the current text, which stands at `outer`. `via`: name of the encoding. */
void mcti_scan_run_decoded(struct mcti_scan_run *run, struct mcti_str text, struct mcti_str outer, const char *via);

/* ---- names.c ---- */

/* Returns another tool's name with the skeleton of `name`, borrowed; absent: none. */
struct mcti_str mcti_scan_names_twin(const struct mcti_scan_names *names, struct mcti_str name);

/* ---- confuse.c ---- */

enum { SCAN_SKELETON_BYTES = 256 };

/* Appends what a name looks like: the form for comparisons. `loose`: digits are the letters that they look like, signs
 * are equal. */
void mcti_scan_skeleton_put(struct mcti_buf *to, struct mcti_str name, bool loose);

/* ---- report.c ---- */

/* Appends a finding at the current place unless this text has one of the rule. `at` is the part of the text that is
 * shown; `raw` the text. */
void mcti_scan_found(struct mcti_scan_run *run, const struct mcti_scan_rule *rule, struct mcti_str raw,
                     struct mcti_str at);

/* The same with another severity and weight than those of the rule. */
void mcti_scan_found_at(struct mcti_scan_run *run, const struct mcti_scan_rule *rule, struct mcti_scan_degree degree,
                        struct mcti_str raw, struct mcti_str at);

/* Appends a finding with this excerpt. */
void mcti_scan_found_as(struct mcti_scan_run *run, const struct mcti_scan_rule *rule, const char *excerpt);

/* ---- report.c ---- */

/* Removes the hints from finding `first` on, unless they explain a finding of the rule `combined`. */
void mcti_scan_report_settle(struct mcti_scan_report *report, size_t first);

/* Writes a harmless copy of `at` with some of the text around it. */
char *mcti_scan_excerpt(struct mcti_str raw, struct mcti_str at);

/* ---- families ---- */

struct mcti_scan_family {
    const struct mcti_scan_rule *rules;
    size_t n;
    void (*raw)(struct mcti_scan_run *run, struct mcti_str raw); /* looks at the bytes; NULL: does not */
    void (*words)(struct mcti_scan_run *run,
                  const struct mcti_scan_text *text); /* looks at the words; NULL: does not */
};
extern const struct mcti_scan_family mcti_scan_unicode, mcti_scan_directive, mcti_scan_intent, mcti_scan_exfil,
    mcti_scan_shadow, mcti_scan_confuse, mcti_scan_decode, mcti_scan_secret, mcti_scan_mismatch, mcti_scan_markup,
    mcti_scan_schema, mcti_scan_command, mcti_scan_combined;
extern const struct mcti_scan_family *const mcti_scan_families[];
extern const size_t mcti_scan_n_families;

/* ---- pattern.c ---- */

enum { SCAN_PATTERN_PARTS = 5 };

/*
 * A combination of concepts: each part is met by another word, all within `words` words of one sentence (`spans` more
 * sentences may be crossed). `without`: none of these between them, nor up to four words in front, unless it is a part.
 */
struct mcti_scan_pattern {
    const struct mcti_scan_rule *rule;
    mcti_scan_mask part[SCAN_PATTERN_PARTS];
    mcti_scan_mask without;
    unsigned words, spans;
    bool ordered;
    unsigned roles; /* bits 1 << enum mcti_scan_role; 0: all */
    /* Returns true if a match from token `from` to `to` is harmless; NULL: none is. */
    bool (*harmless)(const struct mcti_scan_run *run, const struct mcti_scan_text *t, size_t from, size_t to);
};

/* Finds the patterns in a text. In a sentence that speaks of attacks a finding is soft. */
void mcti_scan_patterns(struct mcti_scan_run *run, const struct mcti_scan_text *t,
                        const struct mcti_scan_pattern *patterns, size_t n);

#endif
