#include "cli/command.h"
#include "cli/option.h"

#define CALLERS "serve call read prompt agent" /* commands that make calls */
#define USERS                                                                                                          \
    "list call read resources templates prompts prompt tools watch agent scan tasks skills" /* they use a running gateway */
#define FIELD(member) offsetof(struct mcti_options, member)

static const struct mcti_word outputs[] = {
    { "auto", MCT_OUT_AUTO }, { "text", MCT_OUT_TEXT }, { "json", MCT_OUT_JSON }, { "raw", MCT_OUT_RAW }, { 0 },
};

static const struct mcti_word formats[] = { { "detail", 0 }, { "summary", 0 }, { "raw", 0 }, { 0 } };

const struct mcti_option mcti_options[] = {
    { "--config", 0, OPTION_LIST, FIELD(config_files), "FILE",
      .help = "read this file instead of the usual configuration files (repeatable)",
      .more = "mcptools.json(5) describes the file." },
    { "--output", 'o', OPTION_ENUM, FIELD(output), "auto|text|json|raw", .words = outputs, .help = "format of results",
      .more = "`json`: one document with the members of the MCP specification; an error is "
              "{\"error\":{\"kind\",\"message\",\"server\"}}. `raw`: only the text of a result, as a model gets it." },
    { "--timeout", 0, OPTION_SECONDS, FIELD(timeout_ms), "SECONDS",
      .help = "time limit for starting a server, for a call, and for `login`",
      .more = "Without it, a login waits for five minutes." },
    { "--log-level", 0, OPTION_ENUM, FIELD(log_level), "error|warn|info|debug", .words = mcti_log_level_words,
      .help = "print messages of this level and above on stderr",
      .more = "At `info`, `serve` also logs each line that servers write to stderr, up to 50 a second for each server. "
              "At `warn`, the default, it logs the last five lines of a server that fails." },
    { "--no-color", 0, OPTION_FLAG, FIELD(no_color), .help = "print without colours",
      .more = "The same as a non-empty `NO_COLOR` in the environment." },
    { "--no-pager", 0, OPTION_FLAG, FIELD(no_pager), .help = "do not show long lists in a pager",
      .more = "On a terminal, lists that are longer than it pass the program of `$PAGER`, or `less`." },
    { "--stdio", 0, OPTION_TEXT, FIELD(stdio), "'COMMAND ARGS...'",
      .help = "use the server that this command starts, not the configured ones" },
    { "--url", 0, OPTION_URL, FIELD(url), "URL", .help = "use the server at this URL, not the configured ones",
      .more = "Commands also accept a URL in place of the name of a server. The tool is then the next word, or follows "
              "a dot at the end of the URL." },
    { "--alone", 0, OPTION_FLAG, FIELD(alone), .only = USERS " status",
      .help = "start the servers here, even if a gateway runs with the same configuration" },
    { "--follow", 'f', OPTION_FLAG, FIELD(follow), .only = "logs", .help = "go on with the lines that come" },
    { "--root", 0, OPTION_LIST, FIELD(roots), "FOLDER",
      .help = "announce this folder to servers as a root (repeatable)",
      .more = "The default for each server is its configured working directory, if any. With `serve`, the folder is "
              "used for clients that offer no roots of their own." },
    { "--elicit", 0, OPTION_TEXT, FIELD(elicit), "accept-defaults|decline|JSON",
      .help = "answer the questions of servers instead of asking on the terminal",
      .more = "JSON is an object of answers; the defaults of the server's form are added to it. "
              "'{\"decision\":\"allow-once\"}' approves a call that a hook holds." },
    { "--sampling-command", 0, OPTION_TEXT, FIELD(sampling_command), "'COMMAND ARGS...'",
      .help = "answer sampling requests with this program",
      .more = "The program gets the params of a request as one line of JSON on stdin and prints a result or plain "
              "text. Without this option, sampling is not offered to servers." },
    { "--help", 'h', OPTION_FLAG, FIELD(help), .help = "print this text" },
    { "--version", 'V', OPTION_FLAG, FIELD(version), .help = "print the version" },

    { "--read-only", 0, OPTION_FLAG, FIELD(read_only), .only = CALLERS,
      .help = "refuse tools that may change something",
      .more = "A refused call does not reach its server: `serve` answers with an error result for the model, `call` "
              "prints the same text and exits with status 7. A tool is read-only if `policy.read_only_tools` names it, "
              "or if it has `readOnlyHint` and its server is `trusted`, unless `policy.mutating_tools` names it. A "
              "client of `serve` may request the same with `/mcp?read_only=1`." },
    { "--events", 0, OPTION_EVENTS, 0, "FILE|FD", .only = CALLERS,
      .help = "log the start and end of each call, as lines of JSON, to a file or an open descriptor",
      .more = "Lines contain the arguments and the result or error. A file is created with mode 0600, and appended to "
              "if it exists. Arguments and results that make a line longer than 64 KiB are left out. If the reader is "
              "slow, up to 4 MiB are buffered and further lines are lost; calls never wait for it." },
    { "--stdio", 0, OPTION_TEXT, FIELD(stdio), .only = "serve", .help = "serve one client on stdin and stdout",
      .more = "With `--http`, HTTP is served, too." },
    { "--http", 0, OPTION_TEXT, FIELD(http), "HOST:PORT", .only = "serve daemon",
      .help = "listen on this address (default of serve: 127.0.0.1:8931; daemon serves HTTP only with this option)" },
    { "--socket", 0, OPTION_FLAG, FIELD(socket_only), .only = "serve",
      .help = "serve the commands of this user only, without HTTP" },
    { "--idle", 0, OPTION_SECONDS, FIELD(idle_ms), "SECONDS", .only = "serve daemon",
      .help = "end after this time without clients and calls" },
    { "--server", 0, OPTION_LIST, FIELD(servers), "SERVER", .only = "serve tools call",
      .help = "use only this server (repeatable)" },
    { "--prefix", 0, OPTION_ENUM, FIELD(prefix), "auto|always|conflict|never", .only = "serve tools call",
      .words = mcti_prefix_words, .help = "when to put the name of the server in front of exposed names" },
    { "--mode", 0, OPTION_ENUM, FIELD(prefs.mode), "full|router|search", .only = "serve tools call",
      .words = mcti_mode_words,
      .help = "offer all tools, only resource tools, or three tools that find and call all others" },
    { "--dialect", 0, OPTION_DIALECTS, FIELD(prefs), "DIALECT[,DIALECT]", .only = "serve call tools",
      .help = "add the resource tools of these dialects: nexo, codex, bridge, claude, lines, servers" },
    { "--insecure", 0, OPTION_FLAG, FIELD(insecure), .only = "serve",
      .help = "allow an address other than loopback without tokens" },
    { "--legacy-sse", 0, OPTION_FLAG, FIELD(legacy_sse), .only = "serve",
      .help = "also serve HTTP+SSE (2024-11-05), at /sse" },
    { "--subscribe", 0, OPTION_LIST, FIELD(subscribe), "URI", .only = "watch",
      .help = "print a line when this resource changes (repeatable)" },
    { "--format", 0, OPTION_WORD, FIELD(format), "detail|summary|raw", .only = "agent", .words = formats,
      .help = "print the whole block, its first two lines, or the content alone" },
    { "--lang", 0, OPTION_ENUM, FIELD(language), "zh|en", .only = "agent", .words = mcti_language_words,
      .help = "language of the first line of a block, or of the installed sub-agent: Chinese or English",
      .more =
          "The default is `mcp.lines.language` of the configuration, otherwise the locale (`LC_ALL`, `LC_MESSAGES`, "
          "`LANG`): Chinese if it begins with `zh`, or if it names no language (`C`, `POSIX`, unset), because that "
          "is the language of the protocol; English for all others." },
    { "--force", 0, OPTION_FLAG, FIELD(force), .only = "agent",
      .help = "install: replace a sub-agent file that has been changed" },
    { "--force", 0, OPTION_FLAG, FIELD(force), .only = "config",
      .help = "add: replace the server of this name, if there is one" },
    { "--servers", 0, OPTION_FLAG, FIELD(with_servers), .only = "doctor",
      .help = "also start all servers, and check that they connect" },
    { "--schema", 0, OPTION_FLAG, FIELD(schema), .only = "list", .help = "print the schemas of the tools" },
    { "--brief", 0, OPTION_FLAG, FIELD(brief), .only = "list", .help = "print names only" },
    { "--prompt", 0, OPTION_FLAG, FIELD(prompt), .only = "tools",
      .help = "print the block for a model's system prompt that lists the resources, and with --dialect skills the "
              "skills" },
    { "--cost", 0, OPTION_FLAG, FIELD(cost), .only = "tools",
      .help = "print the size of the resource tools of each dialect, in tokens and bytes" },
    { "--explain", 0, OPTION_TEXT, FIELD(explain), "SERVER.TOOL", .only = "tools",
      .help = "print how each step of the policy decides about this tool" },
    { "--as", 0, OPTION_TEXT, FIELD(as), "TOKEN-NAME", .only = "tools",
      .help = "print the tools that the client with this token sees, not those of the owner" },
    { "--for", 0, OPTION_TEXT, FIELD(profile), "PROVIDER", .only = "schema tools call",
      .help =
          "use the format of this model provider: openai, openai-strict, openai-responses (tools, call), anthropic, "
          "gemini, xai, deepseek, llamacpp, openclaw (schema), none, mcp (tools, call)" },
    { "--from", 0, OPTION_TEXT, FIELD(from), "FORMAT", .only = "config",
      .help = "read the file of `config import` in this format",
      .more =
          "Without it, the name and the keys of the file tell the format: codex, nexo, opencode, mcporter, openclaw, "
          "gemini, copilot, cline, claude-code, claude-desktop, continue, goose, amazonq, crush, warp, vscode, zed, "
          "amp or mcpServers." },
    { "--dry-run", 0, OPTION_FLAG, FIELD(dry_run), .only = "install uninstall",
      .help = "show the change, and write nothing" },
    { "--dry-run", 0, OPTION_FLAG, FIELD(dry_run), .only = "config add",
      .help = "show what would be changed, and write nothing" },
    { "--header", 0, OPTION_LIST, FIELD(headers), "'NAME: VALUE'", .only = "config",
      .help = "add: send this header with each request (repeatable)" },
    { "--env", 0, OPTION_LIST, FIELD(env), "NAME[=VALUE]", .only = "config",
      .help = "add: start the server with this variable (repeatable)",
      .more = "Without a value, it gets the value that it has when the server is started." },
    { "--cwd", 0, OPTION_TEXT, FIELD(cwd), "FOLDER", .only = "config", .help = "add: start the server in this folder" },
    { "--type", 0, OPTION_TEXT, FIELD(type), "http|sse", .only = "config",
      .help = "add: use only this transport, instead of the one that works" },
    { "--project", 0, OPTION_FLAG, FIELD(project), .only = "config add",
      .help = "change ./mcptools.json, also if it does not exist yet" },
    { "--name", 0, OPTION_TEXT, FIELD(name), "NAME", .only = "add", .help = "name of the entry" },
    { "--via", 0, OPTION_TEXT, FIELD(via), "npm|pypi|nuget|oci|mcpb|remote", .only = "add",
      .help = "run the server in this way, if there are several" },
    { "--arg", 0, OPTION_LIST, FIELD(values), "NAME=VALUE|ARGUMENT", .only = "add",
      .help = "give a value that the server needs, or a further argument (repeatable)",
      .more = "NAME is an argument, variable or setting that the description of the server names. Any other text is "
              "added to the arguments." },
    { "--env", 0, OPTION_LIST, FIELD(env), "NAME[=VALUE]", .only = "add",
      .help = "start the server with this variable (repeatable)",
      .more = "Without a value, it gets the value that it has when the server is started. A secret is stored in a file "
              "of its own, and the entry refers to it." },
    { "--header", 0, OPTION_LIST, FIELD(headers), "'NAME: VALUE'", .only = "add",
      .help = "send this header with each request (repeatable)" },
    { "--yes", 0, OPTION_FLAG, FIELD(yes), .only = "add",
      .help = "ask nothing, and run what the registry says; a missing value is an error" },
    { "--force", 0, OPTION_FLAG, FIELD(force), .only = "add",
      .help = "replace the entry of this name, and accept what is marked as dangerous" },
    { "--no-check", 0, OPTION_FLAG, FIELD(no_check), .only = "add", .help = "add the server without trying it" },
    { "--sandbox", 0, OPTION_ENUM, FIELD(sandbox), "strict|best-effort|off", .only = "add", .words = mcti_sandbox_modes,
      .help = "what the program of the new server may do on this machine (default: best-effort)" },
    { "--no-sandbox", 0, OPTION_FLAG, FIELD(no_sandbox), .only = "add", .help = "the same as --sandbox off" },
    { "--registry", 0, OPTION_URL, FIELD(registry), "URL", .only = "search add",
      .help = "use this registry of packages",
      .more = "The default is the variable `MCPTOOLS_REGISTRY_URL`, then `registry.url` of the configuration, then the "
              "official MCP registry." },
    { "--scope", 0, OPTION_TEXT, FIELD(scope), "SCOPES", .only = "login",
      .help = "ask for these scopes, separated by spaces, instead of those that the server names" },
    { "--issuer", 0, OPTION_URL, FIELD(issuer), "URL", .only = "login",
      .help = "log in at this authorization server, which must be one that the server names" },
    { "--device", 0, OPTION_FLAG, FIELD(device), .only = "login",
      .help = "show a code to enter on any device, instead of opening a browser here" },
    { "--no-browser", 0, OPTION_FLAG, FIELD(no_browser), .only = "login",
      .help = "print the URL instead of opening it; the URL at which the browser arrives can be pasted" },
    { "--all", 0, OPTION_FLAG, FIELD(all), .only = "logout",
      .help = "forget the logins at all authorization servers, and the registrations there" },
    { "--all", 0, OPTION_FLAG, FIELD(all), .only = "config",
      .help = "import the servers of every program on this machine" },
    { "--http", 0, OPTION_FLAG, FIELD(gateway), .only = "install",
      .help = "let the client connect to the running gateway, instead of starting mcptools",
      .more = "The address is that of `serve.http`. If `serve.tokens` has tokens, the client takes one from the "
              "variable `MCPTOOLS_TOKEN`." },
    { "--project", 0, OPTION_FLAG, FIELD(project), .only = "install uninstall",
      .help = "use the client's file of the working directory, not that of the user" },
    { "--file", 0, OPTION_TEXT, FIELD(file), "FILE", .only = "install uninstall",
      .help = "use this file, which has the client's format" },
    { "--file", 0, OPTION_TEXT, FIELD(file), "FILE", .only = "scan",
      .help = "scan this file instead of servers; '-' is stdin",
      .more = "The file is JSON with a list of tools, one tool, a result of initialize or of a call, or servers with "
              "their lists under \"servers\" or \"mcpServers\"; anything else is scanned as text." },
    { "--rules", 0, OPTION_FLAG, FIELD(rules), .only = "scan", .help = "print the rules" },
    { "--strict", 0, OPTION_FLAG, FIELD(strict), .only = "scan",
      .help = "exit with status 5 for soft findings as well" },
    { "--create", 0, OPTION_FLAG, FIELD(create), .only = "install",
      .help = "write the file also if the client does not seem to be installed" },
    { "--take-over", 0, OPTION_FLAG, FIELD(take_over), .only = "install",
      .help = "first move the client's other servers into mcptools.json" },
    { "--yes", 0, OPTION_FLAG, FIELD(yes), .only = "install uninstall", .help = "write without a question" },
    { "--yes", 0, OPTION_FLAG, FIELD(yes), .only = "trust", .help = "trust the files without a question" },
    { "--list", 0, OPTION_FLAG, FIELD(list), .only = "trust", .help = "list the files that are trusted" },
    { "--revoke", 0, OPTION_FLAG, FIELD(revoke), .only = "trust",
      .help = "trust this file, or the files below this folder, no longer" },
    { "--yes", 0, OPTION_FLAG, FIELD(yes), .only = "auth",
      .help = "print the token of 'auth token' on a terminal, too" },
    { "--yes", 0, OPTION_FLAG, FIELD(yes), .only = "approve", .help = "approve without a question" },
    { "--force", 0, OPTION_FLAG, FIELD(force), .only = "pin", .help = "overwrite pins that differ" },
    { "--force", 0, OPTION_FLAG, FIELD(force), .only = "skills",
      .help = "sync: replace files that have been changed in FOLDER" },
    { "--args", 0, OPTION_TEXT, FIELD(args_json), "JSON|-", .only = "call",
      .help = "pass this JSON object as arguments; '-' reads it from stdin" },
    { "--task", 0, OPTION_FLAG, FIELD(task), .only = "call",
      .help = "if the server makes a task of the call, print its number and do not wait for it",
      .more =
          "`mcptools tasks` shows the task, waits for it and cancels it. The server must outlive the command: it has a "
          "URL, or it is one of a gateway that runs (`mcptools daemon start`)." },
    { 0 },
};
