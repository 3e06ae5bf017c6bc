/*
 * The table of commands. --help, the list of commands and completion are made of it. complete/sources.c has the words
 * in capital letters that usage lines may contain.
 */
#include "cli/command.h"

const struct mcti_command mcti_commands[] = {
    { "list", "[SERVER[.TOOL]]", "list servers, or the tools of one server", 0, 1, false, mcti_cmd_list,
      .group = MCT_GROUP_START,
      .more =
          "Without SERVER, each line shows the name, the state and what the server offers. With SERVER, its tools are "
          "printed as they are called, with SERVER.TOOL the schema of one tool.",
      .examples = { { "list", "show all servers and their states" },
                    { "list everything", "show the tools of the server 'everything'" },
                    { "list https://example.com/mcp", "show the tools of a server that is not configured" } } },
    { "call",
      "SERVER.TOOL [ARGUMENT]...\n"
      "--for PROVIDER -|@FILE",
      "call a tool, or run a call that a model wrote", 0, -1, false, mcti_cmd_call, .group = MCT_GROUP_START,
      .more =
          "ARGUMENT is key=value (typed by the schema of the tool), key:=JSON, key=@FILE (the text of a file, '-' is "
          "stdin) or key=@@TEXT (a text that begins with '@').",
      .examples = { { "call everything.get-sum a=2 b=40", "call a tool with two arguments" },
                    { "call files.write_file path=notes.txt content=@-", "pass the text on stdin" },
                    { "call everything.echo --args '{\"message\":\"hi\"}' -o json",
                      "pass JSON, and print the whole result as JSON" } } },
    { "serve", "", "serve all configured servers as one MCP endpoint", 0, 0, true, mcti_cmd_serve,
      .group = MCT_GROUP_START,
      .more = "The endpoint is http://127.0.0.1:8931/mcp. Each server is also at /mcp/NAME, alone.",
      .examples = { { "serve", "serve over HTTP on the usual address" },
                    { "serve --stdio --server git --server files",
                      "serve two servers to the client that starts mcptools" },
                    { "serve --http 127.0.0.1:9000 --read-only",
                      "choose the port, and refuse tools that change something" } } },

    { "resources", "[SERVER]", "list resources", 0, 1, false, mcti_cmd_resources, .group = MCT_GROUP_USE,
      .examples = { { "resources", "list the resources of all servers" },
                    { "resources files -o json", "list those of one server as JSON" } } },
    { "templates", "[SERVER]", "list resource templates", 0, 1, false, mcti_cmd_templates, .group = MCT_GROUP_USE,
      .examples = { { "templates", "list the templates of all servers" },
                    { "templates everything", "list those of one server" } } },
    { "read", "[SERVER] URI", "read a resource", 1, 2, false, mcti_cmd_read, .group = MCT_GROUP_USE,
      .more = "Without SERVER, the server that has the resource is found. Binary resources are written as their bytes.",
      .examples = { { "read demo://resource/dynamic/text/1", "print a resource" },
                    { "read everything demo://resource/dynamic/blob/1 >out.bin",
                      "save a binary resource of one server" } } },
    { "prompts", "[SERVER]", "list prompts", 0, 1, false, mcti_cmd_prompts, .group = MCT_GROUP_USE,
      .examples = { { "prompts", "list the prompts of all servers" },
                    { "prompts everything", "list those of one server" } } },
    { "prompt", "SERVER.PROMPT [ARGUMENT]...", "get a prompt", 1, -1, false, mcti_cmd_prompt, .group = MCT_GROUP_USE,
      .examples = { { "prompt everything.args-prompt city=Paris", "print a prompt with one argument" },
                    { "prompt everything.simple-prompt -o json", "print its messages as JSON" } } },
    { "tasks",
      "list\n"
      "get TASK\n"
      "wait TASK\n"
      "cancel TASK",
      "show, await and cancel tasks that 'call --task' has started", 1, 2, false, mcti_cmd_tasks,
      .group = MCT_GROUP_USE,
      .more = "TASK is the number that 'call --task' prints, or an id. 'tasks wait' prints the result of the tool; the "
              "exit status is that of 'call', and 6 if the time of --timeout is over. Ctrl-C ends the waiting, not the "
              "task.",
      .examples = { { "tasks list", "list the tasks and their last known states" },
                    { "tasks wait 3", "wait for a task and print its result" },
                    { "tasks cancel 3", "ask the server to end a task" } } },
    { "skills",
      "list [SERVER]\n"
      "show [SERVER] URI\n"
      "load [SERVER] URI\n"
      "read [SERVER] URI\n"
      "verify [SERVER]\n"
      "sync FOLDER [SERVER]\n"
      "diff FOLDER [SERVER]",
      "list, read and verify skills, and keep copies of them", 1, 3, false, mcti_cmd_skills, .group = MCT_GROUP_USE,
      .more = "'load' prints the instructions of a skill, 'read' one of its files; both only if size, digest and "
              "frontmatter are those of its entry. 'sync' copies all files to FOLDER/SERVER. The exit status is 5 if a "
              "file cannot be verified, or if 'diff' finds differences.",
      .examples = { { "skills list", "list the skills of all servers" },
                    { "skills load skill://git-workflow/SKILL.md", "print the instructions of one" },
                    { "skills sync ./skills", "copy all skills to a folder" } } },
    { "watch", "[SERVER]", "print notifications as they arrive", 0, 1, false, mcti_cmd_watch, .group = MCT_GROUP_USE,
      .more = "Ctrl-C ends the command.",
      .examples = { { "watch", "print the notifications of all servers" },
                    { "watch everything --subscribe demo://resource/dynamic/text/1",
                      "also print updates of a resource" } } },
    { "agent",
      "list [SERVER]\n"
      "read URI\n"
      "install [FOLDER]",
      "list or read resources, printed as one compact block; install the sub-agent that does so", 0, 2, false,
      mcti_cmd_agent, mcti_cmd_agent_put_failure, .group = MCT_GROUP_USE,
      .examples = { { "agent list", "list the resources of all servers" },
                    { "agent read demo://resource/dynamic/text/1 --format raw", "print the content alone" },
                    { "agent install --lang en", "install the sub-agent for Claude Code into this project" } } },

    { "config",
      "list\n"
      "get SERVER|KEY\n"
      "set KEY VALUE...\n"
      "unset KEY\n"
      "add NAME URL\n"
      "add NAME -- COMMAND [ARG]...\n"
      "remove|enable|disable SERVER...\n"
      "check\n"
      "import [FILE|CLIENT]...",
      "show, change and check the configuration, or import servers", 1, -1, false, mcti_cmd_config,
      .group = MCT_GROUP_MANAGE,
      .more = "A KEY is a setting, such as serve.http, or a key of a server: SERVER.timeout. Comments and the order of "
              "the file are kept.",
      .examples = { { "config add files -- npx -y @modelcontextprotocol/server-filesystem .", "add a server" },
                    { "config set files.timeout 30", "change a key of a server" },
                    { "config check", "check the configuration for mistakes" },
                    { "config import --all --dry-run", "show which servers of other programs would be imported" } } },
    { "search", "WORD...", "find servers in a registry", 1, -1, false, mcti_cmd_search, .group = MCT_GROUP_MANAGE,
      .more = "Each server is shown with its newest version and how it can be run: npm, pypi, nuget, oci (a container "
              "image), mcpb (a bundle) or remote (a URL).",
      .examples = { { "search github", "find servers for GitHub" },
                    { "search file system -o json", "print the servers that match both words as JSON" } } },
    { "add",
      "NAME[@VERSION]\n"
      "WORD...\n"
      "URL\n"
      "FILE.mcpb|FILE.json\n"
      "-- COMMAND [ARG]...",
      "add a server from a registry, a bundle, a URL or a command", 0, -1, false, mcti_cmd_add,
      .group = MCT_GROUP_MANAGE,
      .more = "What will run is shown first. The server is tried, and then written into the configuration. On a "
              "terminal, missing values are asked for; WORD searches the registry for a choice. FILE.mcpb is a bundle, "
              "FILE.json a server.json.",
      .examples = { { "add io.github.github/github-mcp-server", "add GitHub's server from the registry" },
                    { "add https://example.com/mcp", "add the server at a URL" },
                    { "add -- npx -y @modelcontextprotocol/server-everything", "add a command" } } },
    { "install", "[CLIENT]...", "put mcptools into the configuration of client programs", 0, -1, false,
      mcti_cmd_install, .group = MCT_GROUP_MANAGE,
      .more =
          "The change is shown first, and `uninstall` undoes it. Without CLIENT, lists the programs on this machine: "
          "cursor, claude-code, claude-desktop, vscode, codex, gemini and others.",
      .examples = { { "install", "list the client programs on this machine" },
                    { "install cursor codex", "let Cursor and Codex use mcptools" },
                    { "install claude-code --take-over", "also move its servers into mcptools.json" } } },
    { "uninstall", "CLIENT...", "take mcptools out of the configuration of client programs", 1, -1, false,
      mcti_cmd_uninstall, .group = MCT_GROUP_MANAGE,
      .more = "A file that nothing else has changed becomes what it was, byte for byte.",
      .examples = { { "uninstall cursor", "undo the installation" },
                    { "uninstall codex --dry-run", "show what would change" } } },
    { "inventory", "", "list every MCP entry of every client program on this machine", 0, 0, false, mcti_cmd_inventory,
      .group = MCT_GROUP_MANAGE,
      .more = "Shows which entries lead through mcptools, and which servers several programs have.",
      .examples = { { "inventory", "list the entries of the user and of this project" },
                    { "inventory -o json", "print them as JSON" } } },
    { "trust", "[FILE|FOLDER]...", "trust configuration files of a project, which could start any program", 0, -1,
      false, mcti_cmd_trust, .group = MCT_GROUP_MANAGE,
      .more =
          "A file that was found in the working directory has no effect before it is trusted, and again after it has "
          "changed. What it would start is shown first. Without FILE or FOLDER, the files of the working directory "
          "are meant. Files of the user and those named with --config need no trust.",
      .examples = { { "trust", "show and trust the files of the working directory" },
                    { "trust .mcp.json --yes", "trust one file, in a script" },
                    { "trust --list", "list the files that are trusted" },
                    { "trust --revoke .mcp.json", "trust a file no longer" } } },
    { "login", "SERVER|URL", "log in to a server", 1, 1, false, mcti_cmd_login, .group = MCT_GROUP_MANAGE,
      .examples = { { "login github", "log in with the browser" },
                    { "login github --device", "log in on a machine without a browser" } } },
    { "logout", "SERVER|URL", "revoke and forget the login of a server", 1, 1, false, mcti_cmd_logout,
      .group = MCT_GROUP_MANAGE,
      .examples = { { "logout github", "revoke and forget the login" },
                    { "logout github --all", "also forget the registrations of this client" } } },
    { "auth",
      "status [SERVER]\n"
      "token SERVER\n"
      "refresh SERVER",
      "show the logins, print the access token of one, or renew it", 1, 2, false, mcti_cmd_auth,
      .group = MCT_GROUP_MANAGE,
      .examples = { { "auth status", "show the logins and when they expire" },
                    { "auth token github | other-program", "give an access token to another program" } } },

    { "daemon",
      "start\n"
      "stop\n"
      "status",
      "keep the servers running in the background, for commands", 1, 1, false, mcti_cmd_daemon,
      .group = MCT_GROUP_MANAGE,
      .more = "Commands use the servers of a gateway that runs with the same configuration; they then answer within "
              "milliseconds. 'serve' does the same in the foreground.",
      .examples = { { "daemon start", "start the servers in the background" },
                    { "daemon start --idle 3600", "end after an hour without a call" },
                    { "daemon stop", "end the gateway and its servers" } } },
    { "pin", "[SERVER]...", "record what servers say, so that changes are noticed", 0, -1, false, mcti_cmd_pin,
      .group = MCT_GROUP_MANAGE,
      .more = "What a pinned server says differently later is quarantined until it is approved. The pins are in "
              "mcptools.pins.json beside the configuration file.",
      .examples = { { "pin", "pin all servers" },
                    { "pin files", "pin one server" },
                    { "pin files --force", "pin it again, whatever has changed" } } },
    { "diff", "[SERVER[.TOOL]]...", "show what differs between pins and servers", 0, -1, false, mcti_cmd_diff,
      .group = MCT_GROUP_MANAGE, .more = "The exit status is 0 if nothing differs, and 5 if something does.",
      .examples = { { "diff", "compare all servers" }, { "diff files.read", "compare one tool" } } },
    { "approve", "[SERVER[.TOOL]]...", "renew the pins of what has changed, after a look", 0, -1, false,
      mcti_cmd_approve, .group = MCT_GROUP_MANAGE,
      .more = "The differences are shown before the question. A gateway that runs notices the new pins by itself.",
      .examples = { { "approve files.read", "approve one tool" },
                    { "approve files --yes", "approve everything that one server says, without a question" } } },
    { "unpin", "SERVER...", "remove the pins of a server", 1, -1, false, mcti_cmd_unpin, .group = MCT_GROUP_MANAGE,
      .more = "What the server says is no longer compared with anything. The server is not started.",
      .examples = { { "unpin files", "forget what one server said" },
                    { "unpin files mail", "forget what two servers said" } } },
    { "status", "[SERVER]", "show the state of each server and the reason if it is down", 0, 1, false, mcti_cmd_status,
      .group = MCT_GROUP_DIAGNOSE,
      .more =
          "While a gateway runs with the same configuration, its servers, clients and calls are shown. Otherwise the "
          "servers are started for this command.",
      .examples = { { "status", "show the state of all servers" },
                    { "status files", "show one server at length, with its last lines on stderr" } } },
    { "logs", "SERVER", "show what a server wrote to stderr, and its changes of state", 1, 1, false, mcti_cmd_logs,
      .group = MCT_GROUP_DIAGNOSE,
      .more = "The lines are those of the running gateway. Without one, the server is started, and its lines are "
              "printed until it is connected or has failed.",
      .examples = { { "logs files", "show the last lines" }, { "logs files --follow", "go on as lines come" } } },
    { "restart", "SERVER", "restart one server of the running gateway", 1, 1, false, mcti_cmd_restart,
      .group = MCT_GROUP_DIAGNOSE,
      .more = "The command waits until the server is connected again. Calls under way at this server fail.",
      .examples = { { "restart files", "restart one server" },
                    { "restart files --timeout 120", "wait longer for a server that starts slowly" } } },

    { "doctor", "", "check the configuration and this machine", 0, 0, false, mcti_cmd_doctor,
      .group = MCT_GROUP_DIAGNOSE,
      .more =
          "Each line is ok, a warning or an error, and says what to do. No server is started without --servers. The "
          "exit status is 2 if the configuration has errors, and 8 after other errors.",
      .examples = { { "doctor", "check everything but the servers themselves" },
                    { "doctor --servers -o json", "also start all servers, and print JSON" } } },

    { "tools", "", "list the tools that clients of the gateway see, or their size", 0, 0, false, mcti_cmd_tools,
      .group = MCT_GROUP_MODEL,
      .examples = { { "tools", "list the names that clients see" },
                    { "tools --for openai -o json", "print the \"tools\" member of a request to a model provider" },
                    { "tools --explain files.write_file", "show how the policy decides about a tool" } } },
    { "scan", "[SERVER]...", "look for hostile text in what servers say to models", 0, -1, false, mcti_cmd_scan,
      .group = MCT_GROUP_DIAGNOSE,
      .more = "Descriptions, schemas, annotations, prompts, resources, instructions and names are searched offline by "
              "fixed rules. A hard finding has no place there; a soft one is for a person to judge. The exit status is "
              "5 if there are hard findings.",
      .examples = { { "scan", "scan all servers, and compare them with each other" },
                    { "scan --file tools.json", "scan a saved list of tools" },
                    { "scan --rules", "print what is searched for" } } },
    { "schema", "--for PROFILE [FILE|-]", "convert a JSON Schema to the form that a model provider accepts", 0, 1,
      false, mcti_cmd_schema, .group = MCT_GROUP_MODEL,
      .examples = { { "schema --for gemini schema.json", "convert a file" },
                    { "schema --for openai-strict <schema.json", "convert stdin" } } },

    { "completion", "bash|zsh|fish", "print the script that completes command lines in a shell", 1, 1, false,
      mcti_cmd_completion, .group = MCT_GROUP_SHELL,
      .more =
          "Packages and 'make install' install the scripts; this command is for other installations. Servers, tools "
          "and their arguments are completed, too, and no server is started for that.",
      .examples = { { "completion bash >~/.local/share/bash-completion/completions/mcptools", "install it for bash" },
                    { "completion zsh >~/.zfunc/_mcptools", "install it for zsh, in a folder of $fpath" },
                    { "completion fish >~/.config/fish/completions/mcptools.fish", "install it for fish" } } },
    { 0 },
};
