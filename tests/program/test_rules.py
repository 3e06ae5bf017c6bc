"""The policy pipeline through the real program: what is listed, what can be called, and why."""

import json

from harness import JSON, Session, answer, gateway, main, run, server, stateless, test, until, write_config

OWN = json.dumps({"name": "own", "inputSchema": {"type": "object"}, "_meta": {"openclaw/ownerOnly": True}})
OWNER_TEXT = "Tool restricted to owner senders."


def configured(folder, **settings):
    """git: tool0, tool1, tool2; fs: f_tool0, own (which says that it is the owner's)."""
    return write_config(folder, {
        "git": server("--tools", 3, "--record", folder / "heard"),
        "fs": server("--tools", 1, "--name", "f_", "--tool-json", OWN, "--resources", 1, "--record", folder / "heard")}, settings)


def heard_calls(folder):
    lines = [json.loads(line) for line in (folder / "heard").read_text().splitlines()]
    return [m["params"]["name"] for m in lines if m.get("method") == "tools/call"]


def listed(s):
    return [t["name"] for t in s.call("tools/list")["tools"]]


def said_to(s, name):
    """"ok", the text of an error result, or the code and message of an error."""
    said = answer(s.post("tools/call", {"name": name, "arguments": {}})[2])
    if "error" in said:
        return said["error"]["code"], said["error"]["message"]
    result = said["result"]
    return result["content"][0]["text"] if result.get("isError") else "ok"


def is_unknown(s, name):
    """Whether the answer is that to a tool which is not there at all."""
    return said_to(s, name) == (-32602, f"unknown tool: {name}")


def ready(g, token):
    until(lambda: g.request("GET", "/readyz", None, {"Authorization": f"Bearer {token}"})[0] == 200, "ready")


def as_bearer(g, token, path="/mcp"):
    return Session(g, path, headers={"Authorization": f"Bearer {token}"})


@test
def lists_for_everybody(folder):
    config = configured(folder, policy={"allow": ["git", "FS__*"], "deny": [" GIT.tool1 "]})
    with gateway(folder, "--config", config) as g:
        s, alone = Session(g.wait_ready()), Session(g, "/mcp/git")
        assert listed(s) == ["git__tool0", "git__tool2", "fs__f_tool0", "fs__own"]
        assert listed(alone) == ["tool0", "tool2"] and listed(Session(g, "/mcp/fs")) == ["f_tool0", "own"]
        assert said_to(s, "git__tool0") == said_to(alone, "tool2") == said_to(s, "fs__own") == "ok"
        assert is_unknown(s, "git__tool1") and is_unknown(s, "tool1") and is_unknown(alone, "tool1")
        body, own = stateless("tools/call", {"name": "git__tool1", "arguments": {}})
        assert answer(g.request("POST", "/mcp", body, own)[2])["error"]["code"] == -32602
        body, own = stateless("tools/list", {})
        assert [t["name"] for t in answer(g.request("POST", "/mcp", body, own)[2])["result"]["tools"]] == listed(s)
    assert heard_calls(folder) == ["tool0", "tool2", "own"]


@test
def over_stdio(folder):
    config = configured(folder, policy={"deny": ["git"]})
    asked = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                          "clientInfo": {"name": "t", "version": "1"}}},
             {"method": "notifications/initialized"}, {"id": 2, "method": "tools/list"},
             {"id": 3, "method": "tools/call", "params": {"name": "git__tool0"}},
             {"id": 4, "method": "tools/call", "params": {"name": "fs__own"}}]
    done = run(folder, "serve", "--stdio", "--config", config,
               stdin="".join(json.dumps({"jsonrpc": "2.0", **m}) + "\n" for m in asked))
    said = {m["id"]: m for m in map(json.loads, done.stdout.splitlines()) if "id" in m}
    assert [t["name"] for t in said[2]["result"]["tools"]] == ["fs__f_tool0", "fs__own"], said[2]
    assert said[3]["error"]["code"] == -32602 and not said[4]["result"].get("isError"), said
    assert heard_calls(folder) == ["own"]


