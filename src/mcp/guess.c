#include "mcp/guess.h"

/* A place in the text. */
struct reader {
    const char *p, *end;
};

static void skip_blanks(struct reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
        r->p++;
}

/* Behind a string's first quote: returns its text, and moves behind its last quote. */
static struct mct_str read_string(struct reader *r)
{
    const char *begin = r->p;
    while (r->p < r->end && *r->p != '"')
        r->p += *r->p == '\\' && r->end - r->p > 1 ? 2 : 1;
    struct mct_str text = mct_str_range(begin, r->p);
    if (r->p < r->end)
        r->p++;
    return text;
}

/* A scalar's text. */
static struct mct_str read_scalar(const struct reader *from)
{
    struct reader r = *from;
    if (r.p < r.end && *r.p == '"') {
        r.p++;
        read_string(&r);
        return mct_str_range(from->p, r.p);
    }
    while (r.p < r.end && !strchr(",}] \t\r\n", *r.p))
        r.p++;
    return mct_str_range(from->p, r.p);
}

/* Behind a string that is a member's name if a colon follows. */
static void note_member(struct mct_guess *g, struct reader *r, struct mct_str name)
{
    skip_blanks(r);
    if (r->p == r->end || *r->p != ':')
        return;
    r->p++;
    skip_blanks(r);
    g->asks |= mct_str_is(name, "method");
    g->is_rpc |= mct_str_is(name, "jsonrpc");
    g->answers |= mct_str_is(name, "result") || mct_str_is(name, "error");
    if (mct_str_is(name, "id") && !g->id.p)
        g->id = read_scalar(r);
}

struct mct_guess mct_guess(struct mct_str text)
{
    struct mct_guess g = { 0 };
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
        struct mct_str name = read_string(&r);
        if (depth == 1)
            note_member(&g, &r, name);
    }
    return g;
}
