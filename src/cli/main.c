#include "base/clock.h"
#include "cli/command.h"
#include "io/process/spawn.h"
#include "pins/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static void write_log(enum mct_log_level level, const char *line, void *data)
{
    static const char *const words[] = { "error", "warning", "info", "debug" };
    struct mcti_app *app = data;
    mcti_out_progress_end(app);
    mcti_live_hide(app);
    mcti_say("mcptools: %s: %s", words[level], line);
}

/* Opens /dev/null in place of closed standard descriptors, so that no socket gets the number of one. */
static void fill_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd < 3);
    if (fd >= 3)
        close(fd);
}

/* Writes out what stdout holds. Returns the exit status; a full disk is an error, a reader that has gone is its own
 * affair. */
static int close_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno && errno != EPIPE)
        mcti_err("mcptools: writing the output: %s\n", strerror(errno));
    return status ? status : 1;
}

int main(int argc, char **argv)
{
    struct mcti_app app = { 0 };
    struct mct_error err = { 0 };
    int status;

    fill_standard_descriptors();
    if (argc > 1 && !strcmp(argv[1], MCTI_COMPLETE_WORD))
        return mcti_complete_main(argc - 2, argv + 2);
    app.core_limit = mcti_forbid_core();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is an error of the write instead */
    app.log = (struct mcti_log){ .level = MCT_LOG_WARN, .write = write_log, .data = &app };
    app.opt.log_level = MCT_LOG_WARN;
    app.event_fd = -1;
    app.started_ms = mcti_clock_since_us() / 1000;
    int parsed = mcti_options_parse(&app, argc, argv, &err);
    mcti_out_detect(&app);
    if (mcti_memory_failures())
        parsed = mcti_no_memory(&err);
    if (parsed < 0 && argc < 2) {
        mcti_help_print_commands(stderr);
        status = mcti_error_exit_status(err.kind);
    } else if (parsed < 0) {
        status = mcti_out_fail(&app, &err, NULL);
        if (app.opt.output != MCT_OUT_JSON)
            fprintf(stderr, "See 'mcptools %s%s--help'.\n", app.command ? app.command->name : "",
                    app.command ? " " : "");
    } else if (!app.command) {
        status = 0; /* --help or --version has been printed */
    } else if (app.opt.help) {
        mcti_help_print(stdout, app.command);
        status = 0;
    } else {
        app.log.level = app.opt.log_level;
        status = app.command->run(&app);
        if (!status && !app.command->serves && app.inst.pins && mcti_pins_judge_lacks_file(app.inst.pins))
            status = mcti_error_exit_status(MCT_ERR_PARTIAL); /* what is quarantined for that is missing */
    }
    if (mcti_memory_failures() && !(app.command && app.command->serves))
        status = mcti_out_no_memory(&app, status);
    mcti_app_close(&app);
    mcti_pager_end(&app.pager);
    return close_output(status);
}
