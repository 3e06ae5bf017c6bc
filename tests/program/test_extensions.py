"""What of extensions and experimental capabilities crosses the gateway, at each endpoint and in each era."""

import json
import pathlib
import sys

from harness import JSON, Session, answer, events, gateway, main, stateless, test, write_config

SERVER = pathlib.Path(__file__).with_name("extension_server.py")
TASKS, UI, SKILLS, OTHER = "io.modelcontextprotocol/tasks", "io.modelcontextprotocol/ui", "io.modelcontextprotocol/skills", "com.example/demo"
DECLARED = {"tools": {}, "tasks": {"list": {}}, "experimental": {"x": {"n": 1.0}},
            "extensions": {TASKS: {}, UI: {"a": 1}, SKILLS: {}, OTHER: {"deep": [1.0]}}}
OFFERED = {TASKS: {}, UI: {"mimeTypes": ["text/html;profile=mcp-app"]}, OTHER: {}}
GATEWAY = "io.github.mcptools/gateway"
OWN_TASKS = {"cancel": {}, "requests": {"tools": {"call": {}}}}  # of 2025-11-25, which the gateway makes for its clients


def entry(era, declared=None, **more):
    text = json.dumps(DECLARED if declared is None else declared)
    return {"command": sys.executable, "args": [str(SERVER), era, text], **more}


def both(folder, settings=None, **more):
    return "--config", write_config(folder, {"old": entry("legacy", **more), "new": entry("2026-07-28", **more)}, settings)


def modern(g, path, method, params=None, capabilities=None):
    """Status and message of a 2026-07-28 request."""
    body, headers = stateless(method, params)
    if capabilities is not None:
        message = json.loads(body)
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities
        body = json.dumps(message)
    status, _, body = g.request("POST", path, body, headers)
    return status, answer(body)


@test
def servers_extensions_are_advertised(folder):
    with gateway(folder, *both(folder)) as g:
        g.wait_ready()
        for path in ("/mcp/old", "/mcp/new"):
            # the gateway takes part in tasks of 2026-07-28, so it offers them to clients, in the form of their revision
            tasks = {TASKS} if path == "/mcp/new" else set()
            for got, own, old in ((Session(g, path).info["capabilities"], set(), bool(tasks)),
                                  (modern(g, path, "server/discover")[1]["result"]["capabilities"], tasks, False)):
                assert set(got["extensions"]) == {UI, SKILLS, OTHER} | own and got["extensions"][UI] == {"a": 1}, (path, got)
                assert got["experimental"] == {"x": {"n": 1.0}} and got.get("tasks") == (OWN_TASKS if old else None), (path, got)
        for got, own, old in ((Session(g).info["capabilities"], {}, OWN_TASKS),
                              (modern(g, "/mcp", "server/discover")[1]["result"]["capabilities"], {TASKS: {}}, None)):
            assert got["extensions"] == {UI: {"a": 1}, SKILLS: {}, **own}, got  # what needs no methods, and skills
            assert "experimental" not in got and got.get("tasks") == old, got


@test
def one_server_has_its_own_identity(folder):
    with gateway(folder, *both(folder)) as g:
        g.wait_ready()
        for path in ("/mcp/old", "/mcp/new"):
            info = Session(g, path).info
            assert info["serverInfo"]["title"] == "Own" and info["serverInfo"]["websiteUrl"], info
            assert info["serverInfo"]["icons"] and info["_meta"][GATEWAY]["name"] == "mcptools", info
            early = Session(g, path, revision="2025-03-26").info["serverInfo"]
            assert early == {"name": "own", "version": "7"}, early  # what that revision has
            for method in ("server/discover", "tools/list"):
                meta = modern(g, path, method)[1]["result"]["_meta"]
                assert meta["io.modelcontextprotocol/serverInfo"]["title"] == "Own", meta
                assert meta[GATEWAY]["name"] == "mcptools", meta
        info = Session(g).info
        assert info["serverInfo"]["name"] == "mcptools" and "_meta" not in info, info


