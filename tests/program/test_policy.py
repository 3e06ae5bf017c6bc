"""Read-only mode: who is in it, what is refused then, and what is not."""

import hashlib
import json
import re

from harness import JSON, Session, answer, gateway, main, run, server, stateless, test, until, write_config

WRITER = json.dumps({"name": "write", "inputSchema": {"type": "object"}})
INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})


def configured(folder, trusted=True, **settings):
    """One server: tool0 says that it only looks, write says nothing."""
    return write_config(folder, {"t": server(
        "--tools", 1, "--tool-json", WRITER, "--resources", 1, "--prompts", 1, "--record", folder / "heard",
        trusted=trusted)}, settings)


def heard_calls(folder):
    """Names of the tools whose calls have reached the server."""
    lines = [json.loads(line) for line in (folder / "heard").read_text().splitlines()]
    return [m["params"]["name"] for m in lines if m.get("method") == "tools/call"]


def is_refusal(result, name, kind, structured=True):
    """Whether the result is the refusal of that tool, all of it."""
    if not result.get("isError"):
        return False
    text = result["content"][0]["text"]
    refusal = json.loads(text)
    assert len(result["content"]) == 1 and result.get("structuredContent") == (refusal if structured else None), result
    assert list(refusal) == ["tool_name", "tool_kind", "hint", "entered_at", "entered_reason"], refusal
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", refusal.pop("entered_at")), text
    assert refusal == {"tool_name": name, "tool_kind": "outbound", "entered_reason": {"kind": kind},
                       "hint": "Call ExitPlanMode { final_plan } when the plan is ready."}, refusal
    return True


def call(s, name, **arguments):
    return s.call("tools/call", {"name": name, "arguments": arguments})


def call_stateless(g, name, path="/mcp", headers=None):
    body, own = stateless("tools/call", {"name": name, "arguments": {}})
    status, _, said = g.request("POST", path, body, {**own, **(headers or {})})
    assert status == 200, (status, said)
    return answer(said)["result"]


@test
def the_operator_says_so(folder):
    config = configured(folder, policy={"read_only": True})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        assert "read-only" in g.text()
        s = Session(g)
        assert [t["name"] for t in s.call("tools/list")["tools"]] == ["tool0", "write"]
        assert is_refusal(call(s, "write"), "write", "operator")
        assert is_refusal(call(Session(g, "/mcp/t"), "write"), "write", "operator")
        assert is_refusal(call(Session(g, revision="2025-06-18"), "write"), "write", "operator")
        assert is_refusal(call(Session(g, revision="2025-03-26"), "write"), "write", "operator", structured=False)
        assert is_refusal(call_stateless(g, "write", "/mcp?read_only=0"), "write", "operator")
        refused = call_stateless(g, "write")
        assert is_refusal(refused, "write", "operator") and refused["resultType"] == "complete", refused
        assert not is_refusal(call(s, "tool0"), "tool0", "operator")
        assert not is_refusal(call_stateless(g, "tool0"), "tool0", "operator")
        assert s.call("resources/read", {"uri": "test://resource/0"})["contents"]
        assert s.call("prompts/get", {"name": "prompt0", "arguments": {"a": "b"}})["messages"]
        assert answer(s.post("tools/call", {"name": "nobody"})[2])["error"]["code"] == -32602
        assert heard_calls(folder) == ["tool0", "tool0"]


@test
def the_option_says_so(folder):
    with gateway(folder, "--config", configured(folder), "--read-only") as g:
        assert is_refusal(call(Session(g.wait_ready()), "write"), "write", "operator")
    asked = "\n".join([INITIALIZE, '{"jsonrpc":"2.0","method":"notifications/initialized"}',
                       '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write"}}',
                       '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tool0"}}', ""])
    done = run(folder, "serve", "--stdio", "--read-only", "--config", configured(folder), stdin=asked)
    said = {m["id"]: m["result"] for m in map(json.loads, done.stdout.splitlines()) if "result" in m}
    assert is_refusal(said[2], "write", "operator") and not is_refusal(said[3], "tool0", "operator"), done
    assert heard_calls(folder) == ["tool0"]


