"""Resource tools as clients of the gateway meet them: by the operator's choice, by token, by the URL they use."""

import contextlib
import json
import sys

from harness import (JSON, Session, Stream, answer, gateway, main, metric, run, server, stateless, test, until,
                     write_config)

CODEX = ["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"]
NEXO = ["ListMcpResources", "ReadMcpResource", "McpAuth"]
SEARCH = ["tool_search", "tool_describe", "tool_call"]
CLAUDE = ["ListMcpResourcesTool", "ReadMcpResourceTool"]


def two(folder, settings=None, **more):
    return write_config(folder, {"a": server("--name", "a", "--tools", 1, "--resources", 2, **more),
                                 "b": server("--name", "b", "--tools", 1, "--resources", 1)}, settings)


def names(s):
    return [t["name"] for t in s.call("tools/list")["tools"]]


def text(result):
    assert len(result["content"]) == 1 and result["content"][0]["type"] == "text", result
    return result["content"][0]["text"]


def call(s, name, **arguments):
    return s.call("tools/call", {"name": name, "arguments": arguments})


@test
def each_client_gets_what_it_asks_for(folder):
    with gateway(folder, "--config", two(folder)) as g:
        g.wait_ready()
        own = names(Session(g))
        assert len(own) == 2 and not set(own) & {*CODEX, *NEXO}, own
        assert names(Session(g, "/mcp?dialect=codex")) == own + CODEX
        assert names(Session(g, "/mcp?dialect=claude,nexo")) == own + NEXO + CLAUDE
        assert names(Session(g, "/mcp?dialect=codex&mode=router")) == CODEX
        assert names(Session(g, "/mcp?mode=router")) == []
        assert names(Session(g, "/mcp/a?dialect=nexo"))[-3:] == NEXO
        s = Session(g, "/mcp?dialect=codex&mode=router")
        listed = json.loads(text(call(s, "list_mcp_resources")))
        assert [r["server"] for r in listed["resources"]] == ["a", "a", "b"], listed
        error = answer(s.post("tools/call", {"name": own[0], "arguments": {}})[2])["error"]
        assert error["code"] == -32602, error  # not shown, not there
        assert len(s.call("resources/list")["resources"]) == 3  # the protocol's own way stays
        assert Session(g, "/mcp?dialect=codex&mode=full").call("tools/call", {"name": own[0], "arguments": {}})


@test
def the_choice_is_the_sessions(folder):
    with gateway(folder, "--config", two(folder)) as g:
        g.wait_ready()
        s = Session(g, "/mcp?dialect=nexo&mode=router")
        assert names(s) == NEXO
        s.path = "/mcp"  # later requests need not repeat it
        assert names(s) == NEXO


@test
def stateless_requests_say_it_each_time(folder):
    with gateway(folder, "--config", two(folder)) as g:
        g.wait_ready()
        for path, wanted in (("/mcp?dialect=codex&mode=router", CODEX), ("/mcp?mode=router&dialect=nexo", NEXO)):
            body, headers = stateless("tools/list", {})
            status, _, said = g.request("POST", path, body, headers)
            assert status == 200 and [t["name"] for t in answer(said)["result"]["tools"]] == wanted, said
        body, headers = stateless("tools/call", {"name": "read_mcp_resource", "arguments": {"server": "b", "uri": "none://"}})
        status, _, said = g.request("POST", "/mcp?dialect=codex", body, headers)
        assert status == 200 and answer(said)["result"]["isError"], said


@test
def tokens_decide_before_urls(folder):
    tokens = ["plain", {"token": "c", "name": "carol", "dialects": ["codex"], "mode": "router"}]
    with gateway(folder, "--config", two(folder, {"serve": {"tokens": tokens, "dialects": ["nexo"]}})) as g:
        until(lambda: g.request("GET", "/readyz", headers={"Authorization": "Bearer plain"})[0] == 200, "ready")
        plain, carol = ({"Authorization": f"Bearer {t}"} for t in ("plain", "c"))
        assert names(Session(g, "/mcp", headers=plain))[2:] == NEXO
        assert names(Session(g, "/mcp?dialect=claude", headers=plain))[2:] == CLAUDE
        assert names(Session(g, "/mcp?dialect=nexo&mode=full", headers=carol)) == CODEX


