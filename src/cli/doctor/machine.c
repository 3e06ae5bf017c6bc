/* The terminal, the kernel, limits and the clock. */
#include "base/clock.h"
#include "cli/doctor/doctor.h"
#include "config/connect/connect.h"
#include "io/process/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- terminal ---- */

static bool is_utf8_locale(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
    }
    return false;
}

void mcti_doctor_terminal(struct mcti_doctor *d)
{
    const char *term = getenv("TERM");
    if (!d->app->terminal)
        mcti_doctor_say(d, DOCTOR_OK, "the output is not a terminal");
    else
        mcti_doctor_say(d, DOCTOR_OK, "%s, %u columns, %s", term ? term : "no TERM", d->app->columns,
                        d->app->color ? "with colours" : "without colours (--no-color, NO_COLOR or TERM)");
    if (!is_utf8_locale())
        mcti_doctor_say(d, DOCTOR_WARNING,
                        "the locale is not UTF-8, but mcptools and most servers print UTF-8; set "
                        "LANG=C.UTF-8");
}

/* ---- system ---- */

static void check_kernel(struct mcti_doctor *d)
{
    struct utsname name;
    bool known = uname(&name) == 0;
    int fd = mcti_pidfd(getpid());
    mcti_doctor_say(d, fd < 0 ? DOCTOR_WARNING : DOCTOR_OK, "%s %s, %s", known ? name.sysname : "unknown system",
                    known ? name.release : "",
                    fd < 0 ? "without pidfds: the ends of servers are noticed later" : "pidfds");
    if (fd >= 0)
        close(fd);
}

/* What sandboxes of servers can hold. A system without them is only worth a warning if they are asked for. */
static void check_sandbox(struct mcti_doctor *d)
{
    enum { COMPLETE = 6, NET = 4 };
    const struct mcti_config *c = &d->app->inst.config;
    struct mcti_sandbox_offer has;
    bool wanted = false;
    for (size_t i = 0; i < c->n_servers; i++)
        wanted |= mcti_connect_sandbox_mode(c, &c->servers[i]) > MCT_SANDBOX_OFF;
    mcti_sandbox_probe(&has);
    bool holds = has.landlock >= COMPLETE && has.seccomp;
    char abi[80] = "no Landlock";
    if (has.landlock)
        snprintf(abi, sizeof abi, "Landlock ABI %d%s", has.landlock,
                 has.landlock < COMPLETE ? " (6 is needed for all of a sandbox: Linux 6.12)" : "");
    mcti_doctor_say(d, holds || !wanted ? DOCTOR_OK : DOCTOR_WARNING, "sandboxes: %s, %s, %s, %s%s", abi,
                    has.seccomp ? "seccomp" : "no seccomp",
                    has.namespaces ? "user and network namespaces" : "no user namespaces",
                    has.cgroup ? "a delegated cgroup" : "limits by rlimit: ", has.cgroup ? "" : has.why_no_cgroup);
}

/* Each server has four descriptors, each client one. */
static void machine_check_files(struct mcti_doctor *d)
{
    enum { OF_SERVER = 4, OF_PROGRAM = 64 };
    const struct mcti_config *c = &d->app->inst.config;
    unsigned long needed = OF_PROGRAM + OF_SERVER * c->n_servers + c->connections;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
        mcti_doctor_say(d, DOCTOR_WARNING,
                        "at most %lu open files, but %zu servers and %u connections may need %lu; "
                        "raise the limit (ulimit -Hn), or lower serve.connections",
                        (unsigned long)limit.rlim_max, c->n_servers, c->connections, needed);
    else
        mcti_doctor_say(d, DOCTOR_OK, "%lu open files (at most %lu)", (unsigned long)limit.rlim_cur,
                        (unsigned long)limit.rlim_max);
}

static void check_clock(struct mcti_doctor *d)
{
    enum { EARLIEST = 2025, LATEST = 2100 };
    time_t now = (time_t)(mcti_clock_wall_ms() / 1000);
    struct tm parts;
    char text[40] = "?";
    int year = gmtime_r(&now, &parts) ? parts.tm_year + 1900 : 0;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    if (year < EARLIEST || year > LATEST)
        mcti_doctor_say(d, DOCTOR_ERROR, "the clock says %s: certificates and logins will be refused; set it", text);
    else
        mcti_doctor_say(d, DOCTOR_OK, "the clock says %s", text);
}

void mcti_doctor_system(struct mcti_doctor *d)
{
    mcti_doctor_say(d, DOCTOR_OK, "mcptools " MCT_VERSION);
    check_kernel(d);
    check_sandbox(d);
    machine_check_files(d);
    check_clock(d);
}