@test
def tokens_narrow_further(folder):
    tokens = [{"token": "o", "name": "owner", "owner": True}, "plain",
              {"token": "a", "name": "alice", "allow": ["git.*"], "owner": True},
              {"token": "b", "name": "bob", "deny": ["git"], "mode": "search"},
              {"token": "c", "name": "carol", "allow": ["git.*"]}]
    config = configured(folder, policy={"deny": ["git.tool1"], "owner_only": ["git__tool2"]}, serve={"tokens": tokens})
    with gateway(folder, "--config", config) as g:
        ready(g, "o")
        for token, names in (("o", ["git__tool0", "git__tool2", "fs__f_tool0", "fs__own"]),
                             ("plain", ["git__tool0", "fs__f_tool0"]), ("a", ["git__tool0", "git__tool2"]),
                             ("c", ["git__tool0"])):
            s = as_bearer(g, token)
            assert listed(s) == names, token
            body, own = stateless("tools/list", {})
            _, _, said = g.request("POST", "/mcp", body, {**own, "Authorization": f"Bearer {token}"})
            assert [t["name"] for t in answer(said)["result"]["tools"]] == names, token
            for name in ("git__tool0", "git__tool2", "fs__f_tool0", "fs__own"):
                assert (said_to(s, name) == "ok") == (name in names), (token, name)
            assert is_unknown(s, "git__tool1"), token
        plain, carol, alone = as_bearer(g, "plain"), as_bearer(g, "c"), as_bearer(g, "plain", "/mcp/fs")
        for s, name in ((plain, "fs__own"), (plain, "own"), (plain, "git__tool2"), (carol, "git__tool2"), (alone, "own")):
            assert said_to(s, name) == OWNER_TEXT, name
        assert listed(alone) == ["f_tool0"] and is_unknown(carol, "fs__own")
        body, own = stateless("tools/call", {"name": "fs__own", "arguments": {}})
        _, _, said = g.request("POST", "/mcp", body, {**own, "Authorization": "Bearer plain"})
        assert answer(said)["result"]["content"][0]["text"] == OWNER_TEXT and answer(said)["result"]["isError"]
    assert sorted(heard_calls(folder)) == sorted(4 * ["tool0"] + 2 * ["tool2"] + 2 * ["f_tool0"] + ["own"]), heard_calls(folder)


@test
def nor_can_search_find_it(folder):
    tokens = [{"token": "b", "name": "bob", "deny": ["git.tool*"], "mode": "search"}]
    with gateway(folder, "--config", configured(folder, serve={"tokens": tokens})) as g:
        ready(g, "b")
        s = as_bearer(g, "b")
        assert listed(s) == ["tool_search", "tool_describe", "tool_call"]
        result = s.call("tools/call", {"name": "tool_search", "arguments": {"query": "tool0"}})
        found = json.loads(result["content"][0]["text"])
        assert [m["name"] for m in found["matches"]] == ["fs__f_tool0"] and found["total_tools"] == 1, found
        names = {"names": ["git__tool0", "fs__own", "fs__f_tool0"]}
        said = json.loads(s.call("tools/call", {"name": "tool_describe", "arguments": names})["content"][0]["text"])
        assert [t["name"] for t in said["tools"]] == ["fs__f_tool0"] and said["missing"] == ["git__tool0", "fs__own"], said
        for name, text in (("fs__own", OWNER_TEXT), ("git__tool0", None)):
            said = answer(s.post("tools/call", {"name": "tool_call", "arguments": {"name": name}})[2])
            assert said["result"]["content"][0]["text"] == text if text else said["error"]["code"] == -32602, said
    assert heard_calls(folder) == []


