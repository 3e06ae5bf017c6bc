"""Apps (io.modelcontextprotocol/ui): what is declared, which tools who gets, and the settings of serve.apps."""

import json
import pathlib
import sys

from harness import Session, answer, gateway, main, run, stateless, test, write_config

SERVER = pathlib.Path(__file__).with_name("extension_server.py")
UI = "io.modelcontextprotocol/ui"
OFFERED = {"extensions": {UI: {"mimeTypes": ["text/html;profile=mcp-app"]}}}
SHOW = {"name": "show", "description": "Shows it", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://x/app.html"}}}
POLL = {"name": "poll", "description": "Polls it", "inputSchema": {"type": "object"}, "_meta": {"ui": {"visibility": ["app"]}}}
PLAIN = {"name": "plain", "description": "Does it", "inputSchema": {"type": "object"}}


def entry(tools, declared=None, era="legacy", **more):
    return {"command": sys.executable, "args": [str(SERVER), era, json.dumps(declared or {"tools": {}}), json.dumps(tools)], **more}


def serve(folder, apps=None, **servers):
    servers = servers or {"a": entry([SHOW, POLL, PLAIN]), "b": entry([SHOW, PLAIN])}
    return gateway(folder, "--config", write_config(folder, servers, {"serve": {"apps": apps}} if apps else None))


def names(session):
    return [t["name"] for t in session.call("tools/list")["tools"]]


def modern_list(g, capabilities):
    body, headers = stateless("tools/list")
    message = json.loads(body)
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities
    return answer(g.request("POST", "/mcp", json.dumps(message), headers)[2])["result"]


@test
def the_extension_is_advertised_for_tools_with_pages(folder):
    with serve(folder, a=entry([SHOW]), b=entry([PLAIN]), off=entry([SHOW], extensions="none")) as g:
        g.wait_ready()
        for path, wanted in (("/mcp", {UI: {}}), ("/mcp/a", {UI: {}}), ("/mcp/b", None), ("/mcp/off", None)):
            assert Session(g, path).info["capabilities"].get("extensions") == wanted, path
        assert "MCP Apps of a, off: hosts that show them work best with http://127.0.0.1:" in g.text()


@test
def servers_are_told_that_pages_are_shown(folder):
    plain = {"tools": {}, "extensions": {"com.example/x": {}}}
    with serve(folder, a=entry([PLAIN]), n=entry([PLAIN], plain, era="2026-07-28"), off=entry([PLAIN], extensions="none")) as g:
        g.wait_ready()
        s = Session(g)
        told = {name: s.call("tools/call", {"name": f"{name}__plain"})["structuredContent"]["told"].get("extensions") for name in ("a", "off")}
        assert told == {"a": OFFERED["extensions"], "off": None}, told
        for capabilities in ({}, OFFERED):
            told = Session(g, capabilities=capabilities).call("tools/call", {"name": "n__plain"})["structuredContent"]["told"]
            assert told.get("extensions") == capabilities.get("extensions"), told


@test
def tools_for_apps_only_are_listed_for_hosts_with_apps(folder):
    for hiding, without, with_apps in (("undeclared", 0, 1), ("never", 1, 1), ("always", 0, 0)):
        with serve(folder, {"hide_app_only": hiding}) as g:
            g.wait_ready()
            for capabilities, listed in (({}, without), (OFFERED, with_apps)):
                s = Session(g, capabilities=capabilities)
                assert ("a__poll" in names(s)) == bool(listed), (hiding, capabilities, names(s))
                assert s.call("tools/call", {"name": "a__poll"})["content"] == []
                one = modern_list(g, capabilities)
                assert ("a__poll" in [t["name"] for t in one["tools"]]) == bool(listed), (hiding, one)
                assert one["cacheScope"] == "private", one


@test
def they_may_be_left_out_of_the_merged_endpoint(folder):
    with serve(folder, {"app_only": "single"}) as g:
        g.wait_ready()
        s = Session(g, capabilities=OFFERED)
        assert names(s) == ["a__show", "a__plain", "b__show", "b__plain"], names(s)
        assert "unknown tool" in answer(s.post("tools/call", {"name": "a__poll"})[2])["error"]["message"]
        one = Session(g, "/mcp/a", capabilities=OFFERED)
        assert names(one) == ["show", "plain", "poll"] and one.call("tools/call", {"name": "poll"})["content"] == []


@test
def modes_keep_them(folder):
    for modes in ("keep", "hide"):
        with serve(folder, {"modes": modes}) as g:
            g.wait_ready()
            for mode in ("search", "router"):
                s = Session(g, f"/mcp?mode={mode}", capabilities=OFFERED)
                kept = [n for n in names(s) if "__" in n]
                assert kept == (["a__show", "a__poll", "b__show"] if modes == "keep" else []), (mode, kept)
                for name, works in (("a__poll", modes == "keep"), ("poll", modes == "keep"), ("a__plain", False)):
                    assert ("result" in answer(s.post("tools/call", {"name": name})[2])) == works, (mode, name)
                assert not [n for n in names(Session(g, f"/mcp?mode={mode}")) if "__" in n]


@test
def rules_apply_to_them(folder):
    config = write_config(folder, {"a": entry([SHOW, POLL])}, {"policy": {"deny": ["a.poll"]}})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        for path in ("/mcp", "/mcp?mode=search", "/mcp?mode=router", "/mcp/a"):
            s = Session(g, path, capabilities=OFFERED)
            assert "poll" not in names(s), path
            assert "error" in answer(s.post("tools/call", {"name": "poll"})[2]), path


@test
def models_do_not_get_them(folder):
    config = write_config(folder, {"a": entry([SHOW, POLL, PLAIN])})
    for provider in ("openai", "anthropic", "gemini"):
        text = run(folder, "tools", "--for", provider, "--config", config).stdout
        assert "show" in text and "plain" in text and "poll" not in text, text
    assert "poll  (for apps only)" in run(folder, "tools", "--config", config).stdout
    assert [t["name"] for t in json.loads(run(folder, "tools", "-o", "json", "--config", config).stdout)["tools"]] == ["show", "plain", "poll"]
    assert run(folder, "call", "a.poll", "--config", config).returncode == 0


if __name__ == "__main__":
    main()
