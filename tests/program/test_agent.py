"""`mcptools agent` and its tool, from servers to stdout: every answer is a block, whatever happens."""

import base64
import json
import re
import signal
import subprocess
import sys

from harness import (MCPTOOLS, PATIENCE_S, Session, environment, gateway, main, run, server, test, write_config)

ZH = {"LC_ALL": "zh_CN.UTF-8"}
EVERY_BYTE = bytes(range(256))

# A server that answers reads from a table, and does not answer the methods that its arguments name. It lists the URIs of
# the table, but not those that begin with "unlisted:".
TABLE_SERVER = """
import json, sys
reads, mute = json.loads(sys.argv[1]), sys.argv[2:]
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m or m["method"] in mute:
        continue
    uri = m.get("params", {}).get("uri")
    results = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"resources": {}},
                       "serverInfo": {"name": "s", "version": "1"}},
        "resources/list": {"resources": [{"uri": u, "name": u} for u in reads if not u.startswith("unlisted:")]},
        "resources/templates/list": {"resourceTemplates": []}}
    said = {"error": {"code": -32601, "message": "Method not found"}}
    if m["method"] in results:
        said = {"result": results[m["method"]]}
    elif m["method"] == "resources/read":
        said = reads.get(uri, {"error": {"code": -32002, "message": "Resource not found"}})
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **said}), flush=True)
"""


def table(reads=None, *mute):
    return {"command": sys.executable, "args": ["-c", TABLE_SERVER, json.dumps(reads or {}), *mute]}


def text(uri, content):
    return {uri: {"result": {"contents": [{"uri": uri, "text": content}]}}}


def error(code, message):
    return {"error": {"code": code, "message": message}}


def agent(folder, *arguments, config=None, env=None):
    options = ("--config", config) if config else ()
    return run(folder, "agent", *arguments, *options, env={**ZH, **(env or {})})


META = re.compile(r'  meta: \{agent: mcp, time: \d+(\.\d)?, ts: "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"\}')


def block(done):
    """The lines of a block but the last, which holds the time."""
    assert done.stdout.endswith("\n"), done
    *lines, meta = done.stdout[:-1].split("\n")
    assert META.fullmatch(meta) and len(lines) == 3, done
    return lines


def fault(done):
    """Type and message of an error, and whether it may be repeated."""
    first, state, data = block(done)
    found = re.fullmatch(r'  data: \{type: "(\w+)", msg: "((?:[^"\\]|\\.)*)", recoverable: (true|false)(, available: .*)?\}', data)
    assert found and state in ("  state: error", "  state: timeout"), done
    assert first.startswith(f"❌ mcp {found[1]}: "), done
    return found[1], json.loads(f'"{found[2]}"'), found[3] == "true"


@test
def the_examples_of_the_seed_come_out_as_printed(folder):
    readme = "# Project README\n\nThis is a sample project...".ljust(2500, ".")
    large = "{" + "x" * 49998 + "}"
    config = write_config(folder, {"filesystem": table({**text("file://readme.md", readme), **text("file://large.json", large)})})
    done = agent(folder, "read", "file://readme.md", config=config)
    assert block(done) == [
        "✅ mcp 资源读取: file://readme.md (2.5KB)", "  state: success",
        f'  data: {{uri: "file://readme.md", content: {json.dumps(readme)}, truncated: false, original_size: 2500}}'], done
    assert (done.returncode, done.stderr) == (0, ""), done
    done = agent(folder, "read", "file://large.json", config=config)
    assert block(done) == [
        "⚠️ mcp 资源读取: file://large.json (内容已截断)", "  state: partial",
        f'  data: {{uri: "file://large.json", content: {json.dumps(large[:1000])}, truncated: true, original_size: 50000, shown: 1000}}'], done
    assert done.returncode == 0, done
    done = agent(folder, "read", "file://missing.md", config=write_config(folder, {"filesystem": table()}, name="none.json"))
    assert block(done) == [
        "❌ mcp ResourceNotFound: 资源不存在: file://missing.md", "  state: error",
        '  data: {type: "ResourceNotFound", msg: "URI \'file://missing.md\' not found on server \'filesystem\'", recoverable: false}'], done
    assert done.returncode == 5, done