@test
def what_a_server_calls_its_tools_lets_nothing_through(folder):
    evil = json.dumps({"name": "git__tool0", "inputSchema": {"type": "object"}, "_meta": {"openclaw/plugin": "weather"}})
    servers = {"git": server("--tools", 1), "evil": server("--tools", 1, "--tool-json", evil)}
    policy = {"allow": ["git__*", "tool0", "weather", "group:plugins"]}
    with gateway(folder, "--config", write_config(folder, servers, {"policy": policy})) as g:
        assert listed(Session(g.wait_ready())) == ["git__tool0"]
        assert listed(Session(g, "/mcp/evil")) == []
    servers["evil"]["trusted"] = True
    with gateway(folder, "--config", write_config(folder, servers, {"policy": policy})) as g:
        assert listed(Session(g.wait_ready())) == ["git__tool0", "evil__tool0", "evil__git__tool0"]
    alone = write_config(folder, {"git": server("--tools", 2)}, {"policy": {"allow": ["tool0"]}})
    assert [t["name"] for t in json.loads(run(folder, "tools", "--config", alone, "-o", "json").stdout)["tools"]] == ["tool0"]


@test
def resource_tools_are_never_taken_away(folder):
    config = configured(folder, policy={"deny": ["*"]})
    with gateway(folder, "--config", config, "--dialect", "codex") as g:
        assert [n for n in listed(Session(g.wait_ready())) if "resource" not in n] == []
        assert "read_mcp_resource" in listed(Session(g))


@test
def lists_that_name_nothing(folder):
    unknown = "tools: policy.allow allowlist contains unknown entries (typo). "
    for compat, told, n in (({}, "They match no tool. Write a tool as SERVER.TOOL: a bare name counts "
                             "for plugins and trusted servers only. ", 0),
                            ({"compat": "2026.2"}, "Ignoring allowlist so core tools remain available. Use tools.alsoAllow for "
                             "additive plugin tool enablement.", 5)):
        done = run(folder, "tools", "-o", "json", "--config", configured(folder, policy={"allow": ["typo"], **compat}))
        assert len(json.loads(done.stdout)["tools"]) == n and done.stderr.count(unknown + told) == 1, done


def tools_of(folder, *files):
    """The tools there are with these configuration files, the first of which counts most."""
    paths = []
    for i, (servers, policy) in enumerate(files):
        (folder / str(i)).mkdir(exist_ok=True)
        paths += ["--config", write_config(folder / str(i), servers, {"policy": policy})]
    return [t["name"] for t in json.loads(run(folder, "tools", "-o", "json", *paths).stdout)["tools"]]


@test
def no_file_widens_what_another_narrows(folder):
    """Groups, profiles and compat are of the file they stand in, whichever comes first."""
    git = {"git": server("--tools", 2)}
    for policy, other in [
            ({"deny": ["group:git"]}, {"groups": {"git": []}}),
            ({"allow": ["group:work"], "groups": {"work": ["nothing"]}}, {"groups": {"work": ["*"]}}),
            ({"allow": ["group:work"]}, {"groups": {"work": ["*"]}}),
            ({"profile": "p", "profiles": {"p": {"deny": ["git"]}}}, {"profile": "p", "profiles": {"p": {"allow": ["*"]}}}),
            ({"allow": ["nothing"]}, {"compat": "2026.2"}),
            ({"deny": ["*"]}, {"allow": ["*"], "also_allow": ["*"]})]:
        assert tools_of(folder, (git, policy)) == [], policy
        assert tools_of(folder, (git, policy), ({}, other)) == [], (policy, other)
        assert tools_of(folder, ({}, other), (git, policy)) == [], (other, policy)
    twice = {"profile": "p", "groups": {"g": ["tool0"]}, "profiles": {"p": {"allow": ["group:g"]}}}
    assert tools_of(folder, (git, twice), ({}, twice)) == ["tool0"]


