"""A server over stdio all of whose texts try to steer the terminal. Standard library only."""

import json
import sys

EVIL = "pwn\x1b]0;title\x07\x1b[2J\x1b[8m\x9b2J\x9d0;x\x9c\u202etxet\u2066a\u2069\u200e\u200f\u061c\x7f\x08\rover end"
TEXT = EVIL + "\x00\x1b[2J"  # names with U+0000 are refused before
SCHEMA = {"type": "object", "properties": {EVIL: {"type": "string", "description": EVIL, "enum": [EVIL, "b"]}}}
LISTS = {
    "tools/list": {"tools": [
        {"name": "t" + EVIL, "title": EVIL, "description": EVIL, "inputSchema": SCHEMA},
        {"name": "plain", "description": EVIL, "inputSchema": {"type": "object"}},
        {"name": "fails", "inputSchema": {"type": "object"}}, {"name": "refuses", "inputSchema": {"type": "object"}},
        {"name": "asks", "inputSchema": {"type": "object"}},
        {"name": "structured", "inputSchema": {"type": "object"}, "outputSchema": {
            "type": "object", "properties": {"a": {"type": "string", "enum": [EVIL]}}, "required": [EVIL]}}]},
    "resources/list": {"resources": [{"uri": "x://" + EVIL, "name": EVIL, "title": EVIL, "mimeType": EVIL,
                                      "description": EVIL}]},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "x://{+a}" + EVIL, "name": EVIL, "title": EVIL,
                                                        "mimeType": EVIL}]},
    "prompts/list": {"prompts": [{"name": "p" + EVIL, "title": EVIL, "arguments": [{"name": EVIL, "required": True}]},
                                 {"name": "plain", "description": EVIL}]},
    "resources/read": {"contents": [{"uri": "x://a", "mimeType": EVIL, "text": TEXT}, {"uri": "x://b", "blob": "G10wO3gHm5s="}]},
    "prompts/get": {"description": EVIL, "messages": [{"role": "user", "content": {"type": "text", "text": TEXT}}]},
}
QUESTION = {"message": EVIL, "requestedSchema": {"type": "object", "required": ["a"], "properties": {
    "a": {"type": "string", "title": EVIL, "description": EVIL, "format": EVIL, "default": EVIL},
    "b": {"type": "string", "enum": [EVIL, "b"]}}}}


def say(message):
    """With C1 and bidirectional controls as they are: JSON needs no escapes for them."""
    sys.stdout.buffer.write((json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n").encode())
    sys.stdout.flush()


def call(request):
    name, meta = request["params"]["name"], request["params"].get("_meta", {})
    say({"method": "notifications/message", "params": {"level": "error", "logger": EVIL, "data": EVIL}})
    if "progressToken" in meta:
        say({"method": "notifications/progress", "params": {"progressToken": meta["progressToken"], "progress": 1,
                                                            "total": 2, "message": EVIL}})
    if name == "refuses":
        say({"id": request["id"], "error": {"code": -32000, "message": EVIL, "data": EVIL}})
    elif name == "asks":
        say({"id": "q", "method": "elicitation/create", "params": QUESTION})
        answer = json.loads(sys.stdin.readline())
        say({"id": request["id"], "result": {"content": [{"type": "text", "text": EVIL + json.dumps(answer["result"])}]}})
    else:
        say({"id": request["id"], "result": {"content": [{"type": "text", "text": TEXT}], "isError": name == "fails",
                                             "structuredContent": {"a": EVIL}}})


def main():
    sys.stderr.buffer.write((EVIL + "\n").encode() + b"\x9b2J\x1b]0;x\x07\n")
    sys.stderr.flush()
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "initialize" and "--refuse" in sys.argv:
            say({"id": request["id"], "error": {"code": -32602, "message": EVIL}})
        elif method == "initialize":
            say({"id": request["id"], "result": {
                "protocolVersion": "2025-06-18", "instructions": EVIL, "serverInfo": {"name": EVIL, "version": EVIL},
                "capabilities": {"tools": {"listChanged": True}, "resources": {}, "prompts": {}, "logging": {}}}})
        elif method == "logging/setLevel":
            say({"id": request["id"], "result": {}})
            say({"method": "notifications/message", "params": {"level": "error", "logger": EVIL, "data": EVIL}})
        elif method == "tools/call":
            call(request)
        elif method in LISTS:
            say({"id": request["id"], "result": LISTS[method]})
        elif "id" in request and method:
            say({"id": request["id"], "error": {"code": -32601, "message": EVIL}})


if __name__ == "__main__":
    main()