@test
def foreign_methods_pass_at_one_server(folder):
    with gateway(folder, *both(folder)) as g:
        g.wait_ready()
        for path in ("/mcp/old", "/mcp/new"):
            s = Session(g, path)
            for method in ("skills/list", "com.example/echo"):
                got = s.call(method, {"uri": "x:1", "n": 1.0})
                assert got["method"] == method and got["params"]["uri"] == "x:1" and "resultType" not in got, got
                status, message = modern(g, path, method, {"uri": "x:1"})
                assert status == 200 and message["result"]["method"] == method, (status, message)
                assert message["result"]["resultType"] == "complete", message
            # no method of the protocol, or of what a client does is one of an extension
            for method in ("tasks/list", "sampling/createMessage", "openclaw/hooks/run", "notifications/x", "a\\u002fb", "rpc.x", "",
                           # nor is one that a server which compares without case, or a later revision, takes for one
                           "TOOLS/call", "Tools/Call", "tools/call/", "tools/run", "Resources/Read", "logging/setlevel",
                           "Tasks/get", "Notifications/cancelled", "sampling/createmessage"):
                assert answer(s.post(method, {})[2])["error"]["code"] in (-32601, -32600), method
            assert modern(g, path, "tasks/get")[0] == (400 if path == "/mcp/new" else 404)  # undeclared, unknown
        s = Session(g)
        assert answer(s.post("com.example/echo")[2])["error"]["code"] == -32601
        assert modern(g, "/mcp", "com.example/echo")[0] == 404


@test
def a_servers_refusal_is_a_404(folder):
    with gateway(folder, "--config", write_config(folder, {"s": entry("legacy")})) as g:
        g.wait_ready()
        status, message = modern(g, "/mcp/s", "nothing")
        assert (status, message["error"]["code"]) == (404, -32601) and "no nothing" in message["error"]["message"], message


@test
def policy_is_not_bypassed(folder):
    for number, (settings, path, more) in enumerate((
            ({"policy": {"read_only": True}}, "/mcp/old", {}), ({}, "/mcp/old?read_only=1", {}),
            ({"policy": {"deny": ["old.u"]}}, "/mcp/old", {}), ({}, "/mcp/old", {"tools": {"allow": ["t"]}}),
            ({"mcp": {"resource_uri_allowlist": ["https"]}}, "/mcp/old", {}))):
        inner = folder / str(number)
        inner.mkdir()
        with gateway(inner, *both(inner, settings, **more)) as g:
            g.wait_ready()
            s = Session(g, path)
            assert s.call("skills/list")["method"] == "skills/list", settings
            for method in ("com.example/echo", "com.example/write"):
                error = answer(s.post(method, {"name": "u"})[2])["error"]
                assert error["code"] == -32601 and "policy restricts" in error["message"], (settings, error)
                assert modern(g, path, method)[0] == 404, settings
            gets = answer(s.post("skills/get", {"uri": "file:///etc/passwd"})[2])
            assert ("error" in gets) == ("mcp" in settings), (settings, gets)
            s.send({"jsonrpc": "2.0", "method": "com.example/hello"})
            assert "com.example/hello" not in s.call("skills/list")["notifications"]


@test
def a_server_without_extensions_gets_no_foreign_methods(folder):
    servers = {"bare": entry("legacy", {"tools": {}}), "tasks": entry("legacy", {"tools": {}, "extensions": {TASKS: {}}}),
               "off": entry("legacy", extensions="none")}
    with gateway(folder, "--config", write_config(folder, servers)) as g:
        g.wait_ready()
        for name in servers:
            s = Session(g, f"/mcp/{name}")
            assert "extensions" not in s.info["capabilities"] and "experimental" not in s.info["capabilities"], s.info
            assert answer(s.post("com.example/echo")[2])["error"]["code"] == -32601, name