@test
def both_numbers_can_be_chosen(folder):
    reads = {**text("x://10", "😀" * 10), **text("x://11", "😀" * 11), **text("x://whole", "é" * 10000), **text("x://more", "é" * 10001)}
    for lines, uri, size, shown in (({"whole_chars": 10, "shown_chars": 3}, "x://10", 40, None), ({"whole_chars": 10, "shown_chars": 3}, "x://11", 44, 3),
                                    ({"whole_chars": 10, "shown_chars": 0}, "x://11", 44, 0), ({"shown_chars": 5}, "x://10", 40, 5),
                                    ({"shown_chars": 20000}, "x://more", 20002, None), ({}, "x://whole", 20000, None), ({}, "x://more", 20002, 1000)):
        config = write_config(folder, {"a": table(reads)}, {"mcp": {"lines": lines}})
        _, state, data = block(agent(folder, "read", uri, config=config))
        assert state == ("  state: success" if shown is None else "  state: partial"), (lines, uri, state)
        assert data.endswith(f"original_size: {size}}}" if shown is None else f"original_size: {size}, shown: {shown}}}"), (lines, uri, data)


SAID = [  # code, words, type; tests/unit/resources/test_cause.c has the sources, and more
    (-32603, "Unknown resource: {uri}", "ResourceNotFound"),
    (0, "Unknown resource: {uri}", "ResourceNotFound"),
    (-32602, "Resource not found", "ResourceNotFound"),
    (-32602, "MCP error -32602: Resource {uri} not found", "ResourceNotFound"),
    (-32603, "ENOENT: no such file or directory, open '/a'", "ResourceNotFound"),
    (-32002, "gone", "ResourceNotFound"),
    (-32603, "EACCES: permission denied, open '/a'", "PermissionDenied"),
    (-32001, "Permission denied", "PermissionDenied"),
    (-32603, "Access denied - path outside allowed directories: /a not in /b", "PermissionDenied"),
    (-32603, "Invalid URL", "InvalidURI"),
    (-32603, "boom", "ServerError"),
    (-32603, "", "ServerError"),
    (-32602, "bad cursor", "ServerError"),
    (0, "权限不足的反面: 一切正常 \"\n\x1b[2J", "PermissionDenied"),
    (-32603, "服务器忙" * 200, "ServerError"),
]
RECOVERABLE = {"ResourceNotFound": False, "PermissionDenied": False, "ServerError": False, "InvalidURI": True}
STATUS = {"ResourceNotFound": 5, "PermissionDenied": 3, "ServerError": 5, "InvalidURI": 1}


@test
def errors_have_the_type_of_what_servers_say(folder):
    reads = {f"x://{i}": error(code, words.format(uri=f"x://{i}")) for i, (code, words, _) in enumerate(SAID)}
    config = write_config(folder, {"a": table(reads)})
    for i, (_, words, kind) in enumerate(SAID):
        done = agent(folder, "read", f"x://{i}", config=config)
        found, msg, recoverable = fault(done)
        assert (found, recoverable, done.returncode) == (kind, RECOVERABLE[kind], STATUS[kind]), (words, done)
        if kind == "ServerError":
            assert msg == words or (len(words) > 150 and msg.startswith(words[:150])), (words, msg)


@test
def several_servers_may_not_have_it_in_their_own_words(folder):
    missing = {"unlisted:1": error(0, "Unknown resource: unlisted:1"), **text("x://2", "2")}
    config = write_config(folder, {"python": table(missing), "other": table()})
    assert fault(agent(folder, "read", "unlisted:1", config=config))[:2] == (
        "ResourceNotFound", "URI 'unlisted:1' not found on servers 'python', 'other' (Available Resources List)")
    config = write_config(folder, {"python": table(missing), "dead": {"command": "false"}})
    done = agent(folder, "read", "unlisted:1", config=config)
    assert fault(done)[:2] == (
        "ResourceNotFound", "URI 'unlisted:1' not found on server 'python'; not connected: 'dead' (Available Resources List)"), done


