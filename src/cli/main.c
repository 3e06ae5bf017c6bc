#include "cli/command.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

const struct mcti_command mcti_commands[] = {
    { "serve",
      "[--http HOST:PORT] [--stdio] [--server NAME]... [--prefix always|conflict|never] [--insecure] [--legacy-sse] "
      "[--read-only]",
      "the gateway: one MCP endpoint for all configured servers", 0, 0, true, mcti_cmd_serve },
    { "list", "[SERVER[.TOOL]] [--schema] [--brief]", "servers, or the tools of one", 0, 1, false, mcti_cmd_list },
    { "call",
      "SERVER.TOOL [key=value] [key:=json] [key=@file] (key=@@text: begins with @) [--args JSON|-] [--for PROVIDER] "
      "[--read-only], "
      "or --for PROVIDER -|@FILE",
      "call a tool, or make the call a model wrote", 0, -1, false, mcti_cmd_call },
    { "resources", "[SERVER]", "list resources", 0, 1, false, mcti_cmd_resources },
    { "templates", "[SERVER]", "list resource templates", 0, 1, false, mcti_cmd_templates },
    { "agent", "list [SERVER] | read URI", "list or read resources, answered in one compact block", 0, 2, false,
      mcti_cmd_agent },
    { "read", "[SERVER] URI", "read a resource", 1, 2, false, mcti_cmd_read },
    { "prompts", "[SERVER]", "list prompts", 0, 1, false, mcti_cmd_prompts },
    { "prompt", "SERVER.NAME [key=value]...", "get a prompt", 1, -1, false, mcti_cmd_prompt },
    { "tools", "[--dialect NAME,...] [--mode full|router|search] [--for PROVIDER] [--prompt] [--cost]",
      "the tools clients of the gateway get, and what they cost a model", 0, 0, false, mcti_cmd_tools },
    { "schema", "--for PROFILE [FILE|-]", "a JSON Schema in the form a model provider takes", 0, 1, false,
      mcti_cmd_schema },
    { "status", "[SERVER]", "what is connected, and why not", 0, 1, false, mcti_cmd_status },
    { "watch", "[SERVER] [--subscribe URI]...", "print notifications as they come", 0, 1, false, mcti_cmd_watch },
    { "config", "list|get NAME|check", "what is configured, and whether it is sound", 1, 2, false, mcti_cmd_config },
    { 0 },
};

static void write_log(enum mct_log_level level, const char *line, void *data)
{
    static const char *const words[] = { "error", "warning", "info", "debug" };
    struct mcti_app *app = data;
    mcti_out_progress_end(app);
    mcti_err("mcptools: %s: %s\n", words[level], line);
}

/* A program started with closed standard descriptors must not find its sockets under their numbers. */
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
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a log that may not grow further is an error of that write */
    app.log = (struct mcti_log){ .level = MCT_LOG_WARN, .write = write_log, .data = &app };
    app.opt.log_level = MCT_LOG_WARN;
    app.event_fd = -1;
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
