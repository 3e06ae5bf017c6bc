/* Signals that interrupt a command or reopen its log files. */
#include "cli/command.h"
#include "instance/logs.h"
#include "instance/reload.h"

#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

/* Returns true if SIGHUP must not end the program, as under nohup. */
static bool should_ignore_hangup(void)
{
    struct sigaction before;
    return sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
}

/* Returns true if the terminal that the program was started at has been closed. */
static bool has_lost_terminal(const struct mcti_app *app)
{
    struct termios t;
    return app->terminal_fd >= 0 && tcgetattr(app->terminal_fd, &t) < 0;
}

/* Reopens log files and reads the configuration again if the signal requests that. Returns false for a signal that
 * interrupts. */
static bool renew_on_signal(struct mcti_app *app, int signum)
{
    bool hangup = signum == SIGHUP && (app->ignores_hangup || (app->command->serves && !has_lost_terminal(app)));
    struct mct_error err;
    if (!hangup && signum != SIGUSR1)
        return false;
    if (app->command->serves) {
        mcti_logs_reopen(&app->inst);
        mcti_app_reopen_events(app);
    }
    if (hangup && app->inst.reload && !app->interrupted)
        mcti_instance_reload(&app->inst, &err); /* logs its errors */
    return true;
}

static void on_signal(uv_signal_t *handle, int signum)
{
    struct mcti_app *app = handle->data;
    if (renew_on_signal(app, signum))
        return;
    bool hurries = mcti_instance_hurry(&app->inst);
    if (app->interrupted && !hurries)
        exit(128 + signum); /* the reaper ends the children */
    app->interrupted = signum;
    mcti_loop_stop(&app->inst.loop);
}

void mcti_signals_watch(struct mcti_app *app)
{
    const int numbers[MCT_N_SIGNALS] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
    if (app->signals[0].data)
        return;
    app->ignores_hangup = should_ignore_hangup();
    app->terminal_fd = isatty(STDIN_FILENO) ? STDIN_FILENO : isatty(STDERR_FILENO) ? STDERR_FILENO : -1;
    for (int i = 0; i < MCT_N_SIGNALS; i++) {
        uv_signal_init(&app->inst.loop.uv, &app->signals[i]);
        app->signals[i].data = app;
        if (numbers[i] != SIGHUP || app->command->serves || !app->ignores_hangup)
            uv_signal_start(&app->signals[i], on_signal, numbers[i]);
        uv_unref((uv_handle_t *)&app->signals[i]);
    }
}

void mcti_signals_unwatch(struct mcti_app *app)
{
    for (int i = 0; app->signals[0].data && i < MCT_N_SIGNALS; i++)
        uv_close((uv_handle_t *)&app->signals[i], NULL);
}