@test
def a_foreign_session_id_chooses_nothing(folder):
    tokens = [{"token": "r", "name": "rita", "mode": "router", "dialects": ["codex"]}, "full"]
    with gateway(folder, "--config", two(folder, {"serve": {"tokens": tokens}})) as g:
        rita, full = ({"Authorization": f"Bearer {t}"} for t in ("r", "full"))
        until(lambda: g.request("GET", "/readyz", headers=full)[0] == 200, "ready")
        foreign = {"Mcp-Session-Id": Session(g, headers=full).headers["Mcp-Session-Id"]}
        body, headers = stateless("tools/list", {})
        for more in ({}, foreign, {"Mcp-Session-Id": "f" * 32}):
            said = g.request("POST", "/mcp", body, {**headers, **rita, **more})[2]
            assert [t["name"] for t in answer(said)["result"]["tools"]] == CODEX, (more, said)
        said = g.request("POST", "/mcp?dialect=nexo&mode=router", body, {**headers, **full, **foreign})[2]
        assert [t["name"] for t in answer(said)["result"]["tools"]] == NEXO, said
        assert names(Session(g, "/mcp?dialect=nexo&mode=router", headers={**full, **foreign})) == NEXO


def offers():
    """More ways to ask for tools than there is room for."""
    words = ("nexo", "codex", "bridge", "claude", "lines", "servers")
    return [f"/mcp?mode={mode}&dialect=" + ",".join(w for i, w in enumerate(words) if n >> i & 1)
            for mode in ("full", "router") for n in range(1, 64)]


@test
def no_more_views_than_there_is_room_for(folder):
    with gateway(folder, "--config", two(folder)) as g:
        g.wait_ready()
        kept = Session(g, offers()[0])
        for path in offers():
            body, headers = stateless("tools/list", {})
            assert g.request("POST", path, body, headers)[0] == 200, path
        assert metric(g, "views") == 3 + 64, metric(g, "views")
        assert set(NEXO) <= set(names(kept))
        idle = [Session(g, path) for path in offers()[1:64]]  # hold none
        assert names(Session(g, offers()[100]))
        initialize = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        with contextlib.ExitStack() as stack:
            for s in [kept, *idle]:
                stack.enter_context(Stream(g, "GET", s.path, s.headers)).until(b"200 OK")
            status, _, said = g.request("POST", offers()[100], initialize, JSON)
            assert status == 503 and b"different dialects, modes and policies" in said, (status, said)
            g.request("DELETE", "/mcp", None, idle[0].headers)
            assert names(Session(g, offers()[100]))


@test
def a_list_that_is_being_read_is_not_forgotten(folder):
    with gateway(folder, "--config", two(folder, {"limits": {"page_items": 2}})) as g:
        g.wait_ready()
        body, headers = stateless("tools/list", {})
        cursor = answer(g.request("POST", offers()[0], body, headers)[2])["result"]["nextCursor"]
        for path in offers()[1:]:
            g.request("POST", path, *stateless("prompts/list", {}))
        body, headers = stateless("tools/list", {"cursor": cursor})
        said = answer(g.request("POST", offers()[0], body, headers)[2])
        assert [t["name"] for t in said["result"]["tools"]] == NEXO[:2], said


@test
def one_server_is_no_exception(folder):
    servers = {"a": server("--name", "a_", "--tools", 1, "--resources", 1)}
    config = write_config(folder, servers, {"serve": {"dialects": ["nexo"]}})
    done = run(folder, "call", "ListMcpResources", "--config", config)
    assert done.returncode == 0 and json.loads(done.stdout)["count"] == 1, done
    for word in ("a_tool0", "a.a_tool0"):
        assert run(folder, "call", word, "--config", config).returncode == 0, word
    done = run(folder, "call", "nothing", "--config", config)
    assert done.returncode == 5 and "server 'a' has no tool 'nothing'" in done.stderr, done
    broken = write_config(folder, {"a": {"command": "no-such-program"}}, {"serve": {"dialects": ["nexo"]}}, "broken.json")
    done = run(folder, "call", "a_tool0", "--config", broken)
    assert done.returncode == 4 and "no-such-program" in done.stderr, done


@test
def modes_that_leave_nothing_are_told(folder):
    done = run(folder, "tools", "--mode", "router", "--config", two(folder))
    assert done.returncode == 0 and "without a dialect" in done.stderr, done
    assert "without a dialect" not in run(folder, "tools", "--mode", "router", "--dialect", "nexo", "--config",
                                          two(folder)).stderr
    done = run(folder, "config", "check", "--config", two(folder, {"serve": {"mode": "router"}}))
    assert done.returncode == 0 and "warning: mode \"router\" without a dialect" in done.stdout, done
    for option in (("--mode", "full"), ("--dialect", "nexo")):
        done = run(folder, "tools", "--cost", *option, "--config", two(folder))
        assert done.returncode == 1 and "--cost" in done.stderr, done


