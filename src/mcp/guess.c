#include "mcp/guess.h"

/* A position in the text. */
struct reader {
    const char *p, *end;
};

static void guess_skip_blanks(struct reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
        r->p++;
}

/* Starts after the opening quote of a string, returns its text and moves after its closing quote. */
static struct mcti_str guess_read_string(struct reader *r)
{
    const char *begin = r->p;
    while (r->p < r->end && *r->p != '"')
        r->p += *r->p == '\\' && r->end - r->p > 1 ? 2 : 1;
    struct mcti_str text = mcti_str_range(begin, r->p);
    if (r->p < r->end)
        r->p++;
    return text;
}

/* Returns the text of a scalar. */
static struct mcti_str read_scalar(const struct reader *from)
{
    struct reader r = *from;
    if (r.p < r.end && *r.p == '"') {
        r.p++;
        guess_read_string(&r);
        return mcti_str_range(from->p, r.p);
    }
    while (r.p < r.end && !strchr(",}] \t\r\n", *r.p))
        r.p++;
    return mcti_str_range(from->p, r.p);
}

/* Starts after a string; records the member if a colon follows, because the string is its name. */
static void note_member(struct mcti_guess *g, struct reader *r, struct mcti_str name)
{
    guess_skip_blanks(r);
    if (r->p == r->end || *r->p != ':')
        return;
    r->p++;
    guess_skip_blanks(r);
    g->asks |= mcti_str_is(name, "method");
    g->is_rpc |= mcti_str_is(name, "jsonrpc");
    g->answers |= mcti_str_is(name, "result") || mcti_str_is(name, "error");
    if (mcti_str_is(name, "id") && !g->id.p)
        g->id = read_scalar(r);
}

struct mcti_guess mcti_guess(struct mcti_str text)
{
    struct mcti_guess g = { 0 };
    struct reader r = { text.p, text.p + text.len };
    int depth = 0;
    while (r.p < r.end) {
        char c = *r.p++;
        if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
        if (c != '"')
            continue;
        struct mcti_str name = guess_read_string(&r);
        if (depth == 1)
            note_member(&g, &r, name);
    }
    return g;
}
