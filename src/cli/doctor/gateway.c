/* The running gateway, what crashed ones left behind, and who has the port. */
#include "control/client.h"
#include "cli/doctor/doctor.h"
#include "json/scan.h"

#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- sockets ---- */

enum { SOCKET_PATH = sizeof((struct sockaddr_un *)0)->sun_path };

/* Returns 0 if somebody answers at the socket, otherwise the errno. */
static int gateway_try(const char path[SOCKET_PATH])
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r;
    memcpy(address.sun_path, path, sizeof address.sun_path);
    r = connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
    close(fd);
    return r;
}

/* Says which other sockets are in the folder. `own` is that of this configuration. */
static void check_others(struct mcti_doctor *d, const struct mcti_control_place *own)
{
    DIR *folder = opendir(own->folder);
    unsigned n_others = 0, n_left = 0;
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char path[SOCKET_PATH] = "";
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".sock") != 0 ||
            snprintf(path, sizeof path, "%s/%s", own->folder, e->d_name) >= (int)sizeof path)
            continue;
        int error = gateway_try(path);
        n_left += error == ECONNREFUSED;
        n_others += !error && strcmp(path, own->socket) != 0;
    }
    if (folder)
        closedir(folder);
    if (n_left)
        mcti_doctor_say(d, DOCTOR_WARNING, "%u socket%s left in %s by gateways that crashed: harmless, can be removed",
                        n_left, n_left == 1 ? " was" : "s were", own->folder);
    if (n_others)
        mcti_doctor_say(d, DOCTOR_WARNING,
                        "%u gateway%s with another configuration, or of another version: commands "
                        "with this configuration do not use %s",
                        n_others, n_others == 1 ? " runs" : "s run", n_others == 1 ? "it" : "them");
}

static void say_running(struct mcti_doctor *d, const struct mcti_control_client *client)
{
    struct mcti_str said = mcti_buf_str(&client->said), pid = mcti_json_get(said, "pid"), item;
    size_t n = 0, n_connected = 0;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(said, "servers")); mcti_json_next_item(&it, &item);
         n++) {
        struct mcti_str state;
        n_connected += mcti_json_plain(mcti_json_get(item, "state"), &state) && mcti_str_is(state, "connected");
    }
    mcti_doctor_say(d, DOCTOR_OK, "running (process %.*s) with this configuration, %zu of %zu servers connected",
                    MCT_STR_ARG(pid), n_connected, n);
}

void mcti_doctor_gateway(struct mcti_doctor *d)
{
    enum { LIMIT_MS = 2000 };
    struct mcti_control_client client;
    struct mcti_control_place place;
    struct mct_error err;
    if (d->is_broken)
        return;
    if (mcti_control_client_open(&client, &d->app->inst.config, LIMIT_MS, &err) == 0)
        say_running(d, &client);
    else if (err.kind == MCT_ERR_NOT_FOUND)
        mcti_doctor_say(d, DOCTOR_OK, "none runs with this configuration: each command starts its own servers");
    else
        mcti_doctor_say(d, DOCTOR_ERROR, "%s", err.message);
    mcti_control_client_close(&client);
    if (mcti_control_place(&d->app->inst.config, false, &place, &err) == 0)
        check_others(d, &place);
}

/* ---- the port ---- */

/* Returns the inode of the socket that listens on the port; 0 if it is not in the file of the kernel. */
static unsigned long port_inode(const char *file, unsigned port)
{
    enum { LISTENS = 10 };
    FILE *f = fopen(file, "re");
    char line[512];
    unsigned long inode = 0;
    while (f && !inode && fgets(line, sizeof line, f)) {
        unsigned here = 0, state = 0;
        unsigned long found = 0;
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu", &here, &state,
                   &found) == 3 &&
            here == port && state == LISTENS)
            inode = found;
    }
    if (f)
        fclose(f);
    return inode;
}

/* Returns true if a descriptor of the process is this socket. */
static bool process_has(const char *pid, unsigned long inode)
{
    char folder[300], wanted[64], link[600], target[64];
    snprintf(folder, sizeof folder, "/proc/%s/fd", pid);
    snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    DIR *fds = opendir(folder);
    bool has = false;
    for (struct dirent *e; fds && !has && (e = readdir(fds));) {
        snprintf(link, sizeof link, "%s/%s", folder, e->d_name);
        ssize_t n = readlink(link, target, sizeof target - 1);
        target[n < 0 ? 0 : n] = '\0';
        has = !strcmp(target, wanted);
    }
    if (fds)
        closedir(fds);
    return has;
}

/* Writes "NAME (process PID)" for the process that has the socket, if it can be seen. */
static void port_name_owner(unsigned long inode, char *to, size_t size)
{
    DIR *all = inode ? opendir("/proc") : NULL;
    snprintf(to, size, "another program");
    for (struct dirent *e; all && (e = readdir(all));) {
        char path[300], name[64] = "";
        if (e->d_name[0] < '0' || e->d_name[0] > '9' || !process_has(e->d_name, inode))
            continue;
        snprintf(path, sizeof path, "/proc/%s/comm", e->d_name);
        FILE *f = fopen(path, "re");
        if (f && fgets(name, sizeof name, f))
            name[strcspn(name, "\n")] = '\0';
        if (f)
            fclose(f);
        snprintf(to, size, "%s (process %s)", name, e->d_name);
        break;
    }
    if (all)
        closedir(all);
}

/* Returns 0 if the address can be listened on, otherwise the errno; -1 if it is no address. */
static int port_try(const char *host, const char *port)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST };
    struct addrinfo *found;
    int one = 1;
    if (getaddrinfo(host, port, &hints, &found) != 0)
        return -1;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    int r = bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, 1) < 0 ? errno : 0;
    close(fd);
    freeaddrinfo(found);
    return r;
}

void mcti_doctor_port(struct mcti_doctor *d)
{
    const char *address = d->app->inst.config.serve_http, *colon = address ? strrchr(address, ':') : NULL;
    char host[256], owner[400];
    if (!colon || d->is_broken)
        return;
    bool brackets = *address == '[';
    snprintf(host, sizeof host, "%.*s", (int)(colon - address - 2 * brackets), address + brackets);
    int error = port_try(host, colon + 1);
    unsigned port = (unsigned)strtoul(colon + 1, NULL, 10);
    if (error == EADDRINUSE) {
        unsigned long inode = port_inode("/proc/net/tcp", port);
        port_name_owner(inode ? inode : port_inode("/proc/net/tcp6", port), owner, sizeof owner);
        bool is_ours = !strncmp(owner, "mcptools ", 9);
        mcti_doctor_say(d, is_ours ? DOCTOR_OK : DOCTOR_WARNING, "%s has %s%s", owner, address,
                        is_ours ? "" : ": choose another address with 'serve --http HOST:PORT' or serve.http");
    } else if (error > 0) {
        mcti_doctor_say(d, DOCTOR_ERROR, "%s: %s; choose another address with 'serve --http HOST:PORT' or serve.http",
                        address, strerror(error));
    } else if (!error) {
        mcti_doctor_say(d, DOCTOR_OK, "%s is free", address);
    }
}
