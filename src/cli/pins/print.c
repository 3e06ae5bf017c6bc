/* Prints what differs between pins and servers. */
#include "cli/pins/pinning.h"

#include "base/log/utf8.h"
#include "base/log/visible.h"
#include "config/edit/edit.h"

#include <stdlib.h>

struct pins_printer {
    const struct mcti_pinning *pinning;
    const struct mcti_pinning_change *change;
    struct mcti_buf out;
};

static const char *print_word(unsigned subject)
{
    return subject == MCT_PIN_ABOUT ? "server" : mcti_subject_word((enum mcti_subject)subject);
}

static const char *print_kind(const struct mcti_pinning_change *c)
{
    return !c->was ? "added" : !c->is ? "removed" : "changed";
}

/* Calls `fn` for each part that differs. */
static void print_parts(const struct mcti_pinning_change *c,
                        void (*fn)(void *data, struct mcti_str key, struct mcti_str was, struct mcti_str is),
                        struct pins_printer *p)
{
    const struct mcti_str none = MCT_STR("{}");
    mcti_pins_compare(c->was ? mcti_str_of(c->was) : none, c->is ? mcti_str_of(c->is) : none,
                      c->is ? c->rev : MCT_REV_NONE, fn, p);
}

/* ---- text ---- */

/* Appends the text with each character that a person cannot see as its number, such as <U+200B>. */
static void print_put_seen(struct mcti_buf *to, struct mcti_str text)
{
    while (text.len) {
        size_t n = *text.p == '\n' || *text.p == '\t' ? 0 : mcti_unseen_len(text.p, text.len);
        if (n)
            mcti_buf_printf(to, "<U+%04X>", mcti_utf8_at(text.p, n));
        else
            mcti_buf_addc(to, *text.p);
        text = (struct mcti_str){ text.p + (n ? n : 1), text.len - (n ? n : 1) };
    }
}

/* Appends the value of a part as lines. */
static void print_put_value(struct mcti_buf *to, struct mcti_str part)
{
    struct mcti_str value = mcti_json_get(part, "value"), hash = MCT_STR_NONE;
    struct mcti_buf text;
    if (!part.p)
        return;
    mcti_buf_init(&text, (size_t)1 << 30);
    mcti_json_plain(mcti_json_get(part, "sha256"), &hash);
    if (!value.p)
        mcti_buf_printf(&text, "(a text that is not kept, with the hash %.*s)", MCT_STR_ARG(hash));
    else if (mcti_json_type(value) == '"')
        mcti_json_unescape_any(value, &text);
    else
        mcti_json_put_pretty(&text, value);
    print_put_seen(to, mcti_buf_str(&text));
    mcti_buf_addc(to, '\n');
    mcti_buf_done(&text);
}

static void print_on_part(void *data, struct mcti_str key, struct mcti_str was, struct mcti_str is)
{
    struct pins_printer *p = data;
    struct mcti_buf before, after, name;
    mcti_buf_init(&before, (size_t)1 << 30);
    mcti_buf_init(&after, (size_t)1 << 30);
    mcti_buf_init(&name, 1u << 20);
    print_put_value(&before, was);
    print_put_value(&after, is);
    mcti_buf_printf(&name, "%s%s%s %.*s", p->change->server, *p->change->id ? "." : "", p->change->id,
                    MCT_STR_ARG(key));
    struct mcti_buf seen;
    mcti_buf_init(&seen, 1u << 20);
    print_put_seen(&seen, mcti_buf_str(&name));
    char *file = mcti_buf_take(&seen);
    if (file)
        mcti_edit_put_diff(&p->out, file, mcti_buf_str(&before), mcti_buf_str(&after));
    free(file);
    mcti_buf_done(&name);
    mcti_buf_done(&before);
    mcti_buf_done(&after);
}

static void print_on_change(void *data, const struct mcti_pinning_change *c)
{
    struct pins_printer *p = data;
    p->change = c;
    mcti_buf_printf(&p->out, "%s %s", c->server, print_word(c->subject));
    if (*c->id) {
        mcti_buf_addz(&p->out, " '");
        print_put_seen(&p->out, mcti_str_of(c->id));
        mcti_buf_addc(&p->out, '\'');
    }
    mcti_buf_printf(&p->out, ": %s\n", print_kind(c));
    print_parts(c, print_on_part, p);
}

/* ---- JSON ---- */

static void print_put_json_part(void *data, struct mcti_str key, struct mcti_str was, struct mcti_str is)
{
    struct pins_printer *p = data;
    mcti_buf_addz(&p->out, mcti_buf_last(&p->out) == '[' ? "{" : ",{");
    mcti_json_put_raw(&p->out, "name", mcti_json_key_value(key));
    if (was.p)
        mcti_json_put_raw(&p->out, "was", was);
    if (is.p)
        mcti_json_put_raw(&p->out, "is", is);
    mcti_buf_addc(&p->out, '}');
}

static void print_put_json(void *data, const struct mcti_pinning_change *c)
{
    struct pins_printer *p = data;
    mcti_buf_addz(&p->out, mcti_buf_last(&p->out) == '[' ? "{" : ",{");
    mcti_json_put_member(&p->out, "server", mcti_str_of(c->server));
    mcti_json_put_member(&p->out, "type", mcti_str_of(print_word(c->subject)));
    if (*c->id)
        mcti_json_put_member(&p->out, "name", mcti_str_of(c->id));
    mcti_json_put_member(&p->out, "change", mcti_str_of(print_kind(c)));
    mcti_json_put_key(&p->out, "parts");
    mcti_buf_addc(&p->out, '[');
    print_parts(c, print_put_json_part, p);
    mcti_buf_addz(&p->out, "]}");
}

size_t mcti_pinning_print(const struct mcti_pinning *pinning)
{
    struct pins_printer p = { .pinning = pinning };
    bool json = pinning->app->opt.output == MCT_OUT_JSON;
    mcti_buf_init(&p.out, (size_t)1 << 30);
    mcti_buf_addz(&p.out, json ? "{\"changes\":[" : "");
    size_t n = mcti_pinning_each(pinning, json ? print_put_json : print_on_change, &p);
    if (json) {
        mcti_buf_addc(&p.out, ']');
        mcti_out_put_errors(pinning->app, &p.out);
        mcti_buf_addc(&p.out, '}');
        mcti_out_json(pinning->app, mcti_buf_str(&p.out));
    } else {
        mcti_out_text(pinning->app, mcti_buf_str(&p.out));
    }
    mcti_buf_done(&p.out);
    return n;
}
