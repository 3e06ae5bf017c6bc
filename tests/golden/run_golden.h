/* What runs a golden file: one for the program. The language is described in run_golden.c. */
#ifndef MCT_TESTS_RUN_GOLDEN_H
#define MCT_TESTS_RUN_GOLDEN_H

#include "fake.h"

#include "resources/dialect/dialect.h"

enum { MAX_SERVERS = 128 };

struct golden {
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_view view;
    struct mcti_log log;
    struct mcti_naming naming;
    const char *preferred;
    struct mcti_dialect_opts opts;
    const char *allow[8];
    unsigned dialects;
    bool alone, search, open;
    struct fake *fakes[MAX_SERVERS];
    size_t n_fakes;
    uint64_t now_ms, begun_ms;
    struct mcti_buf logged, text, wanted; /* text: what the last call said; wanted: what the file says it says */
    bool has_text, is_error, failed, checked, wanted_error;
    unsigned text_line;
    struct mcti_call call;
    bool done;
    char tmp[64];
    const char *file;
    unsigned line;
    char *kept[64]; /* texts that options borrow */
    size_t n_kept;
};

extern struct golden g;

struct directive {
    const char *word;
    void (*run)(char *rest); /* of the line */
    bool about_text;         /* goes on with what the last call said */
};

/* Both end in a row without a word. */
extern const struct directive golden_setup[], golden_asked[];

/* ---- login.c ---- */

/* A login in this state; expires_at 0: unknown. Freed by free(). */
struct mcti_login *golden_login(const char *state, int64_t expires_at);

/* What a renewal of it comes to: a token until then, or a refusal. */
void golden_renews(struct mcti_login *l, int64_t until, const char *refusal);

/* ---- words.c ---- */

__attribute__((format(printf, 1, 2), noreturn)) void die(const char *fmt, ...);

/* Splits off the first word; what is left has no blank in front. */
char *word(char **rest);
unsigned number(const char *text);

/* A copy for the whole run. */
char *keep(const char *text);
void check_json(const char *text);

/* "CODE TEXT" as a JSON-RPC error. */
char *error_json(char *rest);

/* JSON with each % as the number. */
void put_numbered(struct mcti_buf *to, struct mcti_str text, unsigned n);

/* A line with everything in <<…>> written out. */
char *expand(const char *line);

/* ---- asked.c ---- */

/* Runs what is due now. */
void settle(void);

/* What the last call said is what the file says it says. */
void check_text(void);

#endif
