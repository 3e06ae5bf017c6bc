#include "cli/scan/scan.h"

#include "cli/terminal/wrap.h"
#include "json/write.h"

#include <stdlib.h>

enum { STEP = 2 };

/* ---- text ---- */

static void print_finding(const struct mcti_app *app, const struct mcti_scan_finding *f, unsigned indent)
{
    bool hard = f->severity == MCT_SCAN_HARD;
    printf("%*s", (int)indent, "");
    mcti_out_styled(app, hard ? MCT_RED : MCT_YELLOW, "%s", mcti_scan_severity_word(f->severity));
    mcti_out(app, "  %s  %s", f->rule->id, f->rule->title);
    if (*f->place)
        mcti_out_styled(app, MCT_DIM, "  at %s", f->place);
    printf("\n%*s", (int)indent + STEP * 3, "");
    mcti_out_wrapped(app, MCT_PLAIN, indent + STEP * 3, indent + STEP * 3, mcti_str_of(f->excerpt));
    printf("\n%*s", (int)indent + STEP * 3, "");
    mcti_out_wrapped(app, MCT_DIM, indent + STEP * 3, indent + STEP * 3, mcti_str_of(f->rule->advice));
    putchar('\n');
}

static void print_group(const struct mcti_app *app, const struct mcti_scan_group *g, unsigned indent)
{
    bool named = *g->item && strcmp(g->kind, "text") != 0;
    printf("%*s", (int)indent, "");
    mcti_out(app, "%s%s", g->kind, named ? " " : "");
    if (named) {
        char *shown = mcti_scan_shown(mcti_str_of(g->item));
        mcti_out_styled(app, MCT_BOLD, "%s", shown ? shown : "");
        free(shown);
    }
    putchar('\n');
    for (size_t i = 0; i < g->report.n; i++)
        print_finding(app, &g->report.v[i], indent + STEP);
    if (g->report.cut)
        mcti_out(app, "%*sfurther findings are not shown\n", (int)indent + STEP, "");
    if (g->report.truncated)
        mcti_out(app, "%*smore is encoded in this text than the scanner decodes\n", (int)indent + STEP, "");
}

void mcti_scan_print(const struct mcti_app *app, const struct mcti_scan_document *d, unsigned indent)
{
    const char *server = "";
    for (size_t i = 0; i < d->n; i++) {
        const struct mcti_scan_group *g = &d->v[i];
        if (!g->report.n)
            continue;
        if (strcmp(server, g->server) != 0) {
            char *shown = mcti_scan_shown(mcti_str_of(g->server));
            mcti_out_styled(app, MCT_BOLD, "%s", shown ? shown : "");
            putchar('\n');
            free(shown);
        }
        server = g->server;
        print_group(app, g, indent + (*server ? STEP : 0));
    }
}

/* ---- JSON ---- */

static void put_group(struct mcti_buf *to, const struct mcti_scan_group *g, size_t i)
{
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
    if (*g->server)
        mcti_json_put_member(to, "server", mcti_str_of(g->server));
    mcti_json_put_member(to, "kind", mcti_str_of(g->kind));
    if (*g->item)
        mcti_json_put_member(to, "item", mcti_str_of(g->item));
    mcti_json_put_key(to, "index");
    mcti_buf_addu(to, i);
    mcti_json_put_key(to, "findings");
    mcti_buf_addc(to, '[');
    for (size_t k = 0; k < g->report.n; k++) {
        mcti_buf_addz(to, k ? "," : "");
        mcti_scan_put_finding(to, &g->report.v[k]);
    }
    mcti_buf_addz(to, "]}");
}

static void print_put_count(struct mcti_buf *to, const char *key, size_t n)
{
    mcti_json_put_key(to, key);
    mcti_buf_addu(to, n);
}

void mcti_scan_print_json(const struct mcti_app *app, const struct mcti_scan_document *d, size_t n_ignored)
{
    struct mcti_buf b;
    mcti_buf_init(&b, (size_t)1 << 31);
    mcti_buf_addz(&b, "{\"items\":[");
    for (size_t i = 0; i < d->n; i++)
        if (d->v[i].report.n)
            put_group(&b, &d->v[i], i);
    mcti_buf_addc(&b, ']');
    print_put_count(&b, "scanned", d->n);
    print_put_count(&b, "hard", mcti_scan_document_count(d, MCT_SCAN_HARD));
    print_put_count(&b, "soft", mcti_scan_document_count(d, MCT_SCAN_SOFT));
    print_put_count(&b, "ignored", n_ignored);
    mcti_out_put_errors(app, &b);
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* ---- rules ---- */

static void put_rule_json(void *data, const struct mcti_scan_rule *rule)
{
    struct mcti_buf *b = data;
    mcti_buf_addz(b, mcti_buf_last(b) == '[' ? "{" : ",{");
    mcti_json_put_member(b, "rule", mcti_str_of(rule->id));
    mcti_json_put_member(b, "severity", mcti_str_of(mcti_scan_severity_word(rule->severity)));
    mcti_json_put_member(b, "owasp", mcti_str_of(rule->owasp));
    mcti_json_put_member(b, "title", mcti_str_of(rule->title));
    mcti_json_put_member(b, "looks_at", mcti_str_of(rule->looks_at));
    mcti_json_put_member(b, "advice", mcti_str_of(rule->advice));
    mcti_buf_addc(b, '}');
}

static void print_rule(void *data, const struct mcti_scan_rule *rule)
{
    const struct mcti_app *app = data;
    bool hard = rule->severity == MCT_SCAN_HARD;
    mcti_out_styled(app, MCT_BOLD, "%-28s", rule->id);
    mcti_out_styled(app, hard ? MCT_RED : MCT_YELLOW, " %s", mcti_scan_severity_word(rule->severity));
    mcti_out(app, "  %s  ", rule->owasp);
    mcti_out_wrapped(app, MCT_PLAIN, 42, 4, mcti_str_of(rule->title));
    printf("\n    ");
    mcti_out_wrapped(app, MCT_DIM, 4, 4, mcti_str_of(rule->looks_at));
    putchar('\n');
}

void mcti_scan_print_rules(struct mcti_app *app)
{
    struct mcti_buf b;
    if (app->opt.output != MCT_OUT_JSON) {
        mcti_out_page(app);
        mcti_scan_each_rule(print_rule, app);
        return;
    }
    mcti_buf_init(&b, 1u << 20);
    mcti_buf_addz(&b, "{\"rules\":[");
    mcti_scan_each_rule(put_rule_json, &b);
    mcti_buf_addz(&b, "]}");
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}