@test
def nobody_says_so(folder):
    with gateway(folder, "--config", configured(folder, policy={"mutating_tools": ["*"]})) as g:
        assert not is_refusal(call(Session(g.wait_ready()), "write"), "write", "operator")
        assert not is_refusal(call_stateless(g, "write"), "write", "operator")


@test
def hints_of_servers_nobody_trusts(folder):
    with gateway(folder, "--config", configured(folder, trusted=False), "--read-only") as g:
        assert is_refusal(call(Session(g.wait_ready()), "tool0"), "tool0", "operator")
        assert heard_calls(folder) == []


@test
def lists_decide(folder):
    two = {n: server("--tools", 2, "--tool-json", WRITER, "--name", f"{n}_", trusted=n == "a") for n in "ab"}
    policy = {"read_only": True, "read_only_tools": ["b__b_tool0", "?.write"], "mutating_tools": ["a.a_tool1", "b__w*"]}
    with gateway(folder, "--config", write_config(folder, two, {"policy": policy})) as g:
        merged = Session(g.wait_ready())
        alone = {n: Session(g, f"/mcp/{n}") for n in "ab"}
        for n, tool, allowed in (("a", "a_tool0", True), ("a", "a_tool1", False), ("a", "write", True),
                                 ("b", "b_tool0", True), ("b", "b_tool1", False), ("b", "write", False)):
            for s, name in ((merged, f"{n}__{tool}"), (alone[n], tool)):
                assert is_refusal(call(s, name), name, "operator") != allowed, (s.path, name)
        assert is_refusal(call(merged, "a_tool1"), "a_tool1", "operator")  # as it was called


@test
def names_of_one_view_are_no_way_around_a_list(folder):
    evil = json.dumps({"name": "t__wipe", "inputSchema": {"type": "object"}})
    dotted = json.dumps({"name": "x.tool0", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}})
    hashed = "x_tool0_" + hashlib.sha256(b"a\0x_tool0").hexdigest()[:12]
    servers = {"t": server("--tools", 1), "evil": server("--tool-json", evil, "--record", folder / "heard"),
               "a": server("--tools", 1, "--name", "x_", "--tool-json", dotted, trusted=True)}
    policy = {"read_only": True, "read_only_tools": ["t__*"], "mutating_tools": [f"a__{hashed}"]}
    config = write_config(folder, servers, {"policy": policy})
    with gateway(folder, "--config", config) as g:
        s, alone, a = Session(g.wait_ready()), Session(g, "/mcp/evil"), Session(g, "/mcp/a")
        assert not is_refusal(call(s, "t__tool0"), "t__tool0", "operator")
        assert is_refusal(call(s, "evil__t__wipe"), "evil__t__wipe", "operator")
        assert is_refusal(call(alone, "t__wipe"), "t__wipe", "operator")
        assert is_refusal(call_stateless(g, "t__wipe", "/mcp/evil"), "t__wipe", "operator")
        names = [t["name"] for t in a.call("tools/list")["tools"]]
        assert sorted(names) == ["x_tool0", hashed], names
        assert is_refusal(call(a, hashed), hashed, "operator")
        assert not is_refusal(call(a, "x_tool0"), "x_tool0", "operator")
    assert heard_calls(folder) == []
    assert run(folder, "call", "a.x_tool0", "--read-only", "--config", config).returncode == 7
    assert run(folder, "call", "a.x.tool0", "--read-only", "--config", config).returncode == 0


@test
def tokens_have_their_own(folder):
    log = folder / "access.log"
    tokens = ["plain", {"token": "secret-a", "name": "alice", "read_only": True}, {"token": "secret-b", "name": "bob"}]
    config = configured(folder, serve={"tokens": tokens, "access_log": str(log)})
    with gateway(folder, "--config", config) as g:
        headers = {t: {"Authorization": f"Bearer {t}"} for t in ("plain", "secret-a", "secret-b")}
        until(lambda: g.request("GET", "/readyz", None, headers["plain"])[0] == 200, "ready")
        for token, kind in (("plain", None), ("secret-a", "operator"), ("secret-b", None)):
            for path in ("/mcp", "/mcp?read_only=false"):
                s = Session(g, path, headers=headers[token])
                assert is_refusal(call(s, "write"), "write", kind) == bool(kind), token
                assert is_refusal(call_stateless(g, "write", path, headers[token]), "write", kind) == bool(kind), token
            wish = call(Session(g, "/mcp?read_only=1", headers=headers[token]), "write")
            assert is_refusal(wish, "write", kind or "client"), token
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert {m["principal"] for m in told} == {"token-1", "alice", "bob"}, told
    assert "secret" not in log.read_text()


