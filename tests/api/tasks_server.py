"""A 2026-07-28 server over stdio that makes a task of each call, if its client declares that it follows tasks. The tool
`asks` asks a question in its task; the tool `stays` never ends by itself. With the argument 2025-11-25 it has the tasks of
that revision, and its tool `slow` needs one."""

import json
import sys

TASKS = "io.modelcontextprotocol/tasks"
FORM = {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}}
tasks = {}


def state(task):
    asked = {"inputRequests": {"who": FORM}} if task["status"] == "input_required" else {}
    done = {"result": {"content": [{"type": "text", "text": "of " + task["tool"]}]}} if task["status"] == "completed" else {}
    return {"taskId": task["id"], "status": task["status"], "createdAt": "2026-11-28T00:00:00Z",
            "lastUpdatedAt": "2026-11-28T00:00:00Z", "ttlMs": None, "pollIntervalMs": 50, **asked, **done}


def call(params):
    client = params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    if TASKS not in client.get("extensions", {}):
        return {"content": [{"type": "text", "text": "at once"}]}
    task = {"id": f"T{len(tasks)}", "tool": params["name"], "status": "working", "reads": 0}
    tasks[task["id"]] = task
    return {"resultType": "task", **state(task)}


def get(params):
    task = tasks[params["taskId"]]
    task["reads"] += 1
    if task["status"] == "working" and task["tool"] != "stays" and task["reads"] > 1:
        task["status"] = "input_required" if task["tool"] == "asks" else "completed"
    return state(task)


def update(params):
    tasks[params["taskId"]]["status"] = "completed"
    return {}


def cancel(params):
    tasks[params["taskId"]]["status"] = "cancelled"
    return {}


METHODS = {
    "server/discover": lambda _: {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}, "extensions": {TASKS: {}}}},
    "tools/list": lambda _: {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("slow", "asks", "stays")],
                             "ttlMs": 0, "cacheScope": "private"},
    "tools/call": call, "tasks/get": get, "tasks/update": update, "tasks/cancel": cancel,
}

OLD = {"taskId": "O", "status": "working", "createdAt": "2026-11-28T00:00:00Z", "lastUpdatedAt": "2026-11-28T00:00:00Z", "ttl": 60000}


def old_call(params):
    if "task" not in params:
        raise KeyError("task")
    return {"task": OLD}


OLD_METHODS = {
    "initialize": lambda _: {"protocolVersion": "2025-11-25", "serverInfo": {"name": "old", "version": "1"},
                             "capabilities": {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}},
    "tools/list": lambda _: {"tools": [{"name": "slow", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}]},
    "tools/call": old_call,
    "tasks/result": lambda params: {"content": [{"type": "text", "text": "of " + params["taskId"]}],
                                    "_meta": {"io.modelcontextprotocol/related-task": params}},
}
is_old = sys.argv[1:] == ["2025-11-25"]
methods = OLD_METHODS if is_old else METHODS

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    said = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        result = methods[message["method"]](message.get("params", {}))
        said["result"] = result if is_old else {"resultType": "complete", **result}
    except KeyError:
        said["error"] = {"code": -32602 if message["method"] in methods else -32601, "message": "?"}
    print(json.dumps(said), flush=True)
