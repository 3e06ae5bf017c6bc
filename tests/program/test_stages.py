"""Each stage of a call, on each way in: a call that this stage refuses, or that shows it was passed.

STAGE_NAMES prints the table of stages. A stage without a row in STAGES here fails the test."""

import json
import os
import pathlib
import subprocess
import sys

import harness
from harness import PATIENCE_S, Session, answer, environment, gateway, main, run, server, stateless, test, until, write_config

STAGE_NAMES = os.environ["STAGE_NAMES"]
API_CALL = os.environ["API_CALL"]
MORE_MCPTOOLS = os.environ["MORE_MCPTOOLS"]
MORE_API_CALL = os.environ["MORE_API_CALL"]

WRITE = json.dumps({"name": "write", "inputSchema": {"type": "object"}})
OWN = json.dumps({"name": "own", "inputSchema": {"type": "object"}, "_meta": {"openclaw/ownerOnly": True}})
SPACE = json.dumps({"name": "space", "inputSchema": {"type": "object", "properties": {"x y": {"type": "integer"}}}})
OWNER_TEXT = "Tool restricted to owner senders."

# A 2026-07-28 server whose tool asks its client before it answers.
ASKS = r"""
import json, sys
ask = {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}}
answers = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
    "tools/list": {"tools": [{"name": "tool0", "inputSchema": {"type": "object"}}], "ttlMs": 0, "cacheScope": "private"},
    "tools/call": {"resultType": "input_required", "inputRequests": {"who": ask}, "requestState": "s"},
}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        said = {"jsonrpc": "2.0", "id": message["id"]}
        result = answers.get(message["method"])
        said.update({"result": {"resultType": "complete", **result}} if result else {"error": {"code": -32601, "message": "?"}})
        print(json.dumps(said), flush=True)
"""

# A 2026-07-28 server that makes a task of each call, if the caller declares that it follows tasks.
MAKES_TASKS = r"""
import json, sys
TASKS = "io.modelcontextprotocol/tasks"
task = {"taskId": "T", "status": "working", "createdAt": "2026-11-28T00:00:00Z", "lastUpdatedAt": "2026-11-28T00:00:00Z",
        "ttlMs": 60000, "pollIntervalMs": 50}
text = lambda said: {"content": [{"type": "text", "text": said}]}
answers = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}, "extensions": {TASKS: {}}}},
    "tools/list": {"tools": [{"name": "tool0", "inputSchema": {"type": "object"}}], "ttlMs": 0, "cacheScope": "private"},
    "tasks/get": {**task, "status": "completed", "result": text("from a task")},
}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        said = {"jsonrpc": "2.0", "id": message["id"]}
        client = message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
        answers["tools/call"] = {"resultType": "task", **task} if TASKS in client.get("extensions", {}) else text("at once")
        result = answers.get(message["method"])
        said.update({"result": {"resultType": "complete", **result}} if result else {"error": {"code": -32601, "message": "?"}})
        print(json.dumps(said), flush=True)
"""


class Case:
    """One call on one way: what is configured, and what is called."""

    def __init__(self, folder, way, settings=None, tool="s.tool0", arguments=None, tool_json=WRITE, script=None):
        self.folder, self.way, self.tool, self.arguments = folder, way, tool, arguments or {}
        self.heard, self.events, self.guest = folder / "heard", folder / "events", "owner" in str(settings)
        (folder / "server.py").write_text(script or "")
        command = {"command": sys.executable, "args": [str(folder / "server.py")]} if script else server(
            "--tools", 1, "--tool-json", tool_json, "--record", self.heard)
        self.env = {}
        if way == "plugin-host":
            command = self._host(command)
        self.config = write_config(folder, {"s": command}, settings)
        self.search = (settings or {}).get("serve", {}).get("mode") == "search"

    def _host(self, command):
        """A host of plugins: `node` is a script that runs the server."""
        node = self.folder / "node"
        words = " ".join(f"'{word}'" for word in [command["command"], *command["args"]])
        node.write_text(f"#!/bin/sh\nexec {words}\n")
        node.chmod(0o755)
        (self.folder / "host.mjs").write_text("")
        (self.folder / "plugin").mkdir()
        self.env = {"MCPTOOLS_OPENCLAW_HOST": str(self.folder / "host.mjs"), "PATH": f"{self.folder}:{os.environ['PATH']}"}
        return {"type": "openclaw", "plugins": [str(self.folder / "plugin")]}

    def bare(self):
        """The name in the array of a single server."""
        return self.tool.removeprefix("s.")

    def names_heard(self):
        lines = [json.loads(line) for line in self.heard.read_text().splitlines()]
        return [m["params"]["name"] for m in lines if m.get("method") == "tools/call"]


