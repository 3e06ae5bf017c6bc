/* The principals that requests come from, and the memory that the gateway holds for them. */
#include "front/http/metrics.h"

#include "gateway/activity/series.h"

#include <stdlib.h>

/* Adds the visitor of a token; name NULL: that of clients without one. Returns -1 when out of memory. */
static int visitors_add(struct mcti_front_http *f, const char *name)
{
    struct mcti_http_visitor **all = realloc(f->visitors, (f->n_visitors + 1) * sizeof(struct mcti_http_visitor *));
    struct mcti_http_visitor *v = all ? calloc(1, sizeof *v) : NULL;
    f->visitors = all ? all : f->visitors;
    if (!v || (name && !(v->name = strdup(name)))) {
        free(v);
        return -1;
    }
    v->principal = name ? &v->own : &f->gateway->local;
    if (name)
        mcti_principal_init(&v->own, &f->gateway->memory, mcti_str_of(v->name));
    mcti_list_init(&v->events);
    all[f->n_visitors++] = v;
    return 0;
}

/* Returns the number of the principal with this name, and adds it if it is new; 0 when out of memory. */
static unsigned visitors_number(struct mcti_front_http *f, const char *name)
{
    for (size_t i = 1; i < f->n_visitors; i++)
        if (!strcmp(f->visitors[i]->name, name))
            return (unsigned)i;
    return visitors_add(f, name) < 0 ? 0 : (unsigned)f->n_visitors - 1;
}

int mcti_visitors_take(struct mcti_front_http *f, const struct mcti_guard *guard)
{
    int r = f->n_visitors ? 0 : visitors_add(f, NULL);
    for (size_t i = 0; r == 0 && i < guard->n_tokens; i++)
        r = visitors_number(f, guard->tokens[i].name) ? 0 : -1;
    struct mcti_credential *tokens = r == 0 ? calloc(f->n_visitors, sizeof *tokens) : NULL;
    if (!tokens)
        return -1;
    for (size_t i = 0; i < guard->n_tokens; i++)
        tokens[visitors_number(f, guard->tokens[i].name) - 1] = guard->tokens[i];
    for (size_t i = 1; i < f->n_visitors; i++)
        f->visitors[i]->own.rates.rule = tokens[i - 1].rate;
    free(f->tokens);
    f->tokens = tokens;
    f->guard = *guard;
    f->guard.tokens = tokens;
    f->guard.n_tokens = guard->n_tokens ? f->n_visitors - 1 : 0;
    return 0;
}

void mcti_visitors_done(struct mcti_front_http *f)
{
    for (size_t i = 0; i < f->n_visitors; i++) {
        free(f->visitors[i]->name);
        free(f->visitors[i]);
    }
    free(f->visitors);
    free(f->tokens);
    free(f->tries);
}

static size_t count_at(const struct mcti_http_visitor *v, size_t offset)
{
    size_t n;
    memcpy(&n, (const char *)v + offset, sizeof n);
    return n;
}

unsigned mcti_visitors_most(const struct mcti_front_http *f, size_t offset)
{
    unsigned most = 0;
    for (unsigned i = 1; i < f->n_visitors; i++)
        if (count_at(f->visitors[i], offset) > count_at(f->visitors[most], offset))
            most = i;
    return most;
}

static void visitors_put_head(struct mcti_buf *b, const char *name, const char *type, const char *help)
{
    mcti_buf_printf(b, "# HELP mcptools_%s %s\n# TYPE mcptools_%s %s\n", name, help, name, type);
}

static void put_kinds(struct mcti_buf *b, const struct mcti_tally *t)
{
    visitors_put_head(b, "held_bytes", "gauge", "Memory that the gateway holds for clients.");
    for (int k = 0; k < MCT_HELD_N; k++)
        mcti_buf_printf(b, "mcptools_held_bytes{kind=\"%s\"} %zu\n", mcti_held_word((enum mcti_held)k), t->held[k]);
    visitors_put_head(b, "memory_refused_total", "counter",
                      "Requests and answers refused because too much memory was held.");
    for (int k = 0; k < MCT_HELD_N; k++)
        mcti_buf_printf(b, "mcptools_memory_refused_total{kind=\"%s\"} %llu\n", mcti_held_word((enum mcti_held)k),
                        (unsigned long long)t->refused[k]);
}

static void put_principal(struct mcti_buf *b, const char *name, const struct mcti_principal *p, size_t value)
{
    char who[MCT_LIMIT_NAME_BYTES];
    snprintf(who, sizeof who, "%.*s", MCT_STR_ARG(p->name));
    mcti_buf_printf(b, "mcptools_%s{principal=\"", name);
    mcti_series_put_label(b, who);
    mcti_buf_printf(b, "\"} %zu\n", value);
}

static size_t visitors_refused(const struct mcti_tally *t)
{
    size_t n = 0;
    for (int k = 0; k < MCT_HELD_N; k++)
        n += t->refused[k];
    return n;
}

void mcti_visitors_put_memory(struct mcti_buf *b, const struct mcti_front_http *f)
{
    const struct mcti_registry *r = f->gateway->registry;
    size_t first = f->guard.n_tokens ? 1 : 0;
    visitors_put_head(b, "memory_limit_bytes", "gauge", "limits.memory_bytes.");
    mcti_buf_printf(b, "mcptools_memory_limit_bytes %zu\n", f->gateway->memory.whole.rule->share);
    put_kinds(b, &f->gateway->memory.tally);
    visitors_put_head(b, "principal_held_bytes", "gauge",
                      "Memory that the gateway holds, by principal: the name of a token, or local without tokens.");
    for (size_t i = first; i < f->n_visitors; i++)
        put_principal(b, "principal_held_bytes", f->visitors[i]->principal, f->visitors[i]->principal->account.held);
    visitors_put_head(b, "principal_memory_refused_total", "counter",
                      "Requests and answers refused because too much memory was held, by principal.");
    for (size_t i = first; i < f->n_visitors; i++)
        put_principal(b, "principal_memory_refused_total", f->visitors[i]->principal,
                      visitors_refused(&f->visitors[i]->principal->tally));
    visitors_put_head(b, "server_held_bytes", "gauge",
                      "Memory of calls in flight to a server, and of its log messages.");
    for (size_t i = 0; i < r->n; i++) {
        mcti_buf_addz(b, "mcptools_server_held_bytes{server=\"");
        mcti_series_put_label(b, r->v[i]->name);
        mcti_buf_printf(b, "\"} %zu\n", r->v[i]->payer.account.held);
    }
}
