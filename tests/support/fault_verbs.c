#include "fault_server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void send_answer(struct fault_server *s, const struct fault_order *o)
{
    if (o->line.p)
        fault_server_send(s, o->line, o->delay_ms);
}

static void raw(struct fault_server *s, struct mcti_str bytes)
{
    mcti_buf_add(&s->out, bytes);
}

static void rawz(struct fault_server *s, const char *text)
{
    mcti_buf_addz(&s->out, text);
}

static void repeat(struct fault_server *s, const char *text, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        mcti_buf_addz(&s->out, text);
}

/* ---- the process ends, or stops ---- */

static void die(struct fault_server *s, const struct fault_order *o)
{
    (void)s, (void)o;
    kill(getpid(), SIGKILL);
}

static void end_well(struct fault_server *s, const struct fault_order *o)
{
    (void)s, (void)o;
    exit(0);
}

static void end_badly(struct fault_server *s, const struct fault_order *o)
{
    (void)s, (void)o;
    fprintf(stderr, "the last words of a server\n");
    exit(3);
}

static void crash(struct fault_server *s, const struct fault_order *o)
{
    (void)s, (void)o;
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void answer_and_die(struct fault_server *s, const struct fault_order *o)
{
    raw(s, o->line);
    fault_server_flush(s);
    die(s, o);
}

static void half_and_die(struct fault_server *s, const struct fault_order *o)
{
    raw(s, (struct mcti_str){ o->line.p, o->line.len / 2 });
    fault_server_flush(s);
    die(s, o);
}

static void stop(struct fault_server *s, const struct fault_order *o)
{
    (void)s, (void)o;
    kill(getpid(), SIGSTOP);
}

static void hang(struct fault_server *s, const struct fault_order *o)
{
    (void)o;
    s->deaf = true;
}

static void answer_and_hang(struct fault_server *s, const struct fault_order *o)
{
    send_answer(s, o);
    s->deaf = true;
}

static void half_and_hang(struct fault_server *s, const struct fault_order *o)
{
    raw(s, (struct mcti_str){ o->line.p, o->line.len / 2 });
    s->deaf = true;
}

static void say_nothing(struct fault_server *s, const struct fault_order *o)
{
    (void)s, (void)o;
}

static void go_mute(struct fault_server *s, const struct fault_order *o)
{
    (void)o;
    s->mute = true;
}

static void go_stubborn(struct fault_server *s, const struct fault_order *o)
{
    s->stubborn = true;
    signal(SIGTERM, SIG_IGN);
    send_answer(s, o);
}

static void close_stdout(struct fault_server *s, const struct fault_order *o)
{
    (void)o;
    fault_server_flush(s);
    close(STDOUT_FILENO);
    open("/dev/null", O_WRONLY | O_CLOEXEC); /* the next descriptor is no stdout */
    s->stubborn = true;
}

static void close_stdin(struct fault_server *s, const struct fault_order *o)
{
    close(STDIN_FILENO);
    open("/dev/null", O_RDONLY | O_CLOEXEC);
    s->deaf = s->stubborn = true;
    send_answer(s, o);
}

/* ---- processes that are left behind ---- */

static void stray(bool daemonize)
{
    if (fork() != 0)
        return;
    signal(SIGTERM, SIG_IGN);
    setsid();
    if (daemonize && fork() != 0)
        _exit(0);
    for (int fd = 0; fd < 64; fd++)
        close(fd);
    for (;;)
        pause();
}

static void fork_strays(struct fault_server *s, const struct fault_order *o)
{
    fault_server_flush(s);
    for (uint64_t i = 0; i < (o->n ? o->n : 2); i++)
        stray(i % 2);
    send_answer(s, o);
}

static void fork_and_die(struct fault_server *s, const struct fault_order *o)
{
    fork_strays(s, &(struct fault_order){ .n = o->n });
    die(s, o);
}

/* ---- wrong answers ---- */

static void answer_half(struct fault_server *s, const struct fault_order *o)
{
    raw(s, (struct mcti_str){ o->line.p, o->line.len / 2 });
    rawz(s, "\n");
}

static void answer_twice(struct fault_server *s, const struct fault_order *o)
{
    raw(s, o->line);
    raw(s, o->line);
}

/* The same answer for ids that nobody uses, or used in another type; then for the right one. */
static void answer_unknown_ids(struct fault_server *s, const struct fault_order *o)
{
    static const char *const ids[] = { "987654321", "\"987654321\"", "-1", "0", "1e3", "\"\"", "1.5" };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        mcti_buf_printf(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n", ids[i]);
    mcti_buf_printf(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":\"%.*s\",\"result\":{\"content\":[]}}\n", MCT_STR_ARG(o->id));
    raw(s, o->line);
}

static void answer_text(struct fault_server *s, const struct fault_order *o, const char *rest)
{
    mcti_buf_printf(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":%.*s%s}\n", MCT_STR_ARG(o->id), rest);
}

static void answer_both(struct fault_server *s, const struct fault_order *o)
{
    answer_text(s, o, ",\"result\":{},\"error\":{\"code\":1,\"message\":\"both\"}");
}

static void answer_neither(struct fault_server *s, const struct fault_order *o)
{
    answer_text(s, o, "");
}

static void answer_array(struct fault_server *s, const struct fault_order *o)
{
    answer_text(s, o, ",\"result\":[1,2,3]");
}

static void answer_bad_utf8(struct fault_server *s, const struct fault_order *o)
{
    answer_text(s, o, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xfe\xc0\x80\"}]}");
}

static void answer_deep(struct fault_server *s, const struct fault_order *o)
{
    mcti_buf_printf(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"x\":", MCT_STR_ARG(o->id));
    repeat(s, "[", 100000);
    repeat(s, "]", 100000);
    rawz(s, "}}\n");
}

static void answer_bytewise(struct fault_server *s, const struct fault_order *o)
{
    fault_server_flush(s);
    for (size_t i = 0; i < o->line.len; i++)
        if (write(STDOUT_FILENO, o->line.p + i, 1) != 1)
            exit(0);
}

/* ---- too much of everything ---- */

static void put_garbage(struct fault_server *s, const struct fault_order *o)
{
    static const char junk[] =
        "{\n[\n}\n\n\r\n \n\"\n{\"jsonrpc\":\"2.0\"}\n{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}\n"
        "\xef\xbb\xbf{}\nContent-Length: 3\r\n\r\n{}\n\xff\xff\xff\n{\"id\":\nnull\n"
        "\x1b[31mListening\x1b[0m\n[[[[[[[[[[[[[[[[[[\n\0\0\0\0\n[]\n{\"a\":{\"a\":{\"a\":\n";
    for (uint64_t i = 0; i < (o->n ? o->n : 1); i++)
        raw(s, (struct mcti_str){ junk, sizeof junk - 1 });
    send_answer(s, o);
}

static void put_long_line(struct fault_server *s, const struct fault_order *o)
{
    repeat(s, "0123456789abcdef", (o->n ? o->n : 1 << 20) / 16);
    rawz(s, "\n");
    send_answer(s, o);
}

static void write_stderr(struct fault_server *s, const struct fault_order *o)
{
    char line[1024];
    memset(line, 'e', sizeof line);
    line[sizeof line - 1] = '\n';
    for (uint64_t n = (o->n ? o->n : 1 << 20) / sizeof line; n > 0; n--)
        if (write(STDERR_FILENO, line, sizeof line) < 0)
            break;
    send_answer(s, o);
}

static void storm(struct fault_server *s, const struct fault_order *o)
{
    static const char changed[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"
                                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/list_changed\"}\n"
                                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/list_changed\"}\n";
    repeat(s, changed, o->n ? o->n : 100);
    send_answer(s, o);
}

static void put_pings(struct fault_server *s, const struct fault_order *o)
{
    for (uint64_t i = 0; i < (o->n ? o->n : 100); i++)
        mcti_buf_printf(&s->out, "{\"jsonrpc\":\"2.0\",\"id\":\"ping-%d\",\"method\":\"%s\"}\n", (int)i,
                        i % 3 ? "ping" : "no/such/method");
    send_answer(s, o);
}

static void put_foreign_progress(struct fault_server *s, const struct fault_order *o)
{
    for (uint64_t i = 0; i < (o->n ? o->n : 100); i++)
        mcti_buf_printf(&s->out,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%d,"
                        "\"progress\":1}}\n",
                        (int)i);
    send_answer(s, o);
}

static void put_logs(struct fault_server *s, const struct fault_order *o)
{
    repeat(
        s,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"error\",\"data\":\"much\"}}"
        "\n",
        o->n ? o->n : 200);
    send_answer(s, o);
}

static const struct {
    const char *name;
    void (*run)(struct fault_server *s, const struct fault_order *o);
} verbs[] = {
    { "none", send_answer },
    { "die", die },
    { "exit", end_well },
    { "fail", end_badly },
    { "abort", crash },
    { "answer-die", answer_and_die },
    { "half-die", half_and_die },
    { "stop", stop },
    { "hang", hang },
    { "answer-hang", answer_and_hang },
    { "half-hang", half_and_hang },
    { "silent", say_nothing },
    { "mute", go_mute },
    { "stubborn", go_stubborn },
    { "close-stdout", close_stdout },
    { "close-stdin", close_stdin },
    { "strays", fork_strays },
    { "strays-die", fork_and_die },
    { "half", answer_half },
    { "twice", answer_twice },
    { "unknown-ids", answer_unknown_ids },
    { "both", answer_both },
    { "neither", answer_neither },
    { "array", answer_array },
    { "utf8", answer_bad_utf8 },
    { "deep", answer_deep },
    { "bytewise", answer_bytewise },
    { "garbage", put_garbage },
    { "long-line", put_long_line },
    { "stderr", write_stderr },
    { "storm", storm },
    { "pings", put_pings },
    { "progress", put_foreign_progress },
    { "logs", put_logs },
};

void fault_verb_run(struct fault_server *s, struct mcti_str verb, const struct fault_order *order)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (mcti_str_is(verb, verbs[i].name)) {
            verbs[i].run(s, order);
            return;
        }
    fprintf(stderr, "fault-server: unknown verb %.*s\n", MCT_STR_ARG(verb));
    send_answer(s, order);
}
