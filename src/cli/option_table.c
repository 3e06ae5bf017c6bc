#include "cli/command.h"
#include "cli/option.h"

#define CALLERS "serve call read prompt agent" /* commands that make calls */
#define FIELD(member) offsetof(struct mcti_options, member)

static const struct mcti_word outputs[] = {
    { "auto", MCT_OUT_AUTO }, { "text", MCT_OUT_TEXT }, { "json", MCT_OUT_JSON }, { "raw", MCT_OUT_RAW }, { 0 },
};

static const struct mcti_word formats[] = { { "detail", 0 }, { "summary", 0 }, { "raw", 0 }, { 0 } };

const struct mcti_option mcti_options[] = {
    { "--config", 0, OPTION_LIST, FIELD(config_files), "FILE",
      .help = "read this file instead of the usual configuration files (repeatable)",
      .more = "mcptools.json(5) describes the file." },
    { "--output", 'o', OPTION_ENUM, FIELD(output), "auto|text|json|raw", .words = outputs,
      .help = "how results are printed",
      .more = "`json`: one document with the members of the MCP specification; failures are "
              "{\"error\":{\"kind\",\"message\",\"server\"}}. `raw`: the text of a result alone, as a model gets it." },
    { "--timeout", 0, OPTION_SECONDS, FIELD(timeout_ms), "SECONDS",
      .help = "time limit for starting a server and for a call" },
    { "--log-level", 0, OPTION_ENUM, FIELD(log_level), "error|warn|info|debug", .words = mcti_log_level_words,
      .help = "the level of messages on stderr",
      .more = "At `info` the log of `serve` has each line that servers write to stderr, up to 50 a second for each. At "
              "`warn`, the default, it has the last five lines of a server that fails." },
    { "--no-color", 0, OPTION_FLAG, FIELD(no_color), .help = "print without colours" },
    { "--stdio", 0, OPTION_TEXT, FIELD(stdio), "'COMMAND ARGS...'", .is_flag_of_serve = true,
      .help = "use this server instead of the configured ones (serve: serve on stdin and stdout)" },
    { "--url", 0, OPTION_URL, FIELD(url), "URL", .help = "use this server instead of the configured ones",
      .more = "A URL may also stand where a command takes a server. The tool is then the next word, or follows a dot "
              "at the end of the URL." },
    { "--root", 0, OPTION_LIST, FIELD(roots), "FOLDER", .help = "tell servers this folder as a root (repeatable)",
      .more = "Default: the working directory of each server for which one is configured. With `serve` it is for "
              "clients that offer no roots of their own." },
    { "--elicit", 0, OPTION_TEXT, FIELD(elicit), "accept-defaults|decline|JSON",
      .help = "answer the questions of servers instead of asking on the terminal",
      .more = "JSON is an object of answers, to which the defaults of the server's form are added. "
              "'{\"decision\":\"allow-once\"}' approves a call that a hook holds." },
    { "--sampling-command", 0, OPTION_TEXT, FIELD(sampling_command), "'COMMAND ARGS...'",
      .help = "answer sampling requests with this program",
      .more = "The program gets their params as a line of JSON on stdin and prints a result, or plain text. Without "
              "it, sampling is not offered to servers." },
    { "--help", 'h', OPTION_FLAG, FIELD(help), .help = "print this text" },
    { "--version", 0, OPTION_FLAG, FIELD(version), .help = "print the version" },

    { "--read-only", 0, OPTION_FLAG, FIELD(read_only), .only = CALLERS,
      .help = "refuse tools that may change something",
      .more = "They are refused before their server gets the call: with `serve` with an error result for the model, "
              "with `call` with the same text and exit status 7. Read-only are the tools that `policy.read_only_tools` "
              "names, and those with `readOnlyHint` if their server is `trusted`; never those that "
              "`policy.mutating_tools` names. A client of `serve` may ask for the same with `/mcp?read_only=1`." },
    { "--events", 0, OPTION_EVENTS, 0, "FILE|FD", .only = CALLERS,
      .help = "write the begin and end of each call, as lines of JSON, to a file or an open descriptor",
      .more = "Lines have arguments and results or errors. A file is made with mode 0600 and appended to. Arguments "
              "and results that make a line longer than 64 KiB are left out. If the reader is slow, up to 4 MiB are "
              "kept and further lines are lost; nothing waits for it." },
    { "--http", 0, OPTION_TEXT, FIELD(http), "HOST:PORT", .only = "serve",
      .help = "listen here (default: 127.0.0.1:8931)" },
    { "--server", 0, OPTION_LIST, FIELD(servers), "NAME", .only = "serve tools call",
      .help = "use only this server (repeatable)" },
    { "--prefix", 0, OPTION_ENUM, FIELD(prefix), "always|conflict|never", .only = "serve tools call",
      .words = mcti_prefix_words, .help = "when exposed names begin with the name of their server" },
    { "--mode", 0, OPTION_ENUM, FIELD(prefs.mode), "full|router|search", .only = "serve tools call",
      .words = mcti_mode_words,
      .help = "offer every tool, resource tools only, or three that find and call the others" },
    { "--dialect", 0, OPTION_DIALECTS, FIELD(prefs), "NAME[,NAME]", .only = "serve call tools",
      .help = "add the resource tools of these dialects: nexo, codex, bridge, claude, lines, servers" },
    { "--insecure", 0, OPTION_FLAG, FIELD(insecure), .only = "serve",
      .help = "allow an address other than loopback without tokens" },
    { "--legacy-sse", 0, OPTION_FLAG, FIELD(legacy_sse), .only = "serve",
      .help = "also serve HTTP+SSE (2024-11-05), at /sse" },
    { "--subscribe", 0, OPTION_LIST, FIELD(subscribe), "URI", .only = "watch",
      .help = "print a line when this resource changes (repeatable)" },
    { "--format", 0, OPTION_WORD, FIELD(format), "detail|summary|raw", .only = "agent", .words = formats,
      .help = "how much of the block is printed" },
    { "--schema", 0, OPTION_FLAG, FIELD(schema), .only = "list", .help = "print the schemas of the tools" },
    { "--brief", 0, OPTION_FLAG, FIELD(brief), .only = "list", .help = "print names only" },
    { "--prompt", 0, OPTION_FLAG, FIELD(prompt), .only = "tools",
      .help = "print the block that tells a model in its system prompt of the resources" },
    { "--cost", 0, OPTION_FLAG, FIELD(cost), .only = "tools",
      .help = "print a table of what resource tools cost in each dialect" },
    { "--explain", 0, OPTION_TEXT, FIELD(explain), "NAME", .only = "tools",
      .help = "print which steps of the policy let this tool pass or take it away" },
    { "--as", 0, OPTION_TEXT, FIELD(as), "TOKEN-NAME", .only = "tools",
      .help = "print the tools of the client with the token of this name, not of the owner" },
    { "--for", 0, OPTION_TEXT, FIELD(profile), "PROVIDER", .only = "schema tools call",
      .help = "use the form of this provider: openai, openai-strict, openai-responses (tools, call), anthropic, "
              "gemini, xai, deepseek, llamacpp, openclaw (schema), none, mcp (tools, call)" },
    { "--args", 0, OPTION_TEXT, FIELD(args_json), "JSON|-", .only = "call",
      .help = "pass this JSON object as arguments; '-' reads it from stdin" },
    { 0 },
};