def text_of(message):
    """What the answer says: the error, the text of the result, or the type of one that is none yet."""
    if "error" in message:
        return message["error"]["message"]
    result = message["result"]
    return result["content"][0]["text"] if "content" in result else result["resultType"]


# ---- the ways in ----

def over_http(case, call):
    headers = {"Authorization": "Bearer guest"} if case.guest else {}
    with gateway(case.folder, "--config", case.config, "--events", case.events, env=case.env) as g:
        until(lambda: g.request("GET", "/readyz", None, headers)[0] == 200, "ready")
        return text_of(answer(call(g, headers)))


def http_2025(case):
    wish = {"name": case.tool, "arguments": case.arguments}
    return over_http(case, lambda g, headers: Session(g, headers=headers).post("tools/call", wish)[2])


def http_2026(case):
    def call(g, headers):
        body, own = stateless("tools/call", {"name": case.tool, "arguments": case.arguments})
        return g.request("POST", "/mcp", body, {**own, **headers})[2]
    return over_http(case, call)


def http_2026_with_tasks(case):
    """The client makes the call, and reads the task that it has become."""
    meta = {"io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}

    def call(g, headers):
        def request(method, params):
            body, own = stateless(method, {**params, "_meta": meta})
            return answer(g.request("POST", "/mcp", body, {**own, **headers})[2])["result"]
        created = request("tools/call", {"name": case.tool, "arguments": case.arguments})
        assert created["resultType"] == "task" and created["taskId"] != "T", created
        state = request("tasks/get", {"taskId": created["taskId"]})
        assert state["taskId"] == created["taskId"] and state["resultType"] == "complete", state
        return json.dumps({"jsonrpc": "2.0", "id": 1, "result": state["result"]}).encode()
    return over_http(case, call)


def stdio(case):
    asked = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                          "clientInfo": {"name": "t", "version": "1"}}},
             {"method": "notifications/initialized"},
             {"id": 2, "method": "tools/call", "params": {"name": case.tool, "arguments": case.arguments}}]
    done = run(case.folder, "serve", "--stdio", "--config", case.config, "--events", case.events, env=case.env,
               stdin="".join(json.dumps({"jsonrpc": "2.0", **m}) + "\n" for m in asked))
    return text_of(next(m for m in map(json.loads, done.stdout.splitlines()) if m.get("id") == 2))


def from_program(case, provider, tool):
    env = {**environment(case.folder), **case.env, **({"STRANGER": "1"} if case.guest else {})}
    words = [API_CALL, str(case.config), provider, tool, json.dumps(case.arguments)]
    with subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as p:
        lines = []
        while not lines or not lines[-1].startswith("port "):
            lines.append(p.stdout.readline())
            assert lines[-1], lines
        metrics = harness.http.client.HTTPConnection("127.0.0.1", int(lines.pop().split()[1]), timeout=PATIENCE_S)
        metrics.request("GET", "/metrics", None, {"Authorization": "Bearer guest"})
        case.events.write_bytes(metrics.getresponse().read())
        metrics.close()
        p.stdin.close()
        assert p.wait(PATIENCE_S) == 0
        return "".join(lines).strip()


def program(case):
    return from_program(case, "-", case.tool)


def model(case):
    function = {"name": case.bare(), "arguments": json.dumps(case.arguments)}
    return from_program(case, "openai", json.dumps({"id": "c1", "type": "function", "function": function}))


def command_line(case):
    mode = ("--for", "openai", "--mode", "search") if case.search else ()
    done = run(case.folder, "call", case.bare() if case.search else case.tool, "--args", json.dumps(case.arguments), *mode,
               "--config", case.config, "--events", case.events, env=case.env)
    return (done.stdout or done.stderr).strip()


WAYS = {"http 2025-11-25": http_2025, "http 2026-07-28": http_2026, "stdio": stdio, "library": program, "model call": model,
        "command line": command_line, "plugin-host": http_2025}
