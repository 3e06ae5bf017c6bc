"""C plugins through the real program: their tools, their configuration, policies, and everything they can do wrong."""

import json
import os
import pathlib

from harness import Session, Stream, answer, gateway, main, processes_with, run, server, stateless, test, until, write_config

PLUGINS = pathlib.Path(os.environ["PLUGINS"])


def plugin(name, **more):
    return {"type": "plugin", "path": str(PLUGINS / f"{name}.so"), **more}


def odd(how, **more):
    return plugin("odd", config={"how": how}, **more)


def listed(s):
    return [t["name"] for t in s.call("tools/list")["tools"]]


def text_of(result):
    return result["content"][0]["text"]


def called(s, tool, **arguments):
    return text_of(s.call("tools/call", {"name": tool, "arguments": arguments}))


def tools_of(folder, servers, settings=None, *arguments):
    """Names of the tools clients get, and what was said on stderr."""
    done = run(folder, "tools", "-o", "json", "--config", write_config(folder, servers, settings), *arguments)
    return [t["name"] for t in json.loads(done.stdout)["tools"]], done.stderr


def status_of(folder, servers, env=None):
    """Of one server, with the exit status; stdout must be the answer alone."""
    done = run(folder, "status", "-o", "json", "--config", write_config(folder, servers), env=env)
    return {s["name"]: s for s in json.loads(done.stdout)["servers"]}, done


def reason(folder, entry, env=None):
    """Why this one does not work beside another server, which does."""
    servers, done = status_of(folder, {"bad": entry, "git": server("--tools", 1)}, env)
    assert servers["git"]["state"] == "connected" and servers["git"]["tools"] == 1, servers
    assert servers["bad"]["state"] == "error" and servers["bad"]["tools"] == 0 and done.returncode, (servers, done)
    assert not processes_with(str(folder / "mcptools.json"))
    return servers["bad"]["error"]["message"]


def marks(folder):
    path = folder / "marks"
    return path.read_text().split("\n")[:-1] if path.exists() else []


# ---- what works ----


@test
def listed_and_called_over_http(folder):
    entry = plugin("tools", config={"greeting": "${GREETING:-good day}", "marks": str(folder / "marks")},
                   context={"agentId": "main"})
    with gateway(folder, "--config", write_config(folder, {"mine": entry, "git": server("--tools", 1)})) as g:
        s, alone = Session(g.wait_ready()), Session(g, "/mcp/mine")
        names = ["greet", "context", "slow", "never", "twice", "none", "refuse", "own", "for_main"]
        assert listed(s) == [f"mine__{n}" for n in names] + ["git__tool0"] and listed(alone) == names
        assert called(s, "mine__greet", name="bob") == called(alone, "greet", name="bob") == "good day, bob"
        assert called(alone, "for_main", name="a\0b") == "good day, a\0b" and called(alone, "for_main") == "good day, world"
        tool = next(t for t in alone.call("tools/list")["tools"] if t["name"] == "own")
        assert tool["_meta"] == {"openclaw/plugin": "tools", "openclaw/ownerOnly": True}
        body, headers = stateless("tools/call", {"name": "mine__greet", "arguments": {"name": "\u00e4"}})
        assert text_of(answer(g.request("POST", "/mcp", body, headers)[2])["result"]) == "good day, \u00e4"
        error = answer(alone.post("tools/call", {"name": "refuse", "arguments": {}})[2])["error"]
        assert (error["code"], error["message"]) == (-32001, "not today")
    assert marks(folder) == ["trial", "trial is over", "setup", "teardown"]


@test
def over_stdio_nothing_else_gets_onto_stdout(folder):
    config = write_config(folder, {"x": odd("crash in teardown"), "mine": plugin("tools")})
    asked = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                          "clientInfo": {"name": "t", "version": "1"}}},
             {"method": "notifications/initialized"}, {"id": 2, "method": "tools/call", "params": {"name": "mine__greet"}}]
    done = run(folder, "serve", "--stdio", "--config", config,
               stdin="".join(json.dumps({"jsonrpc": "2.0", **m}) + "\n" for m in asked))
    said = {m.get("id"): m for m in map(json.loads, done.stdout.splitlines())}
    assert text_of(said[2]["result"]) == "hello, world" and done.returncode == 0, done


