"""What clients get from the gateway to come back with: the state of a call that waits for answers; and connections of their own."""

import concurrent.futures
import json
import os
import sys

from harness import Session, stateless, write_config
from row import attack
from scene import answer, n_fds, server, until

ANNA, BERTA = ({"Authorization": f"Bearer {c * 20}"} for c in "ab")
TOKENS = {"serve": {"tokens": [{"token": "a" * 20, "name": "anna"}, {"token": "b" * 20, "name": "berta"}]}}
ASKING = r"""
import json, sys
own = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "asks", "version": "1"}}
calls, n = {}, 0
def say(m):
    print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        say({"id": m["id"], "result": own})
    elif m.get("method") == "tools/list":
        say({"id": m["id"], "result": {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]}})
    elif m.get("method") == "tools/call":
        n += 1
        calls[f"q{n}"] = m["id"]
        say({"id": f"q{n}", "method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}})
    elif "method" not in m and m.get("id") in calls:
        say({"id": calls.pop(m["id"]), "result": {"content": [{"type": "text", "text": "answered " + json.dumps(m.get("result"))}]}})
"""


def ask(g, headers, state=None, answers=None, **more):
    """A call of the tool that asks, or its repetition: the answer."""
    params = {"name": "ask", "arguments": {"n": 1}, "_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}, **more}
    if state is not None:
        params.update(requestState=state, inputResponses=answers)
    body, sent = stateless("tools/call", params)
    return answer(g.request("POST", "/mcp", body, {**sent, **headers})[2])


@attack("request-states", "MCP07", "HTTP client", "sends the state of a waiting call forged, cut, for other arguments, with another token, twice, and ten times at once",
        "exactly one of ten wins; everything else is refused")
def request_states(scene):
    config = write_config(scene.folder, {"asks": {"command": sys.executable, "args": ["-c", ASKING, str(scene.folder)], "protocol": "legacy"}}, TOKENS)
    with scene.serving("--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, ANNA)[0] == 200, "ready")
        first = ask(g, ANNA)["result"]
        state, question = first["requestState"], next(iter(first["inputRequests"]))
        good = {question: {"action": "accept", "content": {"who": "anna"}}}
        head, sealed, seal = state.partition(".")[0], state.split(".")[1:-1], state.split(".")[-1]
        forged = [state[:-1], state + "A", state.swapcase(), "", "mct1", "mct1..", "mct1.YQ.YQ", state[::-1], ".".join([head, *sealed, seal[::-1]]), ".".join([head, *sealed, ""]),
                  ".".join(["mct2", *sealed, seal]), state.replace(".", ".A", 1), state + "\u0000", "x" * 20000, 7, None, {}, [state]]
        for one in forged:
            if one is not None:
                assert "error" in ask(g, ANNA, one, good), one
        assert "error" in ask(g, BERTA, state, good)
        assert "error" in ask(g, ANNA, state, good, arguments={"n": 2})
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            got = list(pool.map(lambda _: ask(g, ANNA, state, good), range(10)))
        won = [a for a in got if "result" in a]
        assert len(won) == 1 and "anna" in won[0]["result"]["content"][0]["text"], got
        assert "error" in ask(g, ANNA, state, good)
        other = ask(g, BERTA)["result"]["requestState"]
        assert other != state and "error" in ask(g, ANNA, other, good)


@attack("isolated-processes", "LLM10", "HTTP client", "begins and leaves sessions at a server that starts a process for each", "processes and descriptors come back", beside=True)
def isolated_processes(scene):
    own = server("--tools", 1, isolation="session")
    with scene.beside(own=own) as b:
        n, before = 0, None
        while n < scene.scaled(12, 150) or not b.victim.enough.is_set():
            s = Session(b.g)
            assert s.call("tools/call", {"name": "own__tool0", "arguments": {"n": n}})["structuredContent"]
            assert b.g.request("DELETE", "/mcp", None, s.headers)[0] == 204
            before = before or n_fds(b.g.process)
            n += 1
        until(lambda: n_fds(b.g.process) <= before + 12, "descriptors come back")


@attack("headers-times-arguments", "LLM10", "HTTP client", "calls a tool with 12,000 `x-mcp-header` properties and 40,000 arguments", "checked in linear time; others are served", beside=True)
def headers_times_arguments(scene):
    tool = scene.folder / "tool.json"
    properties = {f"p{i}": {"type": "string", "x-mcp-header": f"H{i}"} for i in range(3000)}
    tool.write_text(json.dumps({"name": "q", "inputSchema": {"type": "object", "properties": properties}}))
    with scene.beside(h=server("--tools", 0, "--tool-json", tool.read_text())) as b:
        n = 0
        while n < 3 or not b.victim.enough.is_set():
            body, headers = stateless("tools/call", {"name": "h__q", "arguments": {f"q{i}": "x" for i in range(40000)}})
            assert b.g.request("POST", "/mcp", body, headers)[0] == 200
            n += 1


@attack("list-of-megabytes", "LLM10", "stdio server", "lists tools of 900 KB, page after page", "its list is refused beyond 64 MiB; others keep theirs", beside=True)
def list_of_megabytes(scene):
    with scene.beside(scene.stdio("pages-of-megabytes"), settings={"limits": {"message_bytes": 4 << 20}}) as b:
        b.unleash()
        until(lambda: "the list is larger than" in b.g.text(), "the list is refused")
        assert "good__tool0" in json.dumps(b.session.call("tools/list"))