@test
def an_error_of_the_handshake_is_a_failed_connection(folder):
    refuses = 'import json,sys\nfor l in sys.stdin:\n m=json.loads(l)\n print(json.dumps({"jsonrpc":"2.0","id":m.get("id"),"error":{"code":-32603,"message":"Resource not found"}}),flush=True)'
    config = write_config(folder, {"a": {"command": sys.executable, "args": ["-c", refuses]}})
    for asked in (("list",), ("read", "x://1")):
        done = agent(folder, *asked, config=config)
        assert fault(done)[0] == "ConnectionFailed" and done.returncode == 4, done


@test
def a_server_that_hangs_has_timed_out(folder):
    hangs, fine = table({}, "resources/list"), table(text("x://1", "1"))
    config = write_config(folder, {"hangs": hangs}, {"mcp": {"list_timeout_s": 1}})
    done = agent(folder, "list", config=config)
    assert fault(done) == ("Timeout", "hangs: no answer after 1 s (Check Configuration)", True) and done.returncode == 6, done
    config = write_config(folder, {"hangs": hangs, "fine": fine, "mute": table({}, "initialize")}, {"mcp": {"list_grace_s": 1}})
    done = agent(folder, "list", config=config)
    first, state, data = block(done)
    assert (first, state, done.returncode) == ("⚠️ mcp 资源列表: 发现 1 个服务器, 共 1 个资源", "  state: partial", 8), done
    assert '{name: "hangs", type: "Timeout", msg: "no answer after ' in data and '{name: "mute", type: "Timeout", msg: "still not connected after' in data, data
    with gateway(folder, "--config", config) as g:  # while it starts
        said = Session(g, "/mcp?dialect=lines,nexo").call("tools/call", {"name": "mcp", "arguments": {"action": "list"}})["content"][0]["text"]
        assert '{name: "hangs", type: "Timeout", msg: "no answer after ' in said, said
        said = Session(g, "/mcp?dialect=nexo").call("tools/call", {"name": "ListMcpResources", "arguments": {}})["content"][0]["text"]
        told = {e["server"]: e["error"][:20].strip() for e in json.loads(said)["errors"]}
        assert told == {"hangs": "call timed out after", "mute": "still not connected"}, said


@test
def time_limits_end_in_a_block(folder):
    config = write_config(folder, {"fine": table(text("x://1", "1")), "hangs": table(text("x://2", "2"), "resources/list", "resources/read")})
    done = agent(folder, "list", "--timeout", "8", config=config)
    assert block(done)[1] == "  state: partial" and done.returncode == 8, done
    for asked in (("list", "hangs"), ("read", "x://2")):
        alone = write_config(folder, {"hangs": table(text("x://2", "2"), "resources/list", "resources/read")}, name="alone.json")
        done = agent(folder, *asked, "--timeout", "4", config=alone)
        assert fault(done)[::2] == ("Timeout", True) and done.returncode == 6, done
        kernel = write_config(folder, {"hangs": table(text("x://2", "2"), "resources/list", "resources/read"), "b": table()},
                              {"mcp": {"lines": {"kernel": True}}}, name="kernel.json")
        done = agent(folder, *asked, "--timeout", "4", config=kernel)
        first, state, data = block(done)
        late, elapsed = re.search(r"超时 \(>([\d.]+)s\)$", first), re.search(r"elapsed: ([\d.]+)\}$", data)
        assert state == "  state: timeout" and float(late[1]) <= float(elapsed[1]) and done.returncode == 6, done


