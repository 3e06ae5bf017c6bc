"""A server with extensions, over stdio: it answers every method by repeating it, sends a notification of its own with each
call, and remembers what it was told. usage: extension_server.py legacy|2026-07-28 CAPABILITIES [TOOLS]"""

import json
import sys

ERA, CAPABILITIES = sys.argv[1], json.loads(sys.argv[2])
INFO = {"name": "own", "version": "7", "title": "Own", "websiteUrl": "https://own.example", "icons": [{"src": "https://own.example/i.png"}]}
TOOLS = (json.loads(sys.argv[3]) if sys.argv[3:]
         else [{"name": "t", "inputSchema": {"type": "object"}}, {"name": "u", "inputSchema": {"type": "object"}}])
told, notifications = None, []


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def result_of(method, params):
    if method == "initialize" and ERA == "legacy":
        return {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": INFO}
    if method == "server/discover" and ERA != "legacy":
        return {"supportedVersions": [ERA], "capabilities": CAPABILITIES, "resultType": "complete",
                "_meta": {"io.modelcontextprotocol/serverInfo": INFO}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        say({"method": "com.example/pulse", "params": {"of": params["name"]}})
        return {"content": [], "structuredContent": {"told": told if told is not None else params["_meta"].get("io.modelcontextprotocol/clientCapabilities")}}
    if "/" in method and not method.startswith(("server/", "subscriptions/")):
        return {"method": method, "params": params, "notifications": notifications}
    return None


for line in sys.stdin:
    message = json.loads(line)
    name, given = message.get("method"), message.get("params", {})
    if "id" not in message:
        notifications.append(name)
        continue
    if name == "initialize":
        told = given["capabilities"]
    result = result_of(name, given)
    if result is None:
        say({"id": message["id"], "error": {"code": -32601, "message": f"no {name}"}})
    else:
        say({"id": message["id"], "result": {"resultType": "complete", **result} if ERA != "legacy" else result})