@test
def a_session_is_begun_with_it(folder):
    with gateway(folder, "--config", configured(folder)) as g:
        g.wait_ready()
        for query in ("read_only=1", "a=b&read_only=true", "read%5Fonly=%31"):
            s = Session(g, f"/mcp?{query}")
            assert is_refusal(call(s, "write"), "write", "client"), query
            s.path = "/mcp"  # later requests need not repeat it, and cannot take it back
            assert is_refusal(call(s, "write"), "write", "client"), query
            s.path = "/mcp?read_only=0"
            assert is_refusal(call(s, "write"), "write", "client"), query
            assert not is_refusal(call(s, "tool0"), "tool0", "client"), query
        other = Session(g)
        assert not is_refusal(call(other, "write"), "write", "client")
        other.path = "/mcp?read_only=1"
        status, _, body = other.post("tools/call", {"name": "write"})
        assert status == 400 and b"read_only" in body, (status, body)
        assert is_refusal(call(Session(g, "/mcp/t?read_only=1"), "write"), "write", "client")


@test
def a_stateless_request_says_it_each_time(folder):
    with gateway(folder, "--config", configured(folder)) as g:
        g.wait_ready()
        assert is_refusal(call_stateless(g, "write", "/mcp?read_only=1"), "write", "client")
        assert not is_refusal(call_stateless(g, "write"), "write", "client")
        assert is_refusal(call_stateless(g, "write", "/mcp/t?read_only=1"), "write", "client")
        assert not is_refusal(call_stateless(g, "tool0", "/mcp?read_only=1"), "tool0", "client")
        assert heard_calls(folder) == ["write", "tool0"]


@test
def parameters_that_are_not_understood(folder):
    with gateway(folder, "--config", configured(folder)) as g:
        g.wait_ready()
        body, headers = stateless("tools/call", {"name": "write", "arguments": {}})
        for query, name in (("read_only=yes", "read_only"), ("read_only", "read_only"), ("mode=find", "mode"),
                            ("dialect=latin", "dialect"), ("read_only=0&read_only=1", "read_only")):
            for text, more in ((body, headers), (INITIALIZE, JSON)):
                status, _, said = g.request("POST", f"/mcp?{query}", text, more)
                assert status == 400 and name in json.loads(said)["error"]["message"], (query, status, said)
        for query in ("x=1", "dialect=codex,nexo&mode=full", ""):
            assert not is_refusal(call_stateless(g, "write", f"/mcp?{query}"), "write", "client")
        assert heard_calls(folder) == ["write"] * 3


@test
def on_the_command_line(folder):
    config = configured(folder)
    for name in ("t.write", "write"):
        done = run(folder, "call", name, "--read-only", "--config", config)
        assert done.returncode == 7 and json.loads(done.stdout)["tool_name"] == name, done
    done = run(folder, "call", "t.write", "--read-only", "--config", config, "-o", "json")
    assert done.returncode == 7 and is_refusal(json.loads(done.stdout), "t.write", "operator"), done
    assert run(folder, "call", "t.tool0", "--read-only", "--config", config).returncode == 0
    assert run(folder, "call", "t.write", "--config", config).returncode == 0
    config = configured(folder, policy={"read_only": True, "mutating_tools": ["t__tool*"]})
    assert run(folder, "call", "t.tool0", "--config", config).returncode == 7
    empty = folder / "empty"
    empty.mkdir()
    assert run(empty, "call", "demo.echo", "text=hi", "--read-only").stdout == "hi\n"
    assert heard_calls(folder) == ["tool0", "write"]
    broken = write_config(folder, {}, {"policy": {"read_only": "yes"}}, name="broken.json")
    done = run(folder, "list", "--config", broken)
    assert done.returncode == 2 and "broken.json:1:44: mcptools.policy.read_only: must be true or false" in done.stderr, done


if __name__ == "__main__":
    main()
