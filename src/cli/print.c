/* Printing for people. All text from servers passes these functions, because it must not control the terminal. */
#include "base/base64.h"
#include "base/clock.h"
#include "base/log/visible.h"
#include "cli/command.h"
#include "cli/terminal/wrap.h"
#include "json/write.h"
#include "model/degrade.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const styles[] = {
    [MCT_PLAIN] = "",       [MCT_BOLD] = "\x1b[1m",   [MCT_DIM] = "\x1b[2m",
    [MCT_RED] = "\x1b[31m", [MCT_GREEN] = "\x1b[32m", [MCT_YELLOW] = "\x1b[33m",
};

static bool env_is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static bool err_has_times; /* stderr is the log of a daemon */

/* Returns whether stdout gets colours. `able`: it is a terminal that shows them. */
static bool wants_color(const struct mcti_app *app, bool able)
{
    const char *force = getenv("CLICOLOR_FORCE");
    if (app->opt.no_color || env_is_set("NO_COLOR"))
        return false;
    return able || (force && *force && strcmp(force, "0") != 0);
}

void mcti_out_detect(struct mcti_app *app)
{
    const char *term = getenv("TERM");
    bool moves = !term || strcmp(term, "dumb") != 0;
    app->terminal = isatty(STDOUT_FILENO);
    app->color = wants_color(app, app->terminal && moves);
    app->progress = moves && isatty(STDERR_FILENO);
    app->columns = app->terminal ? mcti_terminal_columns(STDOUT_FILENO) : 0;
    app->opt.no_pager |= !app->terminal || !moves;
    err_has_times = env_is_set(MCT_LOG_TIMES_VARIABLE);
    unsetenv(MCT_LOG_TIMES_VARIABLE); /* not for the programs that are started */
}

void mcti_out_page(struct mcti_app *app)
{
    if (!app->opt.no_pager)
        mcti_pager_begin(&app->pager);
}

/* Replaces control characters in `text`, except a newline at the end that `fmt` itself has. */
static void print_clean(char *text, const char *fmt)
{
    size_t n = strlen(text), len = strlen(fmt);
    bool ends = n && len && text[n - 1] == '\n' && fmt[len - 1] == '\n';
    if (ends)
        text[n - 1] = '\0';
    mcti_visible(text);
    if (ends)
        strcat(text, "\n"); /* fits: mcti_visible() does not lengthen the text */
}

/* Formats and prints to `to`. `foreign`: replaces control characters. Short texts need no allocation, so that "out of
 * memory" can be printed. */
static void print_print(FILE *to, bool foreign, const char *fmt, va_list ap)
{
    char small[1024], *text = small, *large = NULL;
    va_list again;
    va_copy(again, ap);
    if (vsnprintf(small, sizeof small, fmt, ap) >= (int)sizeof small && vasprintf(&large, fmt, again) >= 0)
        text = large;
    va_end(again);
    if (foreign)
        print_clean(text, fmt);
    fputs(text, to);
    if (text == large)
        free(large);
}

const char *mcti_style_begin(const struct mcti_app *app, enum mcti_style style)
{
    return app->color ? styles[style] : "";
}

const char *mcti_style_end(const struct mcti_app *app, enum mcti_style style)
{
    return app->color && style != MCT_PLAIN ? "\x1b[0m" : "";
}

void mcti_out(const struct mcti_app *app, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_print(stdout, app->terminal, fmt, ap);
    va_end(ap);
}

void mcti_out_styled(const struct mcti_app *app, enum mcti_style style, const char *fmt, ...)
{
    bool color = app->color && style != MCT_PLAIN;
    va_list ap;
    va_start(ap, fmt);
    if (color)
        fputs(styles[style], stdout);
    print_print(stdout, app->terminal, fmt, ap);
    if (color)
        fputs("\x1b[0m", stdout);
    va_end(ap);
}

void mcti_out_wrapped(const struct mcti_app *app, enum mcti_style style, unsigned at, unsigned indent,
                      struct mcti_str text)
{
    const struct mcti_wrap wrap = { .at = at, .indent = indent, .columns = app->columns };
    struct mcti_buf clean, lines;
    struct mcti_str rest, line;
    mcti_buf_init(&clean, (size_t)1 << 32);
    mcti_buf_init(&lines, (size_t)1 << 32);
    mcti_visible_put(&clean, text, MCT_VISIBLE_LINE); /* also for a pipe, where an item is a line */
    mcti_wrap_put(&lines, mcti_buf_str(&clean), &wrap);
    rest = mcti_buf_str(&lines);
    while (app->columns && mcti_str_split(&rest, '\n', &line)) {
        mcti_out_styled(app, style, "%.*s", (int)line.len, line.p);
        fputs(rest.p ? "\n" : "", stdout);
    }
    if (rest.len) /* elsewhere */
        mcti_out_styled(app, style, "%.*s", (int)rest.len, rest.p);
    mcti_buf_done(&clean);
    mcti_buf_done(&lines);
}

/* Begins a line of stderr: with the time if it is a log. */
static void err_begin_line(void)
{
    struct mcti_buf b;
    if (!err_has_times)
        return;
    mcti_buf_init(&b, 64);
    mcti_clock_put(&b, mcti_clock_wall_ms());
    fprintf(stderr, "%.*s ", MCT_STR_ARG(mcti_buf_str(&b)));
    mcti_buf_done(&b);
}