@test
def mistakes_are_answered_with_a_block(folder):
    config = write_config(folder, {"a": table(text("x://1", "1"))})
    broken = folder / "broken.json"
    broken.write_text('{"mcpServers": ')
    for arguments, kind, status in (
            ((), "InvalidRequest", 1), (("write",), "InvalidRequest", 1), (("read",), "InvalidURI", 1), (("read", "a", "b", "c"), "InvalidRequest", 1),
            (("read", "x://1", "--format", "table"), "InvalidRequest", 1), (("read", "--format", "table", "x://1"), "InvalidRequest", 1), (("list", "--timeout", "never"), "InvalidRequest", 1), (("list", "--bogus"), "InvalidRequest", 1),
            (("list", "--lang", "fr"), "InvalidRequest", 1), (("read", "readme.md", "--config", config), "InvalidURI", 1), (("read", "", "--config", config), "InvalidURI", 1),
            (("list", "--config", folder / "none.json"), "ConnectionFailed", 2), (("list", "--config", broken), "ConnectionFailed", 2),
            (("list", "nobody", "--config", config), "ConnectionFailed", 4)):
        done = agent(folder, *arguments)
        assert fault(done)[0] == kind and done.returncode == status, (arguments, done)
    for arguments in (("--bogus", "agent", "list"), ("--timeout", "x", "agent", "list")):
        done = run(folder, *arguments, env=ZH)
        assert fault(done)[0] == "InvalidRequest" and done.returncode == 1, done
    done = agent(folder, "list", "-o", "json", "--bogus")
    assert json.loads(done.stdout)["error"]["kind"] == "usage", done  # with -o json every failure has this form
    for arguments in ({"action": "write"}, {}, {"action": "list", "format": "table"}, {"action": "list", "server_name": 7}):
        done = run(folder, "call", "mcp", "--dialect", "lines", "--args", json.dumps(arguments), "--config", config)
        assert fault(done)[0] == "InvalidRequest", done


@test
def a_uri_that_the_configuration_bars_ends_as_policy(folder):
    config = write_config(folder, {"a": table({**text("x://1", "1"), "https://1": error(-32000, "permission denied")})}, {"mcp": {"resource_uri_allowlist": ["https"]}})
    for uri, status in (("x://1", 7), ("https://1", 3)):
        done = agent(folder, "read", uri, config=config)
        assert fault(done)[::2] == ("PermissionDenied", False) and done.returncode == status, done


@test
def white_space_around_a_name_or_uri_does_not_count(folder):
    config = write_config(folder, {"a": table(text("x://1", "1"))}, {"mcp": {"resource_uri_allowlist": ["x"]}})
    for arguments in (("list", " a\u3000"), ("list", " "), ("read", " x://1\n")):
        done = agent(folder, *arguments, config=config)
        assert block(done)[1] == "  state: success" and "x://1" in block(done)[2] and done.returncode == 0, (arguments, done)
    assert agent(folder, "read", " x://2", config=config).returncode == 5


@test
def an_interrupted_agent_says_so(folder):
    config = write_config(folder, {"a": table({}, "resources/list")})
    process = subprocess.Popen([MCPTOOLS, "agent", "list", "--config", config, "--log-level", "debug"], cwd=folder, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**environment(folder), **ZH})
    for line in process.stderr:
        if "speaks" in line:
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert out.startswith("❌ mcp Cancelled: 请求已取消\n  state: error\n") and process.returncode == 130, (out, process.returncode)


@test
def an_unknown_server_is_told_which_there_are(folder):
    config = write_config(folder, {"b": table(), "a": server("--resources", 1), "dead": {"command": "false"}})
    done = agent(folder, "list", "nobody", config=config)
    assert fault(done)[1] == "no server is called 'nobody' (connected: a, b; not connected: dead) (Check Configuration)", done
    done = run(folder, "call", "ListMcpResources", "--dialect", "nexo", "server=nobody", "--config", config)
    assert done.stdout == "ListMcpResources: no MCP server named `nobody` (connected: a, b)\n", done
    with gateway(folder, "--config", config) as g:  # before any server is up
        said = Session(g, "/mcp?dialect=nexo").call("tools/call", {"name": "ReadMcpResource", "arguments": {"server": "x", "uri": "y"}})
        assert said["content"][0]["text"] == "ReadMcpResource: no MCP server named `x` (connected: a, b)", said