GATEWAY = {"http 2025-11-25", "http 2026-07-28", "stdio", "plugin-host"}


# ---- the stages: each function fails where the call has not passed the stage ----

def unwrap(folder, way):
    """A call in search mode is the call of the tool inside: read-only mode refuses that, by its name."""
    case = Case(folder, way, {"serve": {"mode": "search"}, "policy": {"read_only": True}}, "tool_call",
                {"name": "write", "arguments": {}})
    said = WAYS[way](case)
    assert json.loads(said)["tool_name"] == "write", said


def owner_only(folder, way):
    """The person at stdio and at the command line is the owner."""
    tokens = {"serve": {"tokens": [{"token": "guest", "name": "guest", "owner": False}]}}
    case = Case(folder, way, tokens, "s.own", tool_json=OWN)
    said = WAYS[way](case)
    assert said == ("ok" if way in ("stdio", "command line") else OWNER_TEXT), said


def rules(folder, way):
    """Views show nothing that rules remove; the command line says which rule it was."""
    said = WAYS[way](Case(folder, way, {"policy": {"deny": ["s.write"]}}, "s.write"))
    assert ("forbids this tool" if way == "command line" else "unknown tool: ") in said, said


def read_only(folder, way):
    said = WAYS[way](Case(folder, way, {"policy": {"read_only": True}}, "s.write"))
    assert json.loads(said)["entered_reason"] == {"kind": "operator"}, said


def schemas(folder, way):
    """Only the gateway has clients that list tools in the form of a provider. The server hears its own names."""
    case = Case(folder, way, {"serve": {"schemas": "anthropic"}}, "s.space", {"x_y_cbc44180": 1}, tool_json=SPACE)
    said = WAYS[way](case)
    calls = [m["params"] for m in map(json.loads, case.heard.read_text().splitlines()) if m.get("method") == "tools/call"]
    assert said == "ok" and [c["arguments"] for c in calls] == [{"x y" if way in GATEWAY else "x_y_cbc44180": 1}], (said, calls)


def connect(folder, way):
    """The server hears its own name of the tool."""
    case = Case(folder, way)
    said = WAYS[way](case)
    assert said == "ok" and case.names_heard() == ["tool0"], said


def vetted(folder, way):
    """A server without pins is not admitted; the host of plugins is a server, too."""
    case = Case(folder, way, {"policy": {"pins_unpinned": "quarantine"}})
    said = WAYS[way](case)
    assert "is quarantined (pins)" in said, said
    assert not case.heard.exists() or case.names_heard() == []


def limits(folder, way):
    """Only the gateway has clients whose calls it counts."""
    settings = {"limits": {"memory_bytes": 4 << 20, "message_bytes": 256 << 10, "server_share": 1}}
    said = WAYS[way](Case(folder, way, settings, arguments={"text": "x" * (100 << 10)}))
    assert "limits.server_share" in said if way in GATEWAY else said == "ok", said


def external(folder, way):
    """Refuses nothing: the result gets a frame."""
    policy = {"external": ["s"], "external_mark": "frame"}
    assert "Data from outside begins" in WAYS[way](Case(folder, way, {"policy": policy}))


def results(folder, way):
    """Clients of the gateway have budgets."""
    said = WAYS[way](Case(folder, way, {"results": {"budget": 2000}}, arguments={"text": "x" * 5000}))
    assert said == "ok", said  # the tool of the server answers shortly; test_results.py has long answers


def hooks(folder, way):
    script = folder / "no"
    script.write_text("#!/bin/sh\nread event\necho '{\"block\":true,\"blockReason\":\"a hook says no\"}'\n")
    script.chmod(0o755)
    said = WAYS[way](Case(folder, way, {"hooks": [{"on": "before", "command": str(script)}]}))
    assert said == "a hook says no", said


def events(folder, way):
    """Refuses nothing: the call is told of, in a log, or to the counters of /metrics where a program makes it."""
    case = Case(folder, way)
    assert WAYS[way](case) == "ok"
    told = case.events.read_text()
    if way in ("library", "model call"):
        assert 'mcptools_calls_total{server="s",method="tools/call",outcome="ok"} 1' in told, told
    else:
        assert [(e["event"], e["tool"]) for e in map(json.loads, told.splitlines())] == [("begin", "tool0"), ("end", "tool0")], told


