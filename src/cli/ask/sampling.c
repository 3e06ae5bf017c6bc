/*
 * Sampling by a program. The program gets the params of sampling/createMessage as one line of JSON on stdin and writes
 * a CreateMessageResult object or plain text to stdout.
 */
#include "base/limits.h"
#include "cli/answers.h"
#include "config/config.h"

#include <stdlib.h>

struct sampling {
    struct mcti_ask *ask;              /* NULL: answered or withdrawn */
    struct mcti_config_server command; /* only `command` and `args` are used */
    char **argv;
    uv_process_t process;
    uv_pipe_t in, out;
    uv_write_t write;
    char *params;
    struct mcti_buf text;
    bool ended;
    int64_t status;
    int n_open; /* open libuv handles */
};

static void sampling_release(struct sampling *s)
{
    mcti_strings_clear(&s->command.args);
    free(s->command.command);
    free(s->argv);
    free(s->params);
    mcti_buf_done(&s->text);
    free(s);
}

static void sampling_fail(struct mcti_ask *a, const char *what, const char *detail)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_SERVER, "--sampling-command: %s%s", what, detail);
    err.code = -1; /* "User rejected sampling request" (2025-11-25 "Sampling", "Error Handling") */
    mcti_ask_fail(a, &err);
}

static void put_text_result(struct mcti_buf *b, const char *command, struct mcti_str text)
{
    mcti_buf_addz(b, "{\"role\":\"assistant\",\"content\":{\"type\":\"text\"");
    mcti_json_put_member(b, "text", text);
    mcti_buf_addc(b, '}');
    mcti_json_put_member(b, "model", mcti_str_of(command));
    mcti_buf_addc(b, '}');
}

static void sampling_answer(struct sampling *s)
{
    struct mcti_json_top top;
    struct mcti_buf b;
    struct mcti_ask *a = s->ask;
    struct mcti_str text = mcti_str_trim(mcti_buf_str(&s->text));
    s->ask = NULL;
    while (text.len && text.p[text.len - 1] == '\n')
        text.len--;
    bool is_result = mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL) && mcti_json_get(top.value, "content").p;
    if (s->status || !mcti_buf_ok(&s->text) || !text.len) {
        sampling_fail(a, s->command.command, s->status ? " failed" : " printed no usable answer");
        return;
    }
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    if (is_result)
        mcti_buf_add(&b, top.value);
    else
        put_text_result(&b, s->command.command, text);
    mcti_ask_answer(a, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void sampling_on_closed(uv_handle_t *h)
{
    struct sampling *s = h->data;
    if (--s->n_open)
        return;
    if (s->ask)
        sampling_answer(s);
    sampling_release(s);
}

static void sampling_close_handle(uv_handle_t *h)
{
    if (!uv_is_closing(h))
        uv_close(h, sampling_on_closed);
}

static void sampling_on_exited(uv_process_t *p, int64_t status, int signal)
{
    struct sampling *s = p->data;
    s->status = status ? status : signal;
    sampling_close_handle((uv_handle_t *)p);
    sampling_close_handle((uv_handle_t *)&s->in);
}

static void sampling_on_written(uv_write_t *w, int status)
{
    struct sampling *s = w->data;
    (void)status; /* a program that does not read its input may still answer */
    sampling_close_handle((uv_handle_t *)&s->in);
}

static void sampling_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct sampling *s = stream->data;
    if (n > 0)
        mcti_buf_add(&s->text, (struct mcti_str){ buf->base, (size_t)n });
    else if (n < 0)
        sampling_close_handle((uv_handle_t *)stream);
}

static char **sampling_make_argv(const struct mcti_config_server *c)
{
    char **argv = calloc(c->args.n + 2, sizeof *argv);
    if (!argv)
        return NULL;
    argv[0] = c->command;
    for (size_t i = 0; i < c->args.n; i++)
        argv[i + 1] = c->args.v[i];
    return argv;
}

static int sampling_spawn(struct mcti_app *app, struct sampling *s)
{
    uv_stdio_container_t stdio[3] = {
        { .flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&s->in },
        { .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&s->out },
        { .flags = UV_INHERIT_FD, .data.fd = 2 },
    };
    const uv_process_options_t options = {
        .exit_cb = sampling_on_exited, .file = s->argv[0], .args = s->argv, .stdio = stdio, .stdio_count = 3
    };
    uv_pipe_init(&app->inst.loop.uv, &s->in, 0);
    uv_pipe_init(&app->inst.loop.uv, &s->out, 0);
    s->in.data = s->out.data = s->process.data = s->write.data = s;
    s->n_open = 3;
    return uv_spawn(&app->inst.loop.uv, &s->process, &options);
}

void mcti_sampling_ask(struct mcti_app *app, const char *command, struct mcti_ask *a)
{
    struct mct_error err;
    struct sampling *s = calloc(1, sizeof *s);
    if (!s) {
        sampling_fail(a, MCT_NO_MEMORY_TEXT, "");
        return;
    }
    mcti_buf_init(&s->text, MCT_LIMIT_MESSAGE_BYTES);
    s->params = mcti_str_dup(a->params.p ? a->params : MCT_STR("{}"));
    if (!s->params || mcti_config_split(command, &s->command, &err) < 0 ||
        !(s->argv = sampling_make_argv(&s->command))) {
        sampling_fail(a, s->params ? err.message : MCT_NO_MEMORY_TEXT, "");
        sampling_release(s);
        return;
    }
    s->ask = a;
    a->scratch = s;
    int r = sampling_spawn(app, s);
    if (r < 0) {
        char what[256];
        snprintf(what, sizeof what, "starting '%s': ", s->argv[0]);
        s->ask = NULL;
        sampling_close_handle((uv_handle_t *)&s->process);
        sampling_close_handle((uv_handle_t *)&s->in);
        sampling_close_handle((uv_handle_t *)&s->out);
        sampling_fail(a, what, uv_strerror(r));
        return;
    }
    uv_buf_t line = uv_buf_init(s->params, (unsigned)strlen(s->params));
    uv_write(&s->write, (uv_stream_t *)&s->in, &line, 1, sampling_on_written);
    uv_read_start((uv_stream_t *)&s->out, mcti_loop_alloc, sampling_on_read);
}

void mcti_sampling_withdraw(struct mcti_ask *a)
{
    struct sampling *s = a->scratch;
    s->ask = NULL;
    if (uv_is_active((uv_handle_t *)&s->process))
        uv_process_kill(&s->process, SIGTERM);
}