@test
def raw_is_the_data(folder):
    blob = base64.b64encode(EVERY_BYTE).decode()
    reads = {**{"x://blob": {"result": {"contents": [{"uri": "x://blob", "mimeType": "image/png", "blob": blob}]}}},
             **{"x://several": {"result": {"contents": [{"text": "a"}, {"blob": "QkM="}, {"text": "d", "blob": "RQ=="}]}}},
             **{"x://broken": {"result": {"contents": [{"blob": "no base64!"}]}}}, **text("x://text", "a\nb")}
    config = write_config(folder, {"a": table(reads)})
    for uri, wanted in (("x://blob", EVERY_BYTE), ("x://several", b"aBCdE"), ("x://broken", b"no base64!\n"), ("x://text", b"a\nb\n")):
        done = subprocess.run([MCPTOOLS, "agent", "read", uri, "--format", "raw", "--config", config], cwd=folder, capture_output=True,
                              stdin=subprocess.DEVNULL, env=environment(folder), timeout=PATIENCE_S, check=False)
        assert (done.returncode, done.stdout) == (0, wanted), (uri, done)
    done = agent(folder, "read", "x://blob", config=config)
    assert 'content: "[blob: image/png, 256 bytes]", truncated: false, original_size: 256}' in block(done)[2], done
    done = run(folder, "call", "mcp", "--dialect", "lines", "action=read", "uri=x://blob", "format=raw", "-o", "json", "--config", config)
    assert json.loads(done.stdout)["content"] == [{"type": "resource", "resource": {"uri": "x://blob", "mimeType": "image/png", "blob": blob}}], done


@test
def the_language_is_that_of_the_user(folder):
    config = write_config(folder, {"a": table(text("x://1", "1"))})
    english = write_config(folder, {"a": table(text("x://1", "1"))}, {"mcp": {"lines": {"language": "en"}}}, name="english.json")
    zh, en = "✅ mcp 资源读取: x://1 (1B)", "✅ mcp resource read: x://1 (1B)"
    none = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": ""}
    for env, options, file, wanted in (
            ({"LC_ALL": "zh_TW.UTF-8"}, (), config, zh), ({"LC_ALL": "de_DE.UTF-8"}, (), config, en), (none, (), config, zh),
            ({"LC_ALL": "C.UTF-8", "LANG": "en_US.UTF-8"}, (), config, zh), ({**none, "LANG": "en_GB"}, (), config, en),
            ({**none, "LC_MESSAGES": "zh_CN", "LANG": "en_GB"}, (), config, zh), ({"LC_ALL": "en_US"}, ("--lang", "zh"), config, zh),
            ({"LC_ALL": "zh_CN"}, (), english, en), ({"LC_ALL": "zh_CN"}, ("--lang", "zh"), english, zh)):
        done = run(folder, "agent", "read", "x://1", *options, "--config", file, env=env)
        assert block(done)[0] == wanted, (env, options, done)
    done = run(folder, "agent", "read", "--lang", "en")
    assert done.stdout.startswith("❌ mcp InvalidURI: invalid URI format\n"), done
    for file, wanted in ((config, zh), (english, en)):  # the locale of a gateway is not that of its clients
        with gateway(folder, "--config", file, env={"LC_ALL": "de_DE.UTF-8"}) as g:
            said = Session(g.wait_ready(), "/mcp?dialect=lines").call("tools/call", {"name": "mcp", "arguments": {"action": "read", "uri": "x://1"}})
            assert said["content"][0]["text"].startswith(wanted + "\n"), said


def rules(language):
    return [f"Bash(mcptools agent {rest})" for rest in (f"list --lang {language}", f"list --lang {language} -- *", f"read --lang {language} -- *",
                                                        f"read --lang {language} --format raw -- *")]


