/* The terminal, the kernel, limits and the clock. */
#include "base/clock.h"
#include "cli/doctor/doctor.h"
#include "io/process/spawn.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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
    long landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, 1u /* LANDLOCK_CREATE_RULESET_VERSION */);
    mcti_doctor_say(d, fd < 0 ? DOCTOR_WARNING : DOCTOR_OK, "%s %s, %s, %s", known ? name.sysname : "unknown system",
                    known ? name.release : "",
                    fd < 0 ? "without pidfds: the ends of servers are noticed later" : "pidfds",
                    landlock > 0 ? "Landlock" : "no Landlock");
    if (fd >= 0)
        close(fd);
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
    machine_check_files(d);
    check_clock(d);
}