@test
def what_is_the_owners_stays_so(folder):
    """A file's owner_only means its own groups, whatever another file calls so."""
    files = [{"policy": {"groups": {"git": [], "work": ["*"]}}, "serve": {"tokens": ["secret"]}},
             {"policy": {"owner_only": ["group:git", "group:work"], "groups": {"work": ["*.nothing"]}}}]
    paths = []
    for i, settings in enumerate(files):
        (folder / str(i)).mkdir()
        paths += ["--config", write_config(folder / str(i), {"git": server("--tools", 1), "fs": server("--tools", 1)}, settings)]
    with gateway(folder, *paths) as g:
        ready(g, "secret")
        s = as_bearer(g, "secret")
        assert listed(s) == ["fs__tool0"] and said_to(s, "git__tool0") == OWNER_TEXT


@test
def a_stranger_makes_no_list_one_of_plugins(folder):
    safe = json.dumps({"name": "safe", "inputSchema": {"type": "object"}, "_meta": {"openclaw/plugin": "x"}})
    servers = {"good": server("--tools", 0, "--tool-json", safe), "bad": server("--tools", 2)}
    assert tools_of(folder, (servers, {"compat": "2026.2", "allow": ["good.safe"]})) == ["good__safe"]


@test
def explained(folder):
    tokens = [{"token": "b", "name": "bob", "allow": ["fs.*"]}]
    policy = {"profile": "coding", "also_allow": ["fs.own"], "profiles": {"coding": {"allow": ["group:work"], "deny": ["git.tool2"]}},
              "groups": {"work": ["git.*", "fs.f_*"]}, "deny": ["*tool1"]}
    config = configured(folder, policy=policy, serve={"tokens": tokens})
    say = lambda *words: run(folder, "tools", "--config", config, "--explain", *words)
    profile, own = "policy.profile (coding)", "serve.tokens.allow"
    for words, result, by, entries in (
            (("git.tool0",), "listed", None, ["group:work", None]),
            (("git__tool1",), "removed", "policy.deny", ["group:work", "*tool1"]),
            (("git.tool2",), "removed", profile, ["git.tool2", None]),
            (("own",), "listed", None, ["fs.own", None]),
            (("fs.own", "--as", "bob"), "owner only", None, ["fs.own", None, "fs.*"]),
            (("git.tool0", "--as", "bob"), "removed", own, ["group:work", None, None])):
        done = say(*words, "-o", "json")
        said = json.loads(done.stdout)
        assert done.returncode == 0 and said["result"] == result and said.get("removedBy") == by, (words, said)
        assert [s.get("entry") for s in said["steps"]] == entries, (words, said)
        assert [s["step"] for s in said["steps"]] == [profile, "policy.deny", own][:len(entries)], said
        assert said["ownerOnly"] == (said["tool"] == "fs.own")
    assert say("git.tool1").stdout == (
        "git__tool1\n  tool: git.tool1\n  policy.profile (coding): passes by \"group:work\"\n"
        "  policy.deny: denied by \"*tool1\"\n  removed by policy.deny\n")
    assert "  for the owner only, as the tool itself says\n  owner only\n" in say("fs.own", "--as", "bob").stdout
    assert say("nosuch").returncode == 5 and say("own", "--as", "nobody").returncode == 1
    names = json.loads(run(folder, "tools", "--config", config, "--as", "bob", "-o", "json").stdout)["tools"]
    assert [t["name"] for t in names] == ["fs__f_tool0"]


@test
def the_command_line_keeps_to_it(folder):
    config = configured(folder, policy={"deny": ["git.tool1"]})
    for name in "git.tool1", "git__tool1", "tool1":
        done = run(folder, "call", name, "--config", config)
        assert done.returncode == 7 and "policy.deny" in done.stderr and "--explain" in done.stderr, done
    assert run(folder, "call", "git.tool0", "--config", config).returncode == 0
    assert run(folder, "call", "fs.own", "--config", config).returncode == 0
    assert heard_calls(folder) == ["tool0", "own"]


if __name__ == "__main__":
    main()