bool mcti_err_is_log(void)
{
    return err_has_times;
}

void mcti_err(const char *fmt, ...)
{
    va_list ap;
    err_begin_line();
    va_start(ap, fmt);
    print_print(stderr, true, fmt, ap);
    va_end(ap);
}

/* Returns the columns of stderr; 0 if it is not a terminal. */
static unsigned say_columns(void)
{
    return isatty(STDERR_FILENO) ? mcti_terminal_columns(STDERR_FILENO) : 0;
}

/* Prints text of several lines on stderr: control characters become '?', and each line behind the first one begins as
 * `wrap` says. Without memory it is one line. */
static void err_put_lines(char *text, const struct mcti_wrap *wrap)
{
    struct mcti_buf clean, lines;
    mcti_buf_init(&clean, (size_t)1 << 32);
    mcti_buf_init(&lines, (size_t)1 << 32);
    if (wrap->columns || strchr(text, '\n')) {
        mcti_visible_put(&clean, mcti_str_of(text), err_has_times ? MCT_VISIBLE_LINE : MCT_VISIBLE_TEXT);
        mcti_wrap_put(&lines, mcti_buf_str(&clean), wrap);
    }
    if (lines.len && mcti_buf_ok(&lines)) {
        fwrite(lines.p, 1, lines.len, stderr);
    } else {
        mcti_visible(text);
        fputs(text, stderr);
    }
    mcti_buf_done(&clean);
    mcti_buf_done(&lines);
}

void mcti_say(const char *fmt, ...)
{
    char small[1024], *text = small, *large = NULL; /* short texts need no allocation */
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    if (vsnprintf(small, sizeof small, fmt, ap) >= (int)sizeof small && vasprintf(&large, fmt, again) >= 0)
        text = large;
    va_end(again);
    va_end(ap);
    err_begin_line();
    const struct mcti_wrap wrap = { .indent = (unsigned)strspn(text, " ") + 2,
                                    .columns = say_columns(),
                                    .keeps_words = true };
    err_put_lines(text, &wrap);
    fputc('\n', stderr);
    free(text == large ? large : NULL);
}

void mcti_err_text(unsigned indent, char *text)
{
    const struct mcti_wrap wrap = { .indent = indent };
    err_put_lines(text, &wrap);
}

static void put_visible(struct mcti_str text, enum mcti_visible_form form)
{
    struct mcti_buf b;
    mcti_buf_init(&b, (size_t)1 << 40);
    mcti_visible_put(&b, text, form);
    fwrite(b.p, 1, b.len, stdout);
    mcti_buf_done(&b);
}

void mcti_out_text(const struct mcti_app *app, struct mcti_str text)
{
    if (app->terminal)
        put_visible(text, MCT_VISIBLE_TEXT);
    else
        fwrite(text.p, 1, text.len, stdout);
}

/* Removes line ends, as MIME has them in base64. */
static void print_join_lines(struct mcti_buf *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->len; i++)
        if (text->p[i] != '\n' && text->p[i] != '\r')
            text->p[n++] = text->p[i];
    text->len = n;
}

/* Appends the bytes of a blob to `bytes`. Returns -1 if it is not base64. */
static int print_decode(struct mcti_str blob, struct mcti_buf *bytes)
{
    struct mcti_buf text;
    mcti_buf_init(&text, (size_t)1 << 32);
    int r = mcti_json_unescape(blob, &text);
    if (r == 0) {
        print_join_lines(&text);
        r = mcti_base64_get(bytes, mcti_buf_str(&text));
    }
    mcti_buf_done(&text);
    return r;
}

int mcti_out_blob(const struct mcti_app *app, struct mcti_str blob)
{
    struct mcti_buf bytes, text;
    mcti_buf_init(&bytes, (size_t)1 << 32);
    mcti_buf_init(&text, (size_t)1 << 32);
    int r = print_decode(blob, &bytes);
    if (r < 0) {
        mcti_err("mcptools: the blob is not valid base64; -o json shows it unchanged\n");
    } else if (app->terminal) {
        mcti_degrade_size(&text, bytes.len);
        mcti_out(app, "[%.*s of binary data; redirect the output to save it]\n", MCT_STR_ARG(mcti_buf_str(&text)));
    } else {
        fwrite(bytes.p, 1, bytes.len, stdout);
    }
    mcti_buf_done(&bytes);
    mcti_buf_done(&text);
    return r;
}

void mcti_out_json_line(const struct mcti_app *app, struct mcti_str value)
{
    if (app->terminal)
        put_visible(value, MCT_VISIBLE_JSON);
    else
        fwrite(value.p, 1, value.len, stdout);
    putchar('\n');
}

void mcti_out_json(const struct mcti_app *app, struct mcti_str value)
{
    struct mcti_buf b;
    if (!app->terminal) {
        mcti_out_json_line(app, value);
        return;
    }
    mcti_buf_init(&b, (size_t)1 << 40);
    mcti_json_put_pretty(&b, value);
    mcti_out_json_line(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}
