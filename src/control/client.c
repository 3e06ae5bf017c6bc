#include "control/client.h"

#include "base/clock.h"
#include "base/limits.h"
#include "control/greeting.h"
#include "json/write.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int mcti_control_connect(const struct mcti_control_place *place, struct mct_error *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    memcpy(address.sun_path, place->socket, sizeof address.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return mcti_fail(err, MCT_ERR_INTERNAL, "socket: %s", strerror(errno));
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int why = errno;
        close(fd);
        bool absent = why == ENOENT || why == ECONNREFUSED;
        return mcti_fail(err, absent ? MCT_ERR_NOT_FOUND : MCT_ERR_CONNECT, "%s: %s", place->socket, strerror(why));
    }
    if (mcti_control_peer_is_ours(fd))
        return fd;
    close(fd);
    return mcti_fail(err, MCT_ERR_POLICY, "%s: belongs to another user", place->socket);
}

/* ---- bytes ---- */

/* Waits until the descriptor can be used. `until_us` 0: without a limit. */
static int client_await(const struct mcti_control_client *c, short events, uint64_t until_us, struct mct_error *err)
{
    struct pollfd p = { .fd = c->fd, .events = events };
    for (;;) {
        uint64_t now = mcti_clock_since_us();
        int r = until_us && now >= until_us ? 0 : poll(&p, 1, until_us ? (int)((until_us - now) / 1000) + 1 : -1);
        if (r > 0)
            return 0;
        if (r == 0)
            return mcti_fail(err, MCT_ERR_TIMEOUT, "the running gateway does not answer");
        if (errno != EINTR)
            return mcti_fail(err, MCT_ERR_INTERNAL, "poll: %s", strerror(errno));
    }
}

