#include "cli/packages/adding.h"

#include "cli/login/signin.h"

#include <stdarg.h>
#include <stdlib.h>
#include <termios.h>

static void prompt_on_line(void *data, struct mcti_str line)
{
    struct mcti_prompt *p = data;
    if (p->done)
        return;
    p->line = mcti_str_dup(line);
    p->done = true;
}

static void prompt_on_end(void *data)
{
    ((struct mcti_prompt *)data)->done = true;
}

void mcti_prompt_open(struct mcti_prompt *p, struct mcti_app *app)
{
    *p = (struct mcti_prompt){ .app = app, .typed = { .line = prompt_on_line, .end = prompt_on_end, .fd = -1 } };
    p->typed.data = p;
    p->is_open = !app->opt.yes && app->opt.output != MCT_OUT_JSON && mcti_signin_has_terminal() &&
                 mcti_typed_open(&p->typed) == 0;
}

void mcti_prompt_close(struct mcti_prompt *p)
{
    if (p->is_open)
        mcti_typed_close(&p->typed);
    p->is_open = false;
}

/* Reads a line as it is. */
static void prompt_read(struct mcti_prompt *p)
{
    p->done = false;
    p->line = NULL;
    if (mcti_typed_start(&p->typed, &p->app->inst.loop) < 0)
        return;
    if (!mcti_app_wait(p->app, &p->done))
        mcti_err("\n"); /* interrupted: the next message begins on a line of its own */
    mcti_typed_stop(&p->typed);
}

static void prompt_print(const char *fmt, va_list ap)
{
    char *text = NULL;
    fflush(stdout);
    if (vasprintf(&text, fmt, ap) >= 0)
        mcti_err("%s", text);
    free(text);
}

char *mcti_prompt_line(struct mcti_prompt *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    prompt_print(fmt, ap);
    va_end(ap);
    prompt_read(p);
    return p->line;
}

char *mcti_prompt_secret(struct mcti_prompt *p, const char *fmt, ...)
{
    struct termios shown, secret;
    va_list ap;
    bool hides = tcgetattr(p->typed.fd, &shown) == 0;
    if (hides) { /* before the prompt: what is typed at it must not be shown */
        secret = shown;
        secret.c_lflag &= ~(tcflag_t)ECHO;
        secret.c_lflag |= ECHONL;
        tcsetattr(p->typed.fd, TCSADRAIN, &secret);
    }
    va_start(ap, fmt);
    prompt_print(fmt, ap);
    va_end(ap);
    prompt_read(p);
    if (hides)
        tcsetattr(p->typed.fd, TCSANOW, &shown);
    return p->line;
}

bool mcti_prompt_yes(struct mcti_prompt *p, bool preset, const char *fmt, ...)
{
    char question[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(question, sizeof question, fmt, ap);
    va_end(ap);
    for (char *line = mcti_prompt_line(p, "%s %s ", question, preset ? "[Y/n]" : "[y/N]");;
         line = mcti_prompt_line(p, "  y or n: ")) {
        char c = !line ? 'n' : *line ? *line : preset ? 'y' : 'n';
        free(line);
        if (strchr("yYnN", c))
            return c == 'y' || c == 'Y';
    }
}

size_t mcti_prompt_number(struct mcti_prompt *p, size_t n, size_t preset)
{
    for (;;) {
        char *line = mcti_prompt_line(p, "Number [%zu]: ", preset), *end = NULL;
        unsigned long number = line && *line ? strtoul(line, &end, 10) : preset;
        bool interrupted = !line, good = !end || !*end;
        free(line);
        if (interrupted)
            return 0;
        if (good && number >= 1 && number <= n)
            return number;
        mcti_err("Type a number from 1 to %zu, or press Ctrl-C.\n", n);
    }
}