@test
def foreign_notifications_pass(folder):
    with gateway(folder, *both(folder)) as g:
        g.wait_ready()
        s = Session(g, "/mcp/old")
        s.send({"jsonrpc": "2.0", "method": "com.example/hello", "params": {}})
        for name in ("Notifications/Cancelled", "notifications/tools/list_changed", "notifications/message", "tools/call"):
            s.send({"jsonrpc": "2.0", "method": name, "params": {"requestId": 1}})
        s.send({"jsonrpc": "2.0", "method": "notifications/com.example/hello"})
        told = s.call("skills/list")["notifications"]
        assert told[1:] == ["com.example/hello", "notifications/com.example/hello"], told
        got = events(s.post("tools/call", {"name": "t"})[2])
        assert [m.get("method") for m in got] == ["com.example/pulse", None] and got[0]["params"] == {"of": "t"}, got
        # where several servers may be meant, and where the client has no session to be meant by, they do not
        other = Session(g)
        other.send({"jsonrpc": "2.0", "method": "com.example/merged"})
        assert answer(other.post("tools/call", {"name": "old__t"})[2])["result"]
        assert "com.example/merged" not in s.call("skills/list")["notifications"]


@test
def clients_extensions_reach_servers(folder):
    declared = {"extensions": OFFERED, "experimental": {"y": {}}}
    with gateway(folder, *both(folder, capabilities="client")) as g:
        g.wait_ready()
        for path, prefix, wanted in (("/mcp/old", "", {UI, OTHER}), ("/mcp/new", "", {UI, OTHER}),
                                     ("/mcp", "old__", {UI}), ("/mcp", "new__", {UI, OTHER})):
            told = [Session(g, path, capabilities=declared).call("tools/call", {"name": prefix + "t"}),
                    modern(g, path, "tools/call", {"name": prefix + "t"}, declared)[1]["result"]]
            tasks = {TASKS} if "new" in path + prefix else set()  # the gateway follows them for a session
            for got in told:
                got = got["structuredContent"]["told"]
                assert set(got["extensions"]) == wanted | tasks and got["extensions"][UI] == OFFERED[UI], (path, got)
                assert ("experimental" in got) == (path != "/mcp"), (path, got)
            bare = Session(g, path).call("tools/call", {"name": prefix + "t"})["structuredContent"]["told"]
            assert set(bare.get("extensions", {})) == tasks, bare  # a connection of its own where the server is told once


@test
def a_shared_connection_declares_what_all_clients_can(folder):
    with gateway(folder, *both(folder)) as g:
        g.wait_ready()
        s = Session(g, "/mcp/old", capabilities={"extensions": OFFERED})
        told = s.call("tools/call", {"name": "t"})["structuredContent"]["told"]
        assert told["extensions"] == {UI: {"mimeTypes": ["text/html;profile=mcp-app"]}}, told
        s = Session(g, "/mcp/new", capabilities={"extensions": OFFERED})  # told with each call
        assert set(s.call("tools/call", {"name": "t"})["structuredContent"]["told"]["extensions"]) == {UI, OTHER, TASKS}