def trace(folder, way):
    """Refuses nothing: the server hears the context of the span. Nobody collects it."""
    case = Case(folder, way, {"telemetry": {"endpoint": "http://127.0.0.1:1"}})
    assert WAYS[way](case) == "ok"
    calls = [m["params"] for m in map(json.loads, case.heard.read_text().splitlines()) if m.get("method") == "tools/call"]
    assert all(c["_meta"]["traceparent"].startswith("00-") for c in calls) and len(calls) == 1, calls


def rounds(folder, way):
    """Nobody answers what the server asks; a client of its own revision gets the question itself."""
    said = WAYS[way](Case(folder, way, script=ASKS))
    assert said == "input_required" if way == "http 2026-07-28" else "elicitation" in said or "Who?" in said, said


def follow(folder, way):
    """A client of its own revision reads the task; nobody else gets to see one. Hooks change the result in both cases."""
    script = folder / "change"
    script.write_text("#!/bin/sh\nread event\necho '{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"changed\"}]}}'\n")
    script.chmod(0o755)
    case = Case(folder, way, {"hooks": [{"on": "persist", "command": str(script)}]}, script=MAKES_TASKS)
    said = http_2026_with_tasks(case) if way == "http 2026-07-28" else WAYS[way](case)
    assert said == "changed", said


def hold(folder, way):
    """A client of its own revision that declares no tasks gets what the server then does."""
    said = WAYS[way](Case(folder, way, script=MAKES_TASKS))
    assert said == ("at once" if way == "http 2026-07-28" else "from a task"), said


STAGES = {"unwrap": unwrap, "owner-only": owner_only, "rules": rules, "read-only": read_only,
          "schemas": schemas, "connect": connect, "vetted": vetted, "limits": limits, "external": external, "results": results,
          "hooks": hooks, "events": events, "trace": trace, "follow": follow, "hold": hold, "rounds": rounds}


@test
def every_stage_has_a_row_here(_):
    assert subprocess.run([STAGE_NAMES], capture_output=True, text=True, check=True).stdout.split() == list(STAGES)


def add_row(name, stage):
    def each_way(folder):
        for way in WAYS:
            own = pathlib.Path(folder) / way.replace(" ", "-")
            own.mkdir()
            try:
                stage(own, way)
            except Exception as error:
                raise AssertionError(f"{name}, {way}") from error
    each_way.__name__ = f"{name} is passed on each way"
    test(each_way)


for stage_name, stage_function in STAGES.items():
    add_row(stage_name, stage_function)


@test
def one_function_finds_names(folder):
    """SERVER.TOOL means the server with the longest name that fits, whatever tools another one has, and SERVER__TOOL and a
    bare name mean the same on each way."""
    inner = json.dumps({"name": "b.tool0", "inputSchema": {"type": "object"}})
    for way in ("http 2025-11-25", "library", "command line"):
        for number, (name, server_name) in enumerate({"a.b.tool0": "a.b", "a.tool0": "a", "b.tool0": "a"}.items()):
            own = folder / f"{way.replace(' ', '-')}-{number}"
            own.mkdir()
            case = Case(own, way, tool=name)
            servers = {s: server("--tools", 1, "--tool-json", inner if s == "a" else WRITE, "--record", own / s) for s in ("a", "a.b")}
            write_config(own, servers)
            said = WAYS[way](case)
            case.heard = own / server_name
            assert said == "ok" and len(case.names_heard()) == 1, (way, name, said)


@test
def one_more_row_is_passed_on_each_way(folder):
    """The programs are the same but for the table, which has one more stage."""
    global API_CALL
    usual, API_CALL, harness.MCPTOOLS = (API_CALL, harness.MCPTOOLS), MORE_API_CALL, MORE_MCPTOOLS
    try:
        for number, (way, call) in enumerate(WAYS.items()):
            for arguments, wanted in ({}, "ok"), ({"extra": True}, "refused by one more stage"):
                own = folder / f"{number}-{len(arguments)}"
                own.mkdir()
                said = call(Case(own, way, arguments=arguments))
                assert wanted in said, (way, said)
    finally:
        API_CALL, harness.MCPTOOLS = usual


main()
