#include "base/clock.h"
#include "cli/command.h"
#include "io/process/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

const struct mcti_command mcti_commands[] = {
    { "serve",
      "[--http HOST:PORT] [--stdio] [--server NAME]... [--prefix auto|always|conflict|never] [--insecure] "
      "[--legacy-sse] "
      "[--read-only]",
      "serve all configured servers as one MCP endpoint", 0, 0, true, mcti_cmd_serve },
    { "list", "[SERVER[.TOOL]] [--schema] [--brief]", "list servers, or the tools of one server", 0, 1, false,
      mcti_cmd_list },
    { "call",
      "SERVER.TOOL [key=value | key:=JSON | key=@FILE | key=@@TEXT]... [--args JSON|-] [--for PROVIDER] [--read-only] "
      "| "
      "--for PROVIDER -|@FILE",
      "call a tool, or run a call that a model wrote", 0, -1, false, mcti_cmd_call },
    { "resources", "[SERVER]", "list resources", 0, 1, false, mcti_cmd_resources },
    { "templates", "[SERVER]", "list resource templates", 0, 1, false, mcti_cmd_templates },
    { "agent", "list [SERVER] | read URI | install [--lang zh|en] [--force] [FOLDER]",
      "list or read resources, printed as one compact block; install the sub-agent that does so", 0, 2, false,
      mcti_cmd_agent, mcti_cmd_agent_put_failure },
    { "read", "[SERVER] URI", "read a resource", 1, 2, false, mcti_cmd_read },
    { "prompts", "[SERVER]", "list prompts", 0, 1, false, mcti_cmd_prompts },
    { "prompt", "SERVER.NAME [key=value]...", "get a prompt", 1, -1, false, mcti_cmd_prompt },
    { "tools", "[--dialect NAME,...] [--mode full|router|search] [--for PROVIDER] [--prompt] [--cost]",
      "list the tools that clients of the gateway see, or their size", 0, 0, false, mcti_cmd_tools },
    { "schema", "--for PROFILE [FILE|-]", "convert a JSON Schema to the form that a model provider accepts", 0, 1,
      false, mcti_cmd_schema },
    { "status", "[SERVER]", "show the state of each server and the reason if it is down", 0, 1, false,
      mcti_cmd_status },
    { "watch", "[SERVER] [--subscribe URI]...", "print notifications as they arrive", 0, 1, false, mcti_cmd_watch },
    { "login", "SERVER|URL [--scope SCOPES] [--issuer URL] [--device] [--no-browser]", "log in to a server", 1, 1,
      false, mcti_cmd_login },
    { "logout", "SERVER|URL [--all]", "revoke and forget the login of a server", 1, 1, false, mcti_cmd_logout },
    { "auth", "status [SERVER] | token SERVER [--yes] | refresh SERVER",
      "show the logins, print the access token of one, or renew it", 1, 2, false, mcti_cmd_auth },
    { "config", "list|get NAME|check|import FILE [--from FORMAT] [--dry-run]",
      "show the configuration, check it for mistakes, or import servers of another program", 1, 2, false,
      mcti_cmd_config },
    { 0 },
};

static void write_log(enum mct_log_level level, const char *line, void *data)
{
    static const char *const words[] = { "error", "warning", "info", "debug" };
    struct mcti_app *app = data;
    mcti_out_progress_end(app);
    mcti_err("mcptools: %s: %s\n", words[level], line);
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

int main(int argc, char **argv)
{
    struct mcti_app app = { 0 };
    struct mct_error err = { 0 };
    int status;

    fill_standard_descriptors();
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
    if (parsed < 0) {
        status = mcti_out_fail(&app, &err, NULL);
        if (app.opt.output != MCT_OUT_JSON)
            fprintf(stderr, "See 'mcptools %s%s--help'.\n", app.command ? app.command->name : "",
                    app.command ? " " : "");
    } else if (!app.command) {
        status = 0; /* --help or --version has been printed */
    } else if (app.opt.help) {
        mcti_options_usage(stdout, app.command);
        status = 0;
    } else {
        app.log.level = app.opt.log_level;
        status = app.command->run(&app);
    }
    if (mcti_memory_failures() && !(app.command && app.command->serves))
        status = mcti_out_no_memory(&app, status);
    mcti_app_close(&app);
    if (fflush(stdout) || ferror(stdout))
        status = status ? status : 1;
    return status;
}
