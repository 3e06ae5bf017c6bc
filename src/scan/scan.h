/*
 * Deterministic rules that find hostile text in everything that MCP servers say to models. A scan reads JSON values as
 * servers wrote them, or plain text, and appends findings to a report. It keeps nothing of what it has read, uses no
 * network, and its time is proportional to the text.
 */
#ifndef MCT_SCAN_SCAN_H
#define MCT_SCAN_SCAN_H

#include "base/buf.h"
#include "base/error.h"
#include "base/strings.h"
#include "scan/words/words.h"

/* HARD: such a text has no place in a description. SOFT: a person should look at it. */
enum mcti_scan_severity { MCT_SCAN_SOFT, MCT_SCAN_HARD };

const char *mcti_scan_severity_word(enum mcti_scan_severity severity);

/* What a soft finding is a sign of. Two rules of one kind are one sign; see the rule `combined`. */
enum mcti_scan_sign {
    MCT_SIGN_OTHER, /* each rule is a sign of its own */
    MCT_SIGN_SECRECY,
    MCT_SIGN_ADDRESS, /* speaks to a model */
    MCT_SIGN_RANK,    /* puts itself above user, rules or other instructions */
    MCT_SIGN_CONSENT,
    MCT_SIGN_TIME, /* for later, for each time */
    MCT_SIGN_DATA, /* private data is read or handed over */
    MCT_SIGN_TARGET,
    MCT_SIGN_TOOLS, /* other tools */
    MCT_N_SIGNS
};

struct mcti_scan_rule {
    const char *id; /* FAMILY.NAME */
    enum mcti_scan_severity severity;
    const char *owasp; /* id in the OWASP MCP Top 10 */
    const char *title;
    const char *looks_at; /* the signs of which the rule is made */
    const char *advice;   /* what a person does about a finding */
    bool quotable;        /* a soft finding in a sentence that speaks of attacks or examples */
    unsigned weight;      /* 2: a strong sign, 1: a weak one; see the rule `combined` */
    enum mcti_scan_sign sign;
    bool hint; /* counts for `combined` and is reported beside it only */
};

/* Calls `each` with all rules, family by family. */
void mcti_scan_each_rule(void (*each)(void *data, const struct mcti_scan_rule *rule), void *data);

/* Returns the rule with this id, or NULL. */
const struct mcti_scan_rule *mcti_scan_rule_find(struct mcti_str id);

struct mcti_scan_finding {
    const struct mcti_scan_rule *rule;
    enum mcti_scan_severity severity; /* may be lower than that of the rule */
    unsigned weight;                  /* that of the rule; 0 in a sentence about attacks */
    size_t at;                        /* offset in its text */
    char *place;                      /* JSON pointer in the value; "" is the value itself */
    char *excerpt;                    /* printable ASCII and letters; hidden characters as U+XXXX; secrets masked */
};

struct mcti_scan_report {
    struct mcti_scan_finding *v; /* owned */
    size_t n, cap;
    bool failed;    /* out of memory: findings are missing */
    bool cut;       /* more findings than MCT_LIMIT_SCAN_FINDINGS */
    bool truncated; /* a text had more words than are looked at */
};

void mcti_scan_report_done(struct mcti_scan_report *report);

/* Returns the number of findings of this severity. */
size_t mcti_scan_report_count(const struct mcti_scan_report *report, enum mcti_scan_severity severity);

/* Removes the findings for which one of the globs matches RULE or RULE:SERVER.ITEM. Returns the number of findings
 * removed. */
size_t mcti_scan_report_ignore(struct mcti_scan_report *report, const struct mcti_strings *globs,
                               struct mcti_str server, struct mcti_str item);

/* Returns a copy of foreign text with hidden characters as <U+XXXX>, owned; NULL: out of memory. */
char *mcti_scan_shown(struct mcti_str text);

/* Writes {"rule","severity","owasp","title","place","excerpt","advice"}. */
void mcti_scan_put_finding(struct mcti_buf *to, const struct mcti_scan_finding *finding);

/* ---- the scanner ---- */

/* The names around a value. Sets of names are created by the caller and may be shared by scans. */
struct mcti_scan_names;

/* Creates a set of names of tools. NULL: out of memory. */
struct mcti_scan_names *mcti_scan_names_new(void);
void mcti_scan_names_free(struct mcti_scan_names *names);

/* Adds the raw name of a tool of `server`. Returns -1 when out of memory. */
int mcti_scan_names_add(struct mcti_scan_names *names, struct mcti_str server, struct mcti_str tool);

/* Returns true if a server other than `server` has a tool of this name; sets *ret_own if `server` has one itself, and
 * leaves it unchanged otherwise. */
bool mcti_scan_names_foreign(const struct mcti_scan_names *names, struct mcti_str server, struct mcti_str name,
                             bool *ret_own);

enum mcti_scan_kind {
    MCT_SCAN_TEXT, /* `value` is plain text, not JSON */
    MCT_SCAN_ITEM, /* a tool, prompt, resource or template */
    MCT_SCAN_SAID, /* instructions: a JSON string, or an object with texts */
    MCT_SCAN_RESULT,
};

struct mcti_scan_what {
    enum mcti_scan_kind kind;
    struct mcti_str server;              /* name of the server that says it; absent: unknown */
    const struct mcti_scan_names *names; /* tools of all servers, its own included; NULL: unknown */
};

/* Scans one value and appends the findings. JSON must be validated. */
void mcti_scan_value(const struct mcti_scanner *s, const struct mcti_scan_what *what, struct mcti_str value,
                     struct mcti_scan_report *report);

/* Compares a name with the other names of the same level (servers, or tools of one client): finds names that look like
 * it but have other bytes. `place` is the JSON pointer of the name. */
void mcti_scan_name(struct mcti_str name, const struct mcti_str *others, size_t n_others, const char *place,
                    struct mcti_scan_report *report);

/* Scans the name of a server as a text, and compares it with those of well-known servers. */
void mcti_scan_server_name(const struct mcti_scanner *s, struct mcti_str name, struct mcti_scan_report *report);

#endif