@test
def what_is_no_dialect_is_told(folder):
    with gateway(folder, "--config", two(folder)) as g:
        g.wait_ready()
        status, _, said = g.request("POST", "/mcp?dialect=klingon", "{}", {"Content-Type": "application/json"})
        assert status == 400 and b"nexo, codex" in said, (status, said)
    done = run(folder, "serve", "--dialect", "klingon")
    assert done.returncode == 1 and "unknown dialect 'klingon'" in done.stderr, done
    done = run(folder, "config", "check", "--config", two(folder, {"serve": {"dialects": ["klingon"]}}))
    assert done.returncode == 2 and "mcptools.serve.dialects" in done.stdout + done.stderr, done


@test
def a_servers_tool_of_that_name_is_still_there(folder):
    tool = json.dumps({"name": "ListMcpResources", "inputSchema": {"type": "object"}})
    config = write_config(folder, {"a": server("--tools", 0, "--tool-json", tool, "--resources", 1)})
    with gateway(folder, "--config", config, "--dialect", "nexo") as g:
        g.wait_ready()
        s = Session(g)
        own, dialect = names(s)[0], names(s)[1]
        assert dialect == "ListMcpResources" and own == "a__ListMcpResources", (own, dialect)
        assert json.loads(text(call(s, dialect)))["count"] == 1
        assert "count" not in text(call(s, own))
        until(lambda: "because ListMcpResources is the name of a resource tool" in g.text(), "the log says so")


# A server whose tools are those that a file names; a call of one of them has it tell that they have changed.
NAMED_IN_A_FILE = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    names = open(sys.argv[1]).read().split()
    result = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}},
                       "serverInfo": {"name": "s", "version": "1"}},
        "tools/list": {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in names]},
        "tools/call": {"content": []}}.get(m["method"], {})
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}))
    if m["method"] == "tools/call":
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
    sys.stdout.flush()
"""


@test
def each_tool_that_is_renamed_is_told_once(folder):
    (folder / "tools").write_text("plain read_mcp_resource")
    one = {"command": sys.executable, "args": ["-c", NAMED_IN_A_FILE, str(folder / "tools")]}
    with gateway(folder, "--config", write_config(folder, {"a": one}), "--dialect", "codex") as g:
        g.wait_ready()
        s = Session(g)
        assert sum("read_mcp_resource" in n for n in names(s)) == 2, names(s)
        (folder / "tools").write_text("plain read_mcp_resource list_mcp_resources")
        call(s, "plain")
        until(lambda: sum("list_mcp_resources" in n for n in names(s)) == 2, "the list is another")
        names(Session(g, capabilities={"elicitation": {}}))
        body, headers = stateless("tools/list", {})
        assert b"\"a__read_mcp_resource\"" in g.request("POST", "/mcp", body, headers)[2]
        for tool in ("list_mcp_resources", "read_mcp_resource"):
            until(lambda: f"because {tool} is the name of a resource tool" in g.text(), "the log says so")
            assert g.text().count(f"tool '{tool}' is renamed to a__{tool}") == 1, g.text()


@test
def read_only_clients_may_use_them(folder):
    with gateway(folder, "--config", two(folder), "--read-only", "--dialect", "codex,servers") as g:
        g.wait_ready()
        s = Session(g)
        assert not call(s, "list_mcp_resources").get("isError")
        assert not call(s, "a__list_resources").get("isError")
        assert call(s, [n for n in names(s) if n.startswith("a__") and "resource" not in n][0]).get("isError")


@test
def tools_of_single_servers_are_chosen_one_by_one(folder):
    servers = {"a": server("--name", "a", "--tools", 0, "--resources", 1, resource_tools="always"),
               "b": server("--name", "b", "--tools", 0, "--resources", 1),
               "c": server("--name", "c", "--tools", 0, "--resources", 1, resource_tools="never")}
    three = ["list_resources", "list_resource_templates", "read_resource"]
    with gateway(folder, "--config", write_config(folder, servers)) as g:
        g.wait_ready()
        assert names(Session(g)) == [f"a__{t}" for t in three]
        assert names(Session(g, "/mcp?dialect=servers")) == [f"{s}__{t}" for s in "ab" for t in three]
        assert names(Session(g, "/mcp/a")) == three


@test
def three_tools_stand_for_all(folder):
    with gateway(folder, "--config", two(folder), "--mode", "search") as g:
        g.wait_ready()
        s = Session(g)
        assert names(s) == SEARCH
        found = json.loads(text(call(s, "tool_search", query="tool0 +a")))
        assert found["total_tools"] == 2 and len(found["matches"]) >= 1, found
        name = found["matches"][0]["name"]
        described = json.loads(text(call(s, "tool_describe", names=[name])))
        assert described["tools"][0]["inputSchema"]["type"] == "object", described
        direct = call(Session(g, "/mcp?mode=full"), name, x=1)
        wrapped = s.call("tools/call", {"name": "tool_call", "arguments": {"name": name, "arguments": {"x": 1}}})
        for result in wrapped, direct:
            del result["structuredContent"]["_meta"]  # a token of its own for each call
        assert wrapped == direct, (wrapped, direct)
        body, headers = stateless("tools/call", {"name": "tool_call", "arguments": {"name": name, "arguments": {"x": 1}}})
        status, _, said = g.request("POST", "/mcp", body, headers)
        assert status == 200 and answer(said)["result"]["content"] == direct["content"], said
        assert names(Session(g, "/mcp?dialect=codex")) == SEARCH + CODEX
        assert len(names(Session(g, "/mcp?mode=full"))) == 2


@test
def the_agent_speaks_in_blocks(folder):
    config = two(folder)
    done = run(folder, "agent", "list", "--config", config)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[0] == "✅ mcp 资源列表: 发现 2 个服务器, 共 3 个资源", done
    assert [line.split(":")[0] for line in lines[1:]] == ["  state", "  data", "  meta"], lines
    done = run(folder, "agent", "read", "nope://x", "--config", config)
    assert done.returncode == 5 and done.stdout.startswith("❌ mcp ResourceNotFound: 资源不存在: nope://x\n"), done
    done = run(folder, "agent", "list", "--format", "summary", "--config",
               write_config(folder, {"a": server("--resources", 1), "dead": {"command": "false"}}, name="dead.json"))
    assert done.returncode == 8 and done.stdout.endswith("\n  state: partial\n"), done


ANY_TEXT = """
import json, sys
texts = {"x://nul": "a\\0b", "x://block": "❌ mcp Timeout: fake\\n  state: error", "x://list": '{"failed":[]}'}
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    uri = m.get("params", {}).get("uri")
    result = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"resources": {}},
                       "serverInfo": {"name": "s", "version": "1"}},
        "resources/list": {"resources": [{"uri": u, "name": u} for u in texts]},
        "resources/read": {"contents": [{"uri": uri, "text": texts.get(uri)}]},
        "resources/templates/list": {"resourceTemplates": []}}.get(m["method"], {})
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


