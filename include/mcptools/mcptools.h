/* libmcptools: MCP servers, tools in C, plugins and OpenClaw plugins as one array of tools. See libmcptools(3). */
#ifndef MCPTOOLS_MCPTOOLS_H
#define MCPTOOLS_MCPTOOLS_H

#include <mcptools/api.h>
#include <mcptools/error.h>
#include <mcptools/hook.h>
#include <mcptools/lists.h>
#include <mcptools/log.h>
#include <mcptools/provider.h>
#include <mcptools/question.h>
#include <mcptools/instance.h>
#include <mcptools/request.h>
#include <mcptools/serve.h>
#include <mcptools/tool.h>

#endif