static int client_send(struct mcti_control_client *c, struct mcti_str bytes, uint64_t until_us, struct mct_error *err)
{
    while (bytes.len) {
        ssize_t n = send(c->fd, bytes.p, bytes.len, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return mcti_fail(err, MCT_ERR_CONNECT, "the running gateway has closed the connection");
        if (n < 0 && client_await(c, POLLOUT, until_us, err) < 0)
            return -1;
        bytes.p += n > 0 ? n : 0;
        bytes.len -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Reads a line. Returns 1, 0 at the end of the connection, or -1 with *err. The line is removed by the next call. */
static int client_line(struct mcti_control_client *c, uint64_t until_us, struct mcti_str *ret, struct mct_error *err)
{
    enum { PIECE = 65536 };
    mcti_buf_shift(&c->in, c->used);
    c->used = 0;
    size_t looked = 0;
    for (;;) {
        const char *end = c->in.len > looked ? memchr(c->in.p + looked, '\n', c->in.len - looked) : NULL;
        looked = c->in.len;
        if (end) {
            *ret = mcti_str_range(c->in.p, end);
            c->used = ret->len + 1;
            return 1;
        }
        if (client_await(c, POLLIN, until_us, err) < 0)
            return -1;
        char *at = mcti_buf_reserve(&c->in, PIECE);
        if (!at)
            return mcti_fail(err, MCT_ERR_LIMIT, "the answer of the running gateway is too long");
        ssize_t n = recv(c->fd, at, PIECE, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return 0;
        c->in.len += n > 0 ? (size_t)n : 0;
    }
}

static uint64_t client_until(unsigned timeout_ms)
{
    return timeout_ms ? mcti_clock_since_us() + timeout_ms * UINT64_C(1000) : 0;
}

/* ---- the greeting ---- */

/* Reads the next line, which must come. */
static int client_need_line(struct mcti_control_client *c, uint64_t until_us, struct mcti_str *ret,
                            struct mct_error *err)
{
    int r = client_line(c, until_us, ret, err);
    return r ? (r < 0 ? -1 : 0) : mcti_fail(err, MCT_ERR_CONNECT, "the running gateway has closed the connection");
}

static int client_greet(struct mcti_control_client *c, const char *server, uint64_t until_us, struct mct_error *err)
{
    struct mcti_buf greeting;
    struct mcti_str line;
    mcti_buf_init(&greeting, MCT_GREETING_BYTES);
    mcti_greeting_put(&greeting, &(struct mcti_greeting){ .server = (char *)server, .wait_ms = server ? 1 : 0 });
    int r = client_send(c, mcti_buf_str(&greeting), until_us, err);
    mcti_buf_done(&greeting);
    if (r < 0 || client_need_line(c, until_us, &line, err) < 0 || mcti_answer_check(line, err) < 0)
        return -1;
    mcti_buf_add(&c->said, line);
    return mcti_buf_ok(&c->said) ? 0 : mcti_no_memory(err);
}

/* Checks that the gateway has the configuration for which its socket was found. */
static int client_check_identity(const struct mcti_control_client *c, struct mct_error *err)
{
    if (mcti_json_is(mcti_json_get(mcti_buf_str(&c->said), "identity"), c->place.identity))
        return 0;
    return mcti_fail(err, MCT_ERR_NOT_FOUND, "the running gateway has another configuration or version");
}

static void client_init(struct mcti_control_client *c)
{
    *c = (struct mcti_control_client){ .fd = -1 };
    mcti_buf_init(&c->in, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&c->said, MCT_LIMIT_MESSAGE_BYTES);
}

int mcti_control_client_open(struct mcti_control_client *c, const struct mcti_config *config, unsigned timeout_ms,
                             struct mct_error *err)
{
    return mcti_control_client_attach(c, config, NULL, timeout_ms, err) < 0 ? -1 : client_check_identity(c, err);
}

int mcti_control_client_attach(struct mcti_control_client *c, const struct mcti_config *config, const char *server,
                               unsigned timeout_ms, struct mct_error *err)
{
    client_init(c);
    if (mcti_control_place(config, false, &c->place, err) < 0)
        return -1;
    c->fd = mcti_control_connect(&c->place, err);
    return c->fd < 0 ? -1 : client_greet(c, server, client_until(timeout_ms), err);
}

void mcti_control_client_close(struct mcti_control_client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    mcti_buf_done(&c->in);
    mcti_buf_done(&c->said);
}

/* ---- other gateways ---- */

/* Connects to each gateway of this user, until `fn` returns true: then *c stays open. Returns whether it did. */
static bool client_each(struct mcti_control_client *c, const char *folder, unsigned timeout_ms,
                        bool (*fn)(void *data, const struct mcti_control_client *c), void *data)
{
    DIR *list = opendir(folder);
    bool stays = false;
    for (struct dirent *e; list && !stays && (e = readdir(list));) {
        const char *dot = strrchr(e->d_name, '.');
        client_init(c);
        stays = dot && !strcmp(dot, ".sock") &&
                snprintf(c->place.socket, sizeof c->place.socket, "%s/%s", folder, e->d_name) <
                    (int)sizeof c->place.socket &&
                (c->fd = mcti_control_connect(&c->place, NULL)) >= 0 &&
                client_greet(c, NULL, client_until(timeout_ms), NULL) == 0 && fn(data, c);
        if (!stays)
            mcti_control_client_close(c);
    }
    if (list)
        closedir(list);
    return stays;
}

struct client_others {
    struct mcti_control_place own;
    void (*fn)(void *data, struct mcti_str said);
    void *data;
};

static bool client_tell_other(void *data, const struct mcti_control_client *c)
{
    const struct client_others *o = data;
    if (strcmp(c->place.socket, o->own.socket) != 0)
        o->fn(o->data, mcti_buf_str(&c->said));
    return false;
}

void mcti_control_each_other(const struct mcti_config *config, unsigned timeout_ms,
                             void (*fn)(void *data, struct mcti_str said), void *data)
{
    struct client_others o = { .fn = fn, .data = data };
    struct mcti_control_client c;
    if (mcti_control_place(config, false, &o.own, NULL) == 0)
        client_each(&c, o.own.folder, timeout_ms, client_tell_other, &o);
}

/* Returns whether the gateway has read exactly the files of the configuration. */
static bool client_has_files(void *data, const struct mcti_control_client *c)
{
    const struct mcti_config *config = data;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(mcti_buf_str(&c->said), "files"));
    struct mcti_str path;
    size_t n = 0;
    bool same = true;
    while (same && mcti_json_next_item(&it, &path)) {
        char *full = n < config->files.n ? realpath(config->files.v[n++], NULL) : NULL;
        same = full && mcti_json_is(path, full);
        free(full);
    }
    return same && n && n == config->files.n;
}

int mcti_control_client_find(struct mcti_control_client *c, const struct mcti_config *config, unsigned timeout_ms,
                             struct mct_error *err)
{
    struct mcti_control_place own;
    client_init(c);
    if (mcti_control_place(config, false, &own, err) < 0)
        return -1;
    if (client_each(c, own.folder, timeout_ms, client_has_files, (void *)config))
        return 0;
    return mcti_fail(err, MCT_ERR_NOT_FOUND, "no gateway runs with these files");
}

/* ---- requests ---- */

int mcti_control_request(struct mcti_control_client *c, const char *method, struct mcti_str params, unsigned timeout_ms,
                         struct mcti_str *ret_result, struct mct_error *err)
{
    uint64_t until_us = client_until(timeout_ms), id = ++c->last_id, answered = 0;
    struct mcti_str line;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":%u", (unsigned)id);
    mcti_json_put_member(&b, "method", mcti_str_of(method));
    if (params.p)
        mcti_json_put_raw(&b, "params", params);
    mcti_buf_addz(&b, "}\n");
    int r = client_send(c, mcti_buf_str(&b), until_us, err);
    mcti_buf_done(&b);
    while (r == 0 && answered != id)
        if ((r = client_need_line(c, until_us, &line, err)) == 0 && (r = mcti_answer_check(line, err)) == 0 &&
            mcti_json_get(line, "id").p)
            mcti_json_uint(mcti_json_get(line, "id"), &answered);
    if (r == 0)
        *ret_result = mcti_json_get(line, "result");
    return r;
}

int mcti_control_next(struct mcti_control_client *c, unsigned timeout_ms, struct mcti_str *ret_line,
                      struct mct_error *err)
{
    int r = client_line(c, client_until(timeout_ms), ret_line, err);
    return r == 1 && mcti_answer_check(*ret_line, err) < 0 ? -1 : r;
}
