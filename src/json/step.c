#include "json/step.h"

#include "json/strings.h"

enum { LEAST_BYTES = 16 }; /* of a step: every call goes on */

struct mcti_json_steps mcti_json_steps_open(struct mcti_str c)
{
    struct mcti_json_iter it = mcti_json_open(c);
    return (struct mcti_json_steps){ .p = it.p, .end = it.end, .is_object = it.p && *c.p == '{' };
}

/* Returns `stop`, or the position before it if a backslash stands there whose character comes behind. */
static const char *steps_whole_escapes(const char *p, const char *stop)
{
    const char *q = stop;
    while (q > p && q[-1] == '\\')
        q--;
    return stop - (stop - q) % 2;
}

/* Goes on in a string. Returns false if it does not end before `stop`. */
static bool steps_string(struct mcti_json_steps *s, const char *stop)
{
    const char *whole = stop < s->end ? steps_whole_escapes(s->p, stop) : stop;
    const char *to = mcti_string_end(s->p, whole);
    bool ends = to < whole || (to > s->p && to[-1] == '"' && steps_whole_escapes(s->p, to - 1) == to - 1);
    s->p = to;
    s->in_string = !ends;
    return ends;
}

static bool steps_ends_word(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Goes on in a number or word. Returns false if it does not end before `stop`. */
static bool steps_word(struct mcti_json_steps *s, const char *stop)
{
    while (s->p < stop && !steps_ends_word(*s->p))
        s->p++;
    return s->p < stop || stop == s->end;
}

/* Skips what is left of the key or value. Returns false if it does not end before `stop`. */
static bool steps_skip(struct mcti_json_steps *s, const char *stop)
{
    bool is_word = *s->from != '"' && *s->from != '{' && *s->from != '[';
    if (is_word)
        return steps_word(s, stop);
    while (s->p < stop) {
        if (s->in_string && !steps_string(s, stop))
            return false;
        if (s->p > s->from && !s->depth && !s->in_string)
            return true;
        if (s->p == stop)
            return false;
        char c = *s->p++;
        s->in_string = c == '"';
        s->depth += c == '{' || c == '[';
        s->depth -= c == '}' || c == ']';
    }
    return s->p > s->from && !s->depth && !s->in_string;
}

/* Moves to the next key or value. Returns false if there is none before `stop`. */
static bool steps_begin(struct mcti_json_steps *s, const char *stop)
{
    while (s->p < stop &&
           (*s->p == ',' || *s->p == ':' || *s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
    s->from = s->p < stop ? s->p : NULL;
    return s->from;
}

enum mcti_step mcti_json_step(struct mcti_json_steps *s, size_t *work, struct mcti_json_member *ret)
{
    size_t most = *work > LEAST_BYTES ? *work : LEAST_BYTES;
    const char *begin = s->p, *stop = s->p && (size_t)(s->end - s->p) > most ? s->p + most : s->end;
    enum mcti_step result = MCT_STEP_MORE;
    while (result == MCT_STEP_MORE && s->p && (s->from || steps_begin(s, stop)) && steps_skip(s, stop)) {
        struct mcti_str got = mcti_str_range(s->from, s->p);
        s->from = NULL;
        if (s->is_object && !s->has_key) {
            s->key = (struct mcti_str){ got.p + 1, got.len - 2 };
            s->has_key = true;
            continue;
        }
        *ret = (struct mcti_json_member){ s->key, got };
        s->has_key = false;
        result = MCT_STEP_GOT;
    }
    size_t done = s->p ? (size_t)(s->p - begin) : 0;
    *work -= done < *work ? done : *work;
    return result == MCT_STEP_MORE && s->p == s->end && !s->from ? MCT_STEP_END : result;
}
