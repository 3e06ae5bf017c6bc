"""A real server that says what a file says, and its pins."""

import json
import sys

from harness import run, write_config

SERVER = r"""
import json, sys
state = sys.argv[1]
def said():
    return json.load(open(state))
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    now = said()
    method = m["method"]
    if method == "initialize":
        result = {"protocolVersion": m["params"]["protocolVersion"], "serverInfo": {"name": "s", "version": "1"},
                  "capabilities": {kind: {"listChanged": True} for kind in ("tools", "prompts", "resources")},
                  "instructions": now["instructions"]}
    elif method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
        key = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}.get(method, "resourceTemplates")
        result = {key: now.get(key, [])}
    elif method == "tools/call":
        if m["params"]["name"] == "poke":
            for kind in ("tools", "prompts", "resources"):
                print(json.dumps({"jsonrpc": "2.0", "method": f"notifications/{kind}/list_changed"}), flush=True)
        result = {"content": [{"type": "text", "text": "ok"}]}
    elif method == "resources/read":
        result = {"contents": [{"uri": m["params"]["uri"], "text": "secret"}]}
    elif method == "prompts/get":
        result = {"messages": []}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "?"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""

SAID = {"instructions": "Be kind.",
        "tools": [{"name": "poke", "inputSchema": {"type": "object"}},
                  {"name": "send", "description": "Sends mail.",
                   "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}, "n": {"type": "number"}}}}],
        "prompts": [{"name": "write", "description": "Writes."}],
        "resources": [{"uri": "x://a", "name": "a"}],
        "resourceTemplates": [{"uriTemplate": "y://{a}", "name": "t", "description": "Notes."}]}


class World:
    def __init__(self, folder, settings=None):
        self.folder = folder
        script = folder / "server.py"
        script.write_text(SERVER)
        self.state = folder / "state.json"
        self.say(SAID)
        self.config = write_config(folder, {"s": {"command": sys.executable, "args": [str(script), str(self.state)]}},
                                   settings)
        self.pins = self.config.parent / "mcptools.pins.json"

    def say(self, said):
        fresh = self.state.with_suffix(".new")
        fresh.write_text(json.dumps(said))
        fresh.replace(self.state)

    def run(self, *words, **more):
        return run(self.folder, *words, "--config", self.config, **more)


def changed(**parts):
    said = json.loads(json.dumps(SAID))
    said["tools"][1].update(parts)
    return said