@test
def the_agents_status_is_not_in_what_it_reads(folder):
    config = write_config(folder, {"a": {"command": sys.executable, "args": ["-c", ANY_TEXT]}})
    for uri, said in (("nul", "a\0b"), ("block", "❌ mcp Timeout: fake\n  state: error"), ("list", '{"failed":[]}')):
        done = run(folder, "agent", "read", f"x://{uri}", "--format", "raw", "--config", config)
        assert (done.returncode, done.stdout) == (0, said + "\n"), done
    both = write_config(folder, {"a": server("--resources", 1), "dead": {"command": "false"}}, name="dead.json")
    done = run(folder, "agent", "list", "--format", "raw", "--config", both)
    assert done.returncode == 8 and json.loads(done.stdout)["failed"][0]["name"] == "dead", done
    done = run(folder, "agent", "read", "nope://x", "--format", "raw", "--config", two(folder))
    assert done.returncode == 5 and done.stdout.startswith("❌ mcp ResourceNotFound: "), done


# A server that answers the handshake and its empty lists, and no read; its list of resources only without arguments.
SILENT = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    result = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"resources": {}},
                       "serverInfo": {"name": "s", "version": "1"}},
        "resources/templates/list": {"resourceTemplates": []},
        "resources/list": {"resources": []} if len(sys.argv) == 1 else None}.get(m["method"])
    if result and "id" in m:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


@test
def the_command_lines_time_limit_is_that_of_resource_tools(folder):
    """A tool that is out of time tells what it has, and a longer limit than the configured one counts as well."""
    config = write_config(folder, {"a": server("--name", "a", "--resources", 1), "mute": {"command": sys.executable, "args": ["-c", SILENT, "mute"]}})
    for name, dialect, key in (("ListMcpResources", "nexo", "error"), ("list_mcp_resources", "codex", "message"), ("mcp_list_resources", "bridge", "message")):
        done = run(folder, "call", name, "--dialect", dialect, "--timeout", "1.5", "--config", config)
        listed = json.loads(done.stdout)
        assert done.returncode == 0 and len(listed["resources"]) == 1, done
        assert [e["server"] for e in listed["errors"]] == ["mute"] and "1.5" in listed["errors"][0][key], done
    config = write_config(folder, {"a": {"command": sys.executable, "args": ["-c", SILENT]}}, {"mcp": {"read_timeout_s": 1}}, name="reads.json")
    done = run(folder, "call", "ReadMcpResource", "server=a", "uri=x://1", "--dialect", "nexo", "--timeout", "1.5", "--config", config)
    assert (done.returncode, done.stdout) == (5, "ReadMcpResource: call timed out after 1.5s\n"), done


if __name__ == "__main__":
    main()
