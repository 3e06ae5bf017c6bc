/*
 * Sampling by a program: it gets the params of sampling/createMessage as one line of JSON on its stdin and
 * writes a CreateMessageResult object, or just the text, on its stdout.
 */
#include "base/limits.h"
#include "cli/answers.h"
#include "config/config.h"

#include <stdlib.h>

struct sampling {
    struct mct_ask *ask; /* NULL: nobody waits any more */
    struct mct_config_server command; /* its command and args alone */
    char **argv;
    uv_process_t process;
    uv_pipe_t in, out;
    uv_write_t write;
    char *params;
    struct mct_buf text;
    bool ended;
    int64_t status;
    int n_open; /* handles */
};

static void release(struct sampling *s)
{
    mct_strings_clear(&s->command.args);
    free(s->command.command);
    free(s->argv);
    free(s->params);
    mct_buf_done(&s->text);
    free(s);
}

static void fail(struct mct_ask *a, const char *what, const char *detail)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_SERVER, "--sampling-command: %s%s", what, detail);
    err.code = -1; /* "User rejected": no sampling was made */
    mct_ask_fail(a, &err);
}

static void put_text_result(struct mct_buf *b, const char *command, struct mct_str text)
{
    mct_buf_addz(b, "{\"role\":\"assistant\",\"content\":{\"type\":\"text\"");
    mct_json_put_member(b, "text", text);
    mct_buf_addc(b, '}');
    mct_json_put_member(b, "model", mct_str_of(command));
    mct_buf_addc(b, '}');
}

static void answer(struct sampling *s)
{
    struct mct_json_top top;
    struct mct_buf b;
    struct mct_ask *a = s->ask;
    struct mct_str text = mct_str_trim(mct_buf_str(&s->text));
    s->ask = NULL;
    while (text.len && text.p[text.len - 1] == '\n')
        text.len--;
    bool is_result = mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL) && mct_json_get(top.value, "content").p;
    if (s->status || !mct_buf_ok(&s->text) || !text.len) {
        fail(a, s->command.command, s->status ? " failed" : " gave no usable answer");
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    if (is_result)
        mct_buf_add(&b, top.value);
    else
        put_text_result(&b, s->command.command, text);
    mct_ask_answer(a, mct_buf_str(&b));
    mct_buf_done(&b);
}

static void on_closed(uv_handle_t *h)
{
    struct sampling *s = h->data;
    if (--s->n_open)
        return;
    if (s->ask)
        answer(s);
    release(s);
}

static void close_handle(uv_handle_t *h)
{
    if (!uv_is_closing(h))
        uv_close(h, on_closed);
}

static void on_exited(uv_process_t *p, int64_t status, int signal)
{
    struct sampling *s = p->data;
    s->status = status ? status : signal;
    close_handle((uv_handle_t *)p);
    close_handle((uv_handle_t *)&s->in);
}

static void on_written(uv_write_t *w, int status)
{
    struct sampling *s = w->data;
    (void)status; /* a program that does not read may still answer */
    close_handle((uv_handle_t *)&s->in);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct sampling *s = stream->data;
    if (n > 0)
        mct_buf_add(&s->text, (struct mct_str){ buf->base, (size_t)n });
    else if (n < 0)
        close_handle((uv_handle_t *)stream);
}

static char **make_argv(const struct mct_config_server *c)
{
    char **argv = calloc(c->args.n + 2, sizeof *argv);
    if (!argv)
        return NULL;
    argv[0] = c->command;
    for (size_t i = 0; i < c->args.n; i++)
        argv[i + 1] = c->args.v[i];
    return argv;
}

static int spawn(struct mct_app *app, struct sampling *s)
{
    uv_stdio_container_t stdio[3] = {
        { .flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&s->in },
        { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&s->out },
        { .flags = UV_INHERIT_FD, .data.fd = 2 },
    };
    const uv_process_options_t options = { .exit_cb = on_exited, .file = s->argv[0], .args = s->argv, .stdio = stdio,
                                           .stdio_count = 3 };
    uv_pipe_init(&app->loop.uv, &s->in, 0);
    uv_pipe_init(&app->loop.uv, &s->out, 0);
    s->in.data = s->out.data = s->process.data = s->write.data = s;
    s->n_open = 3;
    return uv_spawn(&app->loop.uv, &s->process, &options);
}

void mct_sampling_ask(struct mct_app *app, const char *command, struct mct_ask *a)
{
    struct mct_error err;
    struct sampling *s = calloc(1, sizeof *s);
    if (!s) {
        fail(a, MCT_NO_MEMORY_TEXT, "");
        return;
    }
    mct_buf_init(&s->text, MCT_LIMIT_MESSAGE_BYTES);
    s->params = mct_str_dup(a->params.p ? a->params : MCT_STR("{}"));
    if (!s->params || mct_config_split(command, &s->command, &err) < 0 || !(s->argv = make_argv(&s->command))) {
        fail(a, s->params ? err.message : MCT_NO_MEMORY_TEXT, "");
        release(s);
        return;
    }
    s->ask = a;
    a->scratch = s;
    int r = spawn(app, s);
    if (r < 0) {
        char what[256];
        snprintf(what, sizeof what, "starting '%s': ", s->argv[0]);
        s->ask = NULL;
        close_handle((uv_handle_t *)&s->process);
        close_handle((uv_handle_t *)&s->in);
        close_handle((uv_handle_t *)&s->out);
        fail(a, what, uv_strerror(r));
        return;
    }
    uv_buf_t line = uv_buf_init(s->params, (unsigned)strlen(s->params));
    uv_write(&s->write, (uv_stream_t *)&s->in, &line, 1, on_written);
    uv_read_start((uv_stream_t *)&s->out, mct_loop_alloc, on_read);
}

void mct_sampling_withdraw(struct mct_ask *a)
{
    struct sampling *s = a->scratch;
    s->ask = NULL;
    if (uv_is_active((uv_handle_t *)&s->process))
        uv_process_kill(&s->process, SIGTERM);
}