@test
def methods_of_one_server_pass_at_the_endpoint_of_all(folder):
    """The extension tells the server. Nothing is sent to a server that does not declare it."""
    servers = {"one": entry("2026-07-28", {"tools": {}, "extensions": {OTHER: {"n": 1}, SKILLS: {}}}),
               "two": entry("2026-07-28", {"tools": {}, "extensions": {"org.example/else": {}}}),
               "old": entry("legacy", {"tools": {}, "extensions": {"net.example/x": {}}}),
               "off": entry("legacy", {"tools": {}, "extensions": {OTHER: {}, "off.example/y": {}}}, extensions="none")}
    with gateway(folder, "--config", write_config(folder, servers)) as g:
        g.wait_ready()
        s = Session(g)
        wanted = {OTHER: {"n": 1}, SKILLS: {}, "org.example/else": {}, "net.example/x": {}}
        assert s.info["capabilities"]["extensions"] == wanted, s.info
        assert modern(g, "/mcp", "server/discover")[1]["result"]["capabilities"]["extensions"] == wanted
        for method in ("com.example/echo", "skills/list", "org.example/deep/echo", "net.example/echo"):
            got = s.call(method, {"n": 1.0, "name": "x"})
            assert got["method"] == method and got["params"]["n"] == 1.0 and got["params"]["name"] == "x", got
            status, message = modern(g, "/mcp", method, {"uri": "x:1"})
            assert status == 200 and message["result"]["method"] == method, message
        # the name of a tool there is that of the server
        assert s.call("com.example/echo", {"name": "one__t"})["params"]["name"] == "t"
        assert s.call("com.example/echo", {"name": "two__t"})["params"]["name"] == "two__t"
        for method in ("example/echo", "com.example.more/echo", "off.example/echo", "io.modelcontextprotocol/skills", "com.example"):
            assert answer(s.post(method, {"name": "one__t"})[2])["error"]["code"] == -32601, method
            assert modern(g, "/mcp", method, {"name": "one__t"})[0] == 404, method
        # what servers are told: of what they declare themselves; notifications come with the call
        declared = {"extensions": {OTHER: {"c": 1}, "org.example/else": {}, UI: OFFERED[UI]}}
        for name, told in (("one", {OTHER, UI}), ("two", {"org.example/else", UI})):
            body = g.request("POST", "/mcp", *called(f"{name}__t", declared))[2]
            got = [json.loads(body)] if body.startswith(b"{") else events(body)
            assert set(got[-1]["result"]["structuredContent"]["told"]["extensions"]) == told, got
            assert [m.get("method") for m in got] == (["com.example/pulse", None] if name == "one" else [None]), got


def called(name, capabilities):
    """Body and headers of a 2026-07-28 call of a client with these capabilities."""
    body, headers = stateless("tools/call", {"name": name})
    message = json.loads(body)
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities
    return json.dumps(message), headers


@test
def methods_of_several_servers_need_a_hint(folder):
    with gateway(folder, *both(folder)) as g:
        g.wait_ready()
        s = Session(g)
        error = answer(s.post("com.example/echo", {})[2])["error"]
        assert error["code"] == -32601 and "it may be meant for old, new" in error["message"], error
        for params in ({"name": "new__t"}, {"_meta": {"io.github.mcptools/server": "new"}}):
            got = s.call("com.example/echo", params)
            assert got["method"] == "com.example/echo" and got["params"].get("name", "t") == "t", got
        for params in ({"name": "no__t"}, {"_meta": {"io.github.mcptools/server": "no"}}, {"uri": "x:1"}):
            assert answer(s.post("com.example/echo", params)[2])["error"]["code"] == -32601, params
    with gateway(folder, *both(folder, {"policy": {"deny": ["new.u"]}})) as g:
        g.wait_ready()
        hint = {"_meta": {"io.github.mcptools/server": "new"}}
        assert "policy restricts" in answer(Session(g).post("com.example/echo", hint)[2])["error"]["message"]
        assert Session(g).call("skills/list", hint)["method"] == "skills/list"


@test
def foreign_methods_are_recorded(folder):
    """As calls are: in events, the audit log and /metrics."""
    audit, lines = folder / "audit", folder / "events"
    arguments = both(folder, {"serve": {"audit_log": str(audit)}})
    with gateway(folder, *arguments, "--events", lines) as g:
        g.wait_ready()
        modern(g, "/mcp/new", "com.example/echo", {"uri": "https://ada:secret@host/x?key=1", "n": 1})
        modern(g, "/mcp/old", "nothing")
        text = g.request("GET", "/metrics")[2].decode()
        assert 'mcptools_calls_total{server="new",method="extension",outcome="ok"} 1' in text, text
        assert 'mcptools_calls_total{server="old",method="extension",outcome="server_error"} 1' in text, text
    begin, end = [line for line in map(json.loads, lines.read_text().splitlines()) if line["server"] == "new"]
    assert (begin["method"], begin["arguments"]["n"], end["result"]["method"]) == ("com.example/echo", 1, "com.example/echo")
    told, failed = map(json.loads, audit.read_text().splitlines())
    assert (told["method"], told["server"], told["tool"]) == ("com.example/echo", "new", "https://host/x"), told
    assert (failed["method"], failed["outcome"]) == ("nothing", "server_error") and "tool" not in failed, failed


if __name__ == "__main__":
    main()
