/*
 * MCP servers, tools in C, plugins and OpenClaw plugins as one array of tools.
 *
 * An instance holds the servers of a configuration (the one that mcptools(1) reads, with its policy, hooks
 * and limits) and the tools, resources and prompts of the program. All tools are one array, listed with
 * mct_instance_tools() and called by name with mct_instance_call(). An instance can also be served to MCP
 * clients, over HTTP or on stdin and stdout.
 *
 * `pkg-config --cflags --libs mcptools` prints the flags with which a program is built.
 *
 * Errors are returned through `err`, the last parameter: see <mcptools/error.h>. A request that fails has an
 * error; a tool that fails has a result with mct_request_is_error().
 *
 * The library starts no threads (libcurl may use one to resolve names), writes no output, installs no signal
 * handlers and changes no environment variables. An instance belongs to one thread at a time. Only
 * mct_cancel_fire() and mct_instance_stop() may be called by other threads and by signal handlers. The
 * processes of servers end with the instance, and a small helper process ends them if the program is killed.
 *
 * docs/LIBRARY.md is the guide; examples/ has an agent, an asynchronous client, a login, two servers and a plugin.
 */
#ifndef MCPTOOLS_MCPTOOLS_H
#define MCPTOOLS_MCPTOOLS_H

#include <mcptools/auth.h>
#include <mcptools/client.h>
#include <mcptools/common.h>
#include <mcptools/error.h>
#include <mcptools/hook.h>
#include <mcptools/lists.h>
#include <mcptools/log.h>
#include <mcptools/model.h>
#include <mcptools/question.h>
#include <mcptools/instance.h>
#include <mcptools/json.h>
#include <mcptools/provide.h>
#include <mcptools/request.h>
#include <mcptools/serve.h>
#include <mcptools/servers.h>
#include <mcptools/skill.h>
#include <mcptools/task.h>
#include <mcptools/tool.h>
#include <mcptools/watch.h>

#endif
