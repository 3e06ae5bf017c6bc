"""An MCP server over stdio whose tools ask, report progress, wait and end: the peer of test_control.py.

Usage: control_server.py LOG. Notes the start, cancellations and the roots in the file LOG."""

import json
import os
import sys

LOG = sys.argv[1]
PENDING = {}  # id of our question: what to do with the answer


def note(text):
    with open(LOG, "a", encoding="utf-8") as f:
        f.write(text + "\n")


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def say(id, text):
    send({"id": id, "result": {"content": [{"type": "text", "text": text}]}})


def ask(id, method, params):
    number = 1000 + len(PENDING)
    PENDING[number] = lambda message: say(id, json.dumps(message.get("result", message.get("error")), sort_keys=True))
    send({"id": number, "method": method, "params": params})


def progress(params, id):
    token = params["_meta"]["progressToken"]
    for n in (1, 2):
        send({"method": "notifications/progress",
              "params": {"progressToken": token, "progress": n, "total": 2, "message": f"step {n}"}})
    say(id, "done")


def call(params, id):
    name = params["name"]
    if name == "ask":
        ask(id, "elicitation/create", {"message": "Which colour?", "requestedSchema": {
            "type": "object", "properties": {"colour": {"type": "string", "default": "blue"}}}})
    elif name == "sample":
        ask(id, "sampling/createMessage", {"maxTokens": 5, "messages": [
            {"role": "user", "content": {"type": "text", "text": "hello"}}]})
    elif name == "roots":
        ask(id, "roots/list", {})
    elif name == "progress":
        progress(params, id)
    elif name == "die":
        sys.stderr.write("the last words\n")
        sys.stderr.flush()
        os._exit(3)
    elif name == "pid":
        say(id, str(os.getpid()))
    elif name == "log":
        send({"method": "notifications/message", "params": {"level": "info", "data": "a log message"}})
        say(id, "logged")
    elif name == "grow":
        TOOLS.append(f"grown{len(TOOLS)}")
        send({"method": "notifications/tools/list_changed"})
        say(id, "grown")
    elif name == "wait":
        note("waiting")  # no answer
    else:
        send({"id": id, "error": {"code": -32602, "message": "no such tool"}})


TOOLS = ["ask", "sample", "roots", "progress", "die", "pid", "log", "wait", "grow"]


def handle(message):
    method, params, id = message.get("method"), message.get("params", {}), message.get("id")
    if method == "initialize":
        send({"id": id, "result": {
            "protocolVersion": "2025-11-25", "serverInfo": {"name": "control", "version": "1"},
            "capabilities": {"tools": {"listChanged": True}, "resources": {}, "logging": {}}}})
    elif method == "tools/list":
        send({"id": id, "result": {"tools": [{"name": t, "inputSchema": {"type": "object"}} for t in TOOLS]}})
    elif method == "resources/list":
        send({"id": id, "result": {"resources": [{"uri": "control://one", "name": "one"}]}})
    elif method == "resources/templates/list":
        send({"id": id, "result": {"resourceTemplates": []}})
    elif method == "resources/read":
        send({"id": id, "result": {"contents": [{"uri": params["uri"], "text": f"read by {os.getpid()}"}]}})
    elif method == "tools/call":
        call(params, id)
    elif method == "notifications/cancelled":
        note("cancelled")
    elif method in ("ping", "logging/setLevel"):
        send({"id": id, "result": {}})
    elif id is not None and method:
        send({"id": id, "error": {"code": -32601, "message": "no such method"}})
    elif id in PENDING:
        PENDING.pop(id)(message)


note("started")
sys.stderr.write("control_server is ready\n")
sys.stderr.flush()
for line in sys.stdin:
    handle(json.loads(line))