@test
def the_sub_agent_is_installed_into_a_project(folder):
    project = folder / "project"
    project.mkdir()
    file, settings = project / ".claude/agents/mcp.md", project / ".claude/settings.json"
    done = run(folder, "agent", "install", "--lang", "zh", project)
    assert done.returncode == 0 and f"{file}: written" in done.stdout and rules("zh")[2] in done.stdout, done
    chinese = file.read_text()
    assert chinese.startswith("---\nname: mcp\n") and "tools: Bash\n" in chinese and "mcptools agent read --lang zh -- 'URI'" in chinese, chinese
    assert json.loads(settings.read_text()) == {"permissions": {"allow": rules("zh")}}, settings.read_text()
    before = settings.read_text()
    done = run(project, "agent", "install", "--lang", "zh")
    assert done.returncode == 0 and "already there" in done.stdout and "allows these commands already" in done.stdout, done
    assert settings.read_text() == before
    done = run(project, "agent", "install", env={"LC_ALL": "en_US.UTF-8"})  # an unchanged one may be replaced
    assert done.returncode == 0 and "one compact block" in file.read_text(), done
    assert json.loads(settings.read_text())["permissions"]["allow"] == rules("zh") + rules("en"), settings.read_text()
    file.write_text("mine")
    done = run(project, "agent", "install", "--lang", "zh")
    assert done.returncode == 1 and "--force" in done.stderr and not done.stdout and file.read_text() == "mine", done
    done = run(project, "agent", "install", "--lang", "zh", "--force", "-o", "json")
    assert json.loads(done.stdout) == {"agent": "./.claude/agents/mcp.md", "written": True, "settings": "./.claude/settings.json", "added": []}, done
    assert file.read_text() == chinese
    done = run(folder, "agent", "install", folder / "nowhere")
    assert done.returncode == 1 and "nowhere" in done.stderr, done


@test
def settings_keep_what_is_in_them(folder):
    settings = folder / ".claude/settings.json"
    settings.parent.mkdir()
    wanted = rules("en")
    for text_before, after in (
            ('{}', {"permissions": {"allow": wanted}}), (' {\n}\n', {"permissions": {"allow": wanted}}), ('\n{ "a" : 1 }\n', {"permissions": {"allow": wanted}, "a": 1}), ('', {"permissions": {"allow": wanted}}), (' \n', {"permissions": {"allow": wanted}}), ('[1]', None), ('{"permissions": 1}', None), ('{"permissions": {"allow": {}}}', None), ('{ // x\n}', None),
            ('{"a": 1}', {"permissions": {"allow": wanted}, "a": 1}), ('{"permissions": {}}', {"permissions": {"allow": wanted}}),
            ('{"permissions": {"deny": ["x"]}, "b": 2}', {"permissions": {"allow": wanted, "deny": ["x"]}, "b": 2}),
            ('{"permissions": {"allow": []}}', {"permissions": {"allow": wanted}}),
            ('{"permissions":{"allow":["Bash(ls)", "Read"],"deny":[]}}', {"permissions": {"allow": ["Bash(ls)", "Read", *wanted], "deny": []}}),
            (json.dumps({"permissions": {"allow": wanted[:2]}}), {"permissions": {"allow": wanted}}),
            ('{"permissions": {"allow": ["資源"]}}', {"permissions": {"allow": ["資源", *wanted]}})):
        settings.write_text(text_before)
        settings.chmod(0o600)
        done = run(folder, "agent", "install", "--lang", "en")
        assert done.returncode == 0 and wanted[3] in done.stdout, (text_before, done)
        if after is None:
            assert settings.read_text() == text_before and "add these lines" in done.stdout, (text_before, done)
        else:
            assert json.loads(settings.read_text()) == after, (text_before, settings.read_text())
            assert settings.stat().st_mode & 0o777 == 0o600


@test
def the_permission_lets_no_other_options_through(folder):
    """The server or URI of a permitted command stands behind `--`, and is never an option."""
    config = write_config(folder, {"a": table()})
    config.rename(folder / "mcptools.json")
    done = agent(folder, "read", "--lang", "zh", "--", "--stdio")
    assert fault(done)[0] == "InvalidURI", done
    done = agent(folder, "list", "--lang", "zh", "--", "--stdio")
    assert "no server is called '--stdio'" in fault(done)[1], done


if __name__ == "__main__":
    main()