@test
def the_context_is_that_of_the_entry(folder):
    (folder / "conf").mkdir()
    context = {"agentDir": "agents", "agentId": "${AGENT:-main}", "sessionKey": "k", "messageChannel": "m", "agentAccountId": "a",
               "sandboxed": True}
    for more, expected in ((dict(workingDir="work", context=context), f"{folder}/conf/work {folder}/conf/agents main k m a yes"),
                           ({}, f"{folder}/conf/. - - - - - no")):
        config = write_config(folder / "conf", {"mine": plugin("tools", **more)})
        done = run(folder, "call", "mine.context", "--config", config)
        assert done.stdout == expected + "\n", done


@test
def paths_count_from_the_file(folder):
    (folder / "conf").mkdir()
    (folder / "conf" / "mine.so").symlink_to(PLUGINS / "tools.so")
    config = write_config(folder / "conf", {"mine": {"type": "plugin", "path": "./mine.so"}})
    assert run(folder, "call", "mine.greet", "--config", config).stdout == "hello, world\n"


@test
def progress_and_structured_content(folder):
    with gateway(folder, "--config", write_config(folder, {"mine": plugin("tools")})) as g:
        s = Session(g.wait_ready())
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": "slow", "arguments": {}, "_meta": {"progressToken": "p"}}})
        with Stream(g, "POST", "/mcp", s.headers, body) as post:
            post.rest()
            *told, last = [m for _, m in post.events() if m]
        step = {"progressToken": "p", "total": 3, "message": "a step"}
        assert [m["params"] for m in told] == [{**step, "progress": n} for n in (1, 2, 3)], told
        assert last["result"]["structuredContent"] == {"steps": 3}, last


def under_way(g, folder, s):
    """A call of the tool that never answers."""
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "never", "arguments": {}}})
    stream = Stream(g, "POST", "/mcp", s.headers, body)
    until(lambda: "never" in marks(folder), "the call has begun")
    return stream


@test
def cancelled_and_answered_too_late(folder):
    config = write_config(folder, {"mine": plugin("tools", config={"marks": str(folder / "marks")})})
    with gateway(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        with under_way(g, folder, s):
            s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
            until(lambda: "cancelled" in marks(folder), "the plugin hears of it")
        until(lambda: "tool 'never' answered a call that has already ended" in g.text(), "that is logged")
        assert called(s, "greet") == "hello, world"


@test
def never_answered(folder):
    config = write_config(folder, {"mine": plugin("tools", timeout=0.05, config={"marks": str(folder / "marks")})})
    done = run(folder, "call", "mine.never", "--config", config)
    assert done.returncode == 6 and "no answer within" in done.stderr, done
    assert marks(folder)[-3:] == ["never", "cancelled", "teardown"], marks(folder)


@test
def answered_wrongly(folder):
    config = write_config(folder, {"mine": plugin("tools")})
    twice, none = (run(folder, "call", f"mine.{name}", "--config", config) for name in ("twice", "none"))
    assert twice.stdout == "first\n" and "answered a call that has already ended" in twice.stderr, twice
    assert none.returncode and "tool 'none' returned no CallToolResult" in none.stdout, none


@test
def stopped_while_a_call_is_under_way(folder):
    config = write_config(folder, {"mine": plugin("tools", config={"marks": str(folder / "marks")})})
    with gateway(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        stream = under_way(g, folder, s)
    stream.close()
    assert marks(folder)[-3:] == ["never", "cancelled", "teardown"]


@test
def the_example(folder):
    config = write_config(folder, {"timer": plugin("timer", config={"max_seconds": 1}, workingDir=".")})
    assert run(folder, "call", "timer.wait", "seconds:=0.01", "--config", config).stdout == "the time is over\n"
    assert run(folder, "call", "timer.wait", "seconds:=2", "--config", config).returncode
    assert run(folder, "call", "timer.note", "text=buy milk", "--config", config).stdout == "noted\n"
    assert (folder / "notes.txt").read_text() == "buy milk\n"
    assert tools_of(folder, {"timer": plugin("timer", context={"sandboxed": True})})[0] == ["wait"]


# ---- policies ----


@test
def policies_know_its_tools_as_a_plugins(folder):
    servers = {"mine": plugin("tools"), "git": server("--tools", 2)}
    for policy, names in (({"allow": ["tools"]}, {"greet", "context", "danger"}), ({"allow": ["group:plugins"]}, {"greet", "danger"}),
                          ({"allow": ["mine"]}, {"greet", "danger"}), ({"allow": ["greet", "git"]}, {"greet", "tool0"}),
                          ({"deny": ["tools"]}, {"tool0", "tool1"}), ({"deny": ["group:plugins"]}, {"tool0"}),
                          ({"deny": ["group:tools", "git.tool1"]}, {"tool0"})):
        got, said = tools_of(folder, servers, {"policy": policy})
        got = {n.split("__")[1] for n in got}
        assert names <= got, (policy, got)
        assert ("greet" in got, "tool0" in got) == ("greet" in names, "tool0" in names), (policy, got)
        assert "unknown entries" not in said and "unknown group" not in said, (policy, said)
    unlike = {"policy": {"allow": ["tools"], "compat": "2026.2"}}
    assert "git__tool0" in tools_of(folder, servers, unlike)[0]  # a list of plugin tools only does not count there


@test
def optional_tools_are_asked_for(folder):
    servers = {"mine": plugin("tools"), "git": server("--tools", 1)}
    for policy, is_there in ((None, False), ({"deny": ["git"]}, False), ({"allow": ["*"]}, False), ({"allow": ["mine.*"]}, False),
                             ({"allow": ["*", "mine.danger"]}, True), ({"allow": ["danger"]}, True), ({"allow": ["tools"]}, True),
                             ({"allow": ["group:plugins"]}, True), ({"allow": ["tools"], "deny": ["danger"]}, False),
                             ({"profile": "p", "profiles": {"p": {"allow": ["*"]}}, "also_allow": ["danger"]}, True)):
        settings = {"policy": policy} if policy else None
        assert ("mine__danger" in tools_of(folder, servers, settings)[0]) == is_there, policy
        config = write_config(folder, servers, settings)
        done = run(folder, "call", "mine.danger", "--config", config)
        assert (done.stdout == "hello, world\n") == is_there and done.returncode == (0 if is_there else 7), (policy, done)
        explained = json.loads(run(folder, "tools", "--explain", "mine.danger", "-o", "json", "--config", config).stdout)
        assert explained["result"] == ("listed" if is_there else "removed") and explained["plugin"] == "tools", explained


@test
def optional_tools_of_one_token(folder):
    tokens = [{"token": "a", "name": "alice", "allow": ["*", "danger"]}, {"token": "b", "name": "bob"}]
    with gateway(folder, "--config", write_config(folder, {"mine": plugin("tools")}, {"serve": {"tokens": tokens}})) as g:
        until(lambda: g.request("GET", "/readyz", None, {"Authorization": "Bearer a"})[0] == 200, "ready")
        alice, bob = (Session(g, headers={"Authorization": f"Bearer {t}"}) for t in "ab")
        assert "danger" in listed(alice) and "danger" not in listed(bob)
        assert called(alice, "danger") == "hello, world"
        assert answer(bob.post("tools/call", {"name": "danger"})[2])["error"]["code"] == -32602
        assert called(bob, "own") == "Tool restricted to owner senders."


@test
def strangers_are_no_plugins(folder):
    claims = json.dumps({"name": "x", "inputSchema": {"type": "object"},
                         "_meta": {"openclaw/plugin": "tools", "openclaw/optional": True}})
    servers = {"mine": plugin("tools"), "evil": server("--tools", 0, "--tool-json", claims)}
    assert "evil__x" in tools_of(folder, servers)[0]
    assert "evil__x" not in tools_of(folder, servers, {"policy": {"allow": ["group:plugins", "tools"]}})[0]


@test
def the_entrys_own_lists(folder):
    entry = plugin("tools", tools={"allow": ["greet", "s*", "danger"], "deny": ["slow"]})
    assert tools_of(folder, {"mine": entry})[0] == ["greet"]
    assert tools_of(folder, {"mine": entry}, {"policy": {"allow": ["tools"]}})[0] == ["greet", "danger"]


# ---- configuration ----


@test
def what_is_wrong_with_an_entry(folder):
    text = '{"mcpServers": {\n  "a": {"type": "plugin"},\n  "b": {"type": "plugin", "path": "x", "trial": 1},\n' \
           '  "c": {"type": "plugin", "path": "x", "config": 1},\n' \
           '  "d": {"type": "plugin", "path": "mcptools.json", "context": {"agentID": "x"}, "env": {"A": "b"}}\n}}'
    (folder / "mcptools.json").write_text(text)
    done = run(folder, "config", "check", "-o", "json", "--config", "mcptools.json")
    said = [p["message"] for p in json.loads(done.stdout)["problems"]]
    assert done.returncode == 2 and said == [
        'mcptools.json:2:3: mcpServers.a: "type": "plugin" needs "path", a shared object, and neither "command" nor "url"',
        "mcptools.json:3:40: mcpServers.b.trial: must be true or false", "mcptools.json:4:40: mcpServers.c.config: must be an object",
        'mcptools.json:5: mcpServers.d.env: has no effect on a plugin, which runs in this process; use "config"',
        "mcptools.json:5:64: mcpServers.d.context.agentID: unknown key, ignored; did you mean 'agentId'?"], (done, said)


@test
def configuration_that_does_not_fit_the_schema(folder):
    (folder / "mcptools.json").write_text('{"mcpServers": {\n\n"mine": {"type": "plugin", "path": "%s", "config": {"greeting": 7}}}}'
                                          % (PLUGINS / "tools.so"))
    done = run(folder, "status", "--config", "mcptools.json")
    assert "configuration: " in done.stdout and "mcptools.json:3: server 'mine': config/greeting: must be" in done.stdout, done
    assert run(folder, "config", "check", "--config", "mcptools.json").returncode == 0  # nothing is loaded to find that out
    assert "the environment variable UNSET is not set" in reason(folder, plugin("tools", config={"greeting": "${UNSET}"}))


@test
def secrets_of_the_configuration_are_not_shown(folder):
    config = write_config(folder, {"mine": plugin("tools", config={"greeting": "s3cret"}),
                                   "bad": plugin("tools", config={"s": "s3cret"})})
    for command in (["config", "list"], ["config", "get", "mine"], ["config", "list", "-o", "json"], ["status"]):
        done = run(folder, *command, "--config", config)
        assert "s3cret" not in done.stdout + done.stderr and "tools.so" in done.stdout, done


# ---- what goes wrong ----


@test
def objects_that_are_no_plugins(folder):
    (folder / "text.so").write_text("this is no shared object")
    path = str(PLUGINS)
    for name, why in (("there_is_none", f"{path}/there_is_none.so: cannot open shared object file: No such file or directory"),
                      (str(folder / "text"), f"{folder}/text.so: "),
                      ("no_symbol", 'no_symbol.so: not a plugin: it does not export "mcptools_plugin"'),
                      ("undefined", "undefined.so: undefined symbol: there_is_no_such_function"),
                      ("newer_abi", "built for plugin ABI 2, but mcptools "), ("older_abi", "built for plugin ABI 0"),
                      ("empty", "its struct mct_plugin is too small (0 bytes)"), ("bad_id", "its id 'Bad Id' must have 1 to 64 of the characters a-z 0-9"),
                      ("no_id", "its id '' must have"), ("bad_name", "its name must be at most 1024 bytes without control characters"),
                      ("no_setup", "missing setup()"), ("bad_schema", "invalid config_schema: not valid JSON")):
        said = reason(folder, plugin(name))
        assert why in said and said.startswith("/"), (name, said)


@test
def of_one_abi_sizes_may_differ(folder):
    for name in ("smaller", "larger"):
        config = write_config(folder, {"mine": plugin(name)})
        done = run(folder, "call", "mine.good", "--config", config)
        assert (done.stdout, done.returncode) == ("fine\n", 0), done


@test
def what_kills_or_hangs_is_told(folder):
    for how, why in (("crash", "crashed in setup(): signal "), ("abort", "crashed in setup(): signal 6 (Aborted)"),
                     ("exit", "ended the process in setup()"), ("refuse", "setup(): the moon is wrong"),
                     ("silently", "setup(): no reason given"), ("crash in a factory", "crashed in a tool factory: signal "),
                     ("crash in teardown", "crashed in teardown(): signal "),
                     ("crash when unloaded", "crashed while unloading: signal ")):
        said = reason(folder, odd(how))
        assert f"odd.so: {why}" in said, (how, said)
    assert "timed out in setup() after 1 s (start_timeout)" in reason(folder, odd("hang", start_timeout=1))


@test
def so_are_constructors(folder):
    for how, why in (("crash", "crashed while loading: signal "), ("exit", "ended the process while loading"),
                     ("hang", "timed out while loading after 1 s (start_timeout)")):
        assert why in reason(folder, plugin("odd", start_timeout=1), env={"ODD_CONSTRUCTOR": how}), how


@test
def an_exception_is_a_crash(folder):
    if (PLUGINS / "throws.so").exists():
        why = reason(folder, plugin("throws"))  # under AddressSanitizer it is that which ends the process
        assert "throws.so: crashed" in why and " in setup()" in why, why


@test
def tools_that_are_wrong_are_left_out(folder):
    names, said = tools_of(folder, {"x": odd("a factory that fails")})
    assert names == ["good", "too"], names
    assert "plugin 'odd': tool 'not good': the name must have" in said and "tool 'good': duplicate tool 'good'" in said, said
    assert said.count("plugin tool failed (odd): a factory: the factory is closed; tools of this factory skipped") == 1, said


@test
def one_id_once(folder):
    servers, _ = status_of(folder, {"one": plugin("tools"), "two": plugin("tools")})
    states = sorted((s["state"], name) for name, s in servers.items())
    (_, good), (_, bad) = states
    assert [s for s, _ in states] == ["connected", "error"], servers
    assert f"duplicate plugin 'tools', already loaded as server '{good}'" in servers[bad]["error"]["message"], servers


@test
def a_plugin_that_hangs_is_given_up(folder):
    """Lists do not wait for it; calls do, because it may bring hooks, but only as long as it may take to start."""
    with gateway(folder, "--config", write_config(folder, {"x": odd("hang", start_timeout=2), "mine": plugin("tools")})) as g:
        until(lambda: len(processes_with(str(folder / "mcptools.json"))) == 3, "gateway, reaper and trial")
        s = Session(g, "/mcp/mine")
        until(lambda: "greet" in listed(s), "the other one is there")
        assert called(s, "greet") == "hello, world"
        state = {p["name"]: p["state"] for p in json.loads(g.request("GET", "/readyz")[2])["servers"]}
        assert state == {"x": "error", "mine": "connected"}, state
    until(lambda: not processes_with(str(folder / "mcptools.json")), "nothing is left of it")


@test
def killed_during_a_trial(folder):
    with gateway(folder, "--config", write_config(folder, {"x": odd("hang")})) as g:
        until(lambda: len(processes_with(str(folder / "mcptools.json"))) == 3, "gateway, reaper and trial")
        g.process.kill()
        g.process.wait()
        until(lambda: not processes_with(str(folder / "mcptools.json")), "nothing is left of it")


@test
def nothing_is_left_of_trials(folder):
    servers = {"x": odd("leave something"), "y": plugin("timer"), "z": plugin("tools")}
    with gateway(folder, "--config", write_config(folder, servers)) as g:
        g.wait_ready()
        pid = g.process.pid
        until(lambda: len(processes_with(str(folder / "mcptools.json"))) == 2, "gateway and reaper")
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        assert len(children) == 1, children  # the reaper: no zombie


@test
def hooks_where_none_run(folder):
    """A plugin that insists on its hooks is no failure where nothing is called; where its server is not meant it is started for them."""
    guard = odd("guard")
    config = write_config(folder, {"guard": guard, "git": server("--tools", 1)})
    for command in (["list"], ["status"], ["tools"], ["tools", "--for", "openai"]):
        done = run(folder, *command, "--config", config)
        assert done.returncode == 0 and "no hooks" not in done.stderr + done.stdout, (command, done)
    named = ["call", "git__tool0", "--args", "{}", "--config", config]
    for more in ([], ["--for", "openai"]):
        done = run(folder, *named, *more)
        assert done.returncode == 7 and "guarded" in done.stdout, (more, done)
    done = run(folder, "call", "tool0", "--args", "{}", "--config", config, "--for", "openai", "--server", "git")
    assert done.returncode == 7 and "guarded" in done.stdout, done
    done = run(folder, "tools", "--for", "openai", "--server", "git", "--config", config)
    assert [t["function"]["name"] for t in json.loads(done.stdout)] == ["tool0"], done
    done = run(folder, "serve", "--stdio", "--server", "git", "--config", config, stdin="")
    assert "server 'guard' is not selected by --server: hooks" in done.stderr, done.stderr


@test
def required_hooks(folder):
    """What a required plugin would hook is not known when it does not come up: nothing of others passes."""
    for more, status in [({}, 0), ({"required": True}, 7)]:
        config = write_config(folder, {"bad": odd("refuse", **more), "git": server("--tools", 1)})
        done = run(folder, "call", "git.tool0", "--config", config)
        assert done.returncode == status, done
        assert ("hooks of required server 'bad' are not known: " in done.stdout) == bool(more), done


if __name__ == "__main__":
    main()
