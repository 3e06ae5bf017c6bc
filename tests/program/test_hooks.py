"""Hooks that are programs, around calls of the gateway and of the command line."""

import http.client
import json
import os
import pathlib
import pty
import re
import stat
import sys
import textwrap
import threading

from harness import (MCPTOOLS, Session, answer, environment, gateway, main, processes_with, run, server, stateless, test,
                     until, write_config)

CONFIG = 2  # exit statuses
POLICY = 7
TOOL = 5
FAILED = "Tool call blocked because before_tool_call hook failed"


def script(folder, name, *parts):
    """A hook in Python: `event` is what it was given, say() decides."""
    path = folder / name
    head = f"#!{sys.executable}\nimport json, os, subprocess, sys, time\nevent = json.loads(sys.stdin.readline())\n" \
           "say = lambda d: print(json.dumps(d), flush=True)\n"
    path.write_text(head + "".join(textwrap.dedent(part) for part in parts))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def note(folder, name="heard"):
    """A line of that script that keeps the event."""
    return f"open({str(folder / name)!r}, 'a').write(json.dumps(event) + '\\n')\n"


def notes(folder, name="heard"):
    path = folder / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def configured(folder, *hooks, tools=2, **settings):
    return write_config(folder, {"git": server("--tools", tools, "--record", folder / "calls"), "fs": server("--tools", 1)},
                        {"hooks": list(hooks), **settings})


def calls(folder):
    return [m["params"] for m in notes(folder, "calls") if m.get("method") == "tools/call"]


def text_of(result):
    return result["content"][0]["text"]


def call(folder, config, *arguments, tool="git.tool0", **more):
    """Exit status, result and stderr of `mcptools call`."""
    done = run(folder, "--config", config, "call", tool, *arguments, "-o", "json", **more)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


@test
def rewrites_blocks_and_changes(folder):
    before = script(folder, "before", note(folder), """
        args = event["params"]
        if "secret" in args: say({"block": True, "blockReason": "no secrets", "strange": 1})
        elif args: say({"params": {"added": [event["toolName"], os.environ.get("WHO"), os.getcwd()]}})
    """)
    after = script(folder, "after", note(folder))
    persist = script(folder, "persist", """
        text = event["result"]["content"][0]["text"]
        say({"result": {"content": [{"type": "text", "text": text.upper()}], "structuredContent": {}}})
    """)
    config = configured(folder, {"on": "before", "tools": ["git__*"], "command": before, "env": {"WHO": "me"}, "cwd": "/"},
                        {"on": "after_tool_call", "command": after}, {"on": "persist", "command": "./persist", "args": []})
    status, result, _ = call(folder, config, "a=1")
    assert status == 0 and text_of(result) == "OK", (status, result)
    assert calls(folder)[-1]["arguments"] == {"a": "1", "added": ["git__tool0", "me", "/"]}
    first, second = notes(folder)
    assert {k: first[k] for k in ("hook", "toolName", "server", "tool", "params")} == {
        "hook": "before_tool_call", "toolName": "git__tool0", "server": "git", "tool": "tool0", "params": {"a": "1"}}
    assert first["context"] == {"principal": "local"} and first["toolCallId"] == second["toolCallId"]
    assert second["hook"] == "after_tool_call" and second["params"]["added"] and text_of(second["result"]) == "ok"
    assert second["durationMs"] >= 0 and persist
    status, result, stderr = call(folder, config, "secret=1")
    assert status == POLICY and result["isError"] and text_of(result) == "no secrets", (status, result)
    assert 'unknown member "strange" of its decision' in stderr and len(notes(folder)) == 3
    assert len(calls(folder)) == 1 and call(folder, config, tool="fs.tool0")[0] == 0


@test
def in_the_gateway(folder):
    before = script(folder, "before", note(folder), """
        if event["tool"] == "tool1": say({"block": True})
    """)
    config = configured(folder, {"on": "before", "command": before}, serve={"audit_log": str(folder / "audit"),
                                                                            "tokens": [{"token": "t0k", "name": "ann"}]})
    auth = {"Authorization": "Bearer t0k"}
    with gateway(folder, "--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, auth)[0] == 200, "ready")
        s, alone = Session(g, headers=auth), Session(g, "/mcp/git", headers=auth)
        assert not s.call("tools/call", {"name": "git__tool0", "arguments": {"n": 1}}).get("isError")
        assert text_of(alone.call("tools/call", {"name": "tool1", "arguments": {}})) == "Tool call blocked by plugin hook"
        body, headers = stateless("tools/call", {"name": "git__tool1", "arguments": {}})
        said = answer(g.request("POST", "/mcp", body, {**headers, **auth})[2])["result"]
        assert said["isError"] and said["resultType"] == "complete", said
        metrics = g.request("GET", "/metrics", None, auth)[2].decode()
    assert 'outcome="policy"' in metrics, metrics
    heard = notes(folder)
    assert [e["toolName"] for e in heard] == ["git__tool0", "git__tool1", "git__tool1"]
    assert heard[0]["context"] == {"principal": "ann", "client": "t"} and heard[0]["params"] == {"n": 1}
    assert [m["name"] for m in calls(folder)] == ["tool0"]
    audit = (folder / "audit").read_text().splitlines()
    assert len(audit) == 3 and ["policy" in line for line in audit] == [False, True, True], audit


@test
def failures_block(folder):
    for body, why in [("sys.exit('broken\\nand more')", "exited with status 1: broken"),
                      ("os.kill(os.getpid(), 9)", "killed by signal 9"),
                      ("print('what?')", "not valid JSON"),
                      ("print('[]')", "not a JSON object"),
                      ("print('{}\\0')", "zero byte"),
                      ("say({'params': []})", '"params" must be an object, not []'),
                      ("sys.stdout.write('x' * (17 << 20))", "more than")]:
        config = configured(folder, {"on": "before", "command": script(folder, "hook", body)})
        status, result, stderr = call(folder, config)
        assert status == POLICY and text_of(result) == FAILED and why in stderr, (body, status, result, stderr)
        config = configured(folder, {"on": "before", "command": script(folder, "hook", body)}, hooks_compat="2026.2")
        assert call(folder, config)[0] == 0, body
        config = configured(folder, {"on": "persist", "command": script(folder, "hook", body)})
        status, result, stderr = call(folder, config)
        if "params" not in body:
            assert status == TOOL and "withheld" in text_of(result) and why in stderr, (body, status, result, stderr)
    config = configured(folder, {"on": "before", "command": "/nonexistent/hook"})
    status, result, stderr = call(folder, config)
    assert status == POLICY and text_of(result) == FAILED and "/nonexistent/hook" in stderr
    assert len(calls(folder)) == 7 + 7


@test
def nothing_to_say(folder):
    for body in ["", "print()", "say({})", "print(' {} ')", "os.close(1)"]:
        config = configured(folder, {"on": "before", "command": script(folder, "hook", body)})
        status, result, stderr = call(folder, config)
        assert (status, stderr) == (0, ""), (body, result, stderr)
    config = configured(folder, {"on": "before", "command": "true"})  # does not even read
    assert call(folder, config, "--args", "-", stdin=json.dumps({"long": "x" * 400000}))[0] == 0


@test
def who_hangs_is_ended_with_all_it_started(folder):
    mark = f"hang-{os.getpid()}"
    body = f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)', {mark!r}])\n" \
           f"subprocess.Popen([sys.executable, '-c', 'import os, time; os.setpgid(0, 0); time.sleep(1000)', {mark!r}])\n" \
           "time.sleep(1000)\n"
    config = configured(folder, {"on": "before", "command": script(folder, "hook", body), "timeout": 1.5})
    status, result, stderr = call(folder, config)
    assert status == POLICY and text_of(result) == FAILED and "took longer than 1500 ms" in stderr, (status, stderr)
    until(lambda: not processes_with(mark), "what it has started is gone")
    # what it leaves behind when it has decided goes, too
    config = configured(folder, {"on": "before", "command": script(folder, "hook", body.replace("time.sleep(1000)\n", "say({})\n"))})
    assert call(folder, config)[0] == 0
    until(lambda: not processes_with(mark), "what it has left behind is gone")


@test
def a_call_that_is_given_up_ends_the_program(folder):
    mark = f"given-up-{os.getpid()}"
    body = note(folder) + f"os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(1000)', {mark!r}])\n"
    config = configured(folder, {"on": "before", "command": script(folder, "hook", body)})
    with gateway(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "git__tool0", "arguments": {}}}
        thread = threading.Thread(target=s.send, args=[message], daemon=True)
        thread.start()
        until(lambda: processes_with(mark), "the hook runs")
        s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
        until(lambda: not processes_with(mark), "the hook is gone")
        body, headers = stateless("tools/call", {"name": "git__tool0", "arguments": {}})
        connection = http.client.HTTPConnection("127.0.0.1", g.port)
        connection.request("POST", "/mcp", body, headers)
        until(lambda: processes_with(mark), "the hook runs again")
        connection.close()  # the client hangs up
        until(lambda: not processes_with(mark), "and is gone again")
        thread = threading.Thread(target=s.send, args=[{**message, "id": 8}], daemon=True)
        thread.start()
        until(lambda: processes_with(mark), "the hook runs a third time")
    until(lambda: not processes_with(mark), "nothing outlives the gateway")
    assert not calls(folder)


@test
def observers_are_heard_to_the_end(folder):
    slow = script(folder, "slow", "time.sleep(0.5)\n" + note(folder))
    config = configured(folder, {"on": "after", "command": slow})
    assert call(folder, config)[0] == 0 and len(notes(folder)) == 1
    with gateway(folder, "--config", config) as g:
        Session(g.wait_ready()).call("tools/call", {"name": "git__tool0", "arguments": {}})
    assert len(notes(folder)) == 2


@test
def order_and_approval(folder):
    ask = script(folder, "ask", note(folder) + 'say({"requireApproval": {"title": "Sure\\u001b[2J?"}})')
    first = script(folder, "first", note(folder) + 'say({"params": {"by": "first"}})')
    config = configured(folder, {"on": "before", "command": ask, "priority": -1},
                        {"on": "before_tool_call", "command": first, "priority": 3})
    status, result, _ = call(folder, config)
    assert status == POLICY and "cannot be asked" in text_of(result) and "\x1b" not in text_of(result)
    assert call(folder, config, "--elicit", "decline")[0] == POLICY and call(folder, config, "--elicit", "accept-defaults")[0] == POLICY
    assert call(folder, config, "--elicit", '{"decision":"deny"}')[0] == POLICY and not calls(folder)
    assert call(folder, config, "--elicit", '{"decision":"allow-once"}')[0] == 0
    assert calls(folder)[0]["arguments"] == {"by": "first"}
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        capable = {"_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}
        params = {"name": "git__tool0", "arguments": {"n": 1}, **capable}
        body, headers = stateless("tools/call", params)
        asked = answer(g.request("POST", "/mcp", body, headers)[2])["result"]
        (key, question), = asked["inputRequests"].items()
        assert asked["resultType"] == "input_required" and "\x1b" not in question["params"]["message"], asked
        body, headers = stateless("tools/call", {
            **params, "requestState": asked["requestState"],
            "inputResponses": {key: {"action": "accept", "content": {"decision": "allow-once"}}}})
        said = answer(g.request("POST", "/mcp", body, headers)[2])["result"]
        assert not said.get("isError") and said["structuredContent"]["arguments"] == {"n": 1, "by": "first"}, said


class Typist:
    """The program on a terminal of its own: what it shows, and what is typed."""

    def __init__(self, folder, *arguments):
        self.shown = b""
        pid, self.terminal = pty.fork()
        if not pid:
            os.chdir(folder)
            os.execve(MCPTOOLS, [MCPTOOLS, *map(str, arguments)], environment(folder))
        self.pid = pid

    def until(self, text):
        """What came up to the text; None: up to the end of the program."""
        while text is None or text not in self.shown:
            try:
                more = os.read(self.terminal, 65536)
            except OSError:  # the terminal is nobody's any more
                more = b""
            if not more:
                assert text is None, (text, self.shown)
                break
            self.shown += more
        return self.shown

    def type(self, after, text):
        self.until(after)
        self.shown = b""
        os.write(self.terminal, text)

    def end(self):
        shown = self.until(None)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), shown


@test
def approval_on_the_terminal(folder):
    ask = script(folder, "ask", 'say({"requireApproval": {"title": "Sure\\u001b[2J?"}})')
    config = configured(folder, {"on": "before", "command": ask})
    for choice, status in [(b"1", 0), (b"3", POLICY)]:
        person = Typist(folder, "--config", config, "call", "git.tool0", "n=1")
        person.type(b"ancel: ", b"y\n")
        person.type(b"choose one: ", choice + b"\n")
        assert person.end()[0] == status, choice
    person = Typist(folder, "--config", config, "call", "git.tool0", "n=1")
    assert b"Call git__tool0 of server 'git' with {" in person.until(b"ancel: ") and b"\x1b[2J" not in person.shown
    person.type(b"ancel: ", b"c\n")
    status, shown = person.end()
    assert status == POLICY and b"dismissed" in shown and len(calls(folder)) == 1, shown


@test
def policy_comes_first(folder):
    config = configured(folder, {"on": "before", "command": script(folder, "hook", note(folder))},
                        policy={"deny": ["git__tool1"], "read_only": True})
    assert call(folder, config, tool="git.tool1")[0] == POLICY and call(folder, config, tool="git.tool0")[0] == POLICY
    assert not notes(folder)


@test
def beside_its_configuration(folder):
    away = folder / "away" / "hooks"
    away.mkdir(parents=True)
    script(away, "guard.py", note(folder), "say({'params': {'at': os.getcwd()}})")
    config = write_config(away.parent, {"git": server("--tools", 2, "--record", folder / "calls")}, {"hooks": [
        {"on": "before", "command": "hooks/guard.py", "tools": ["git.tool0"]},
        {"on": "before", "command": "./guard.py", "cwd": "hooks", "tools": ["git.tool1"]}]})
    assert call(folder, config)[0] == 0 and call(folder, config, tool="git.tool1")[0] == 0
    assert [pathlib.Path(c["arguments"]["at"]) for c in calls(folder)] == [away.parent.resolve(), away.resolve()]


@test
def a_person_who_cannot_be_asked(folder):
    config = configured(folder, {"on": "before", "command": script(folder, "ask", "say({'requireApproval': {'title': 'Push?'}})")})
    status, result, _ = call(folder, config)
    assert status == POLICY and """--elicit '{"decision":"allow-once"}' approves it""" in text_of(result), result
    assert call(folder, config, "--elicit", '{"decision":"allow-once"}')[0] == 0


@test
def mistakes_in_the_configuration(folder):
    for hook, what in [({"on": "during", "command": "x"}, 'hooks[1].on: must be before, after, persist'), ({"command": "x"}, 'needs "on"'),
                       ({"on": "before"}, 'needs a "command"'), (7, "must be an object"),
                       ({"on": "before", "command": "x", "tools": []}, '"tools" is empty'),
                       ({"on": "before", "command": "x", "tools": "git"}, "must be a list of strings"),
                       ({"on": "before", "command": "x", "priority": 1.5}, "must be a whole number"),
                       ({"on": "before", "command": "x", "timeout": -1}, "must be a number of seconds"),
                       ({"on": "before", "command": "x", "args": {}}, "must be a list of strings")]:
        config = configured(folder, {"on": "after", "command": "true"}, hook)
        done = run(folder, "--config", config, "config", "check")
        assert done.returncode == CONFIG and re.search(re.escape(str(config)) + r":1:\d+: mcptools\.hooks\[1\]", done.stdout) and what in done.stdout, done.stdout
        assert done.stdout.count("hooks[1]") == 1, done.stdout  # each mistake is told once
        assert call(folder, config)[0] == CONFIG and run(folder, "--config", config, "serve", "--stdio").returncode == CONFIG
    for settings, what in [({"hooks": {}}, "must be a list of objects"), ({"hooks_compat": "2027"}, "must be 2026.2")]:
        done = run(folder, "--config", write_config(folder, {}, settings), "config", "check")
        assert done.returncode == CONFIG and what in done.stdout, done.stdout
    done = run(folder, "--config", configured(folder, {"on": "after", "command": "true", "x": 1}), "config", "check")
    assert done.returncode == 0 and "mcptools.hooks[0].x: unknown key" in done.stdout
    config = configured(folder, {"on": "before", "command": "${UNSET_HERE}"})
    done = run(folder, "--config", config, "call", "git.tool0")
    assert done.returncode == CONFIG and "hooks[0]" in done.stderr and "UNSET_HERE" in done.stderr, done.stderr
    # hooks of a second file are run, too
    one = write_config(folder, {"git": server("--tools", 1)}, {"serve": {}}, "one.json")
    two = write_config(folder, {}, {"hooks": [{"on": "before", "command": "false"}], "hooks_compat": "2026.2"}, "two.json")
    done = run(folder, "--config", one, "--config", two, "call", "git.tool0")
    assert done.returncode == POLICY and FAILED in done.stdout, done


@test
def examples_of_the_documentation(folder):
    text = (pathlib.Path(__file__).parents[2] / "docs" / "HOOKS.md").read_text()
    friday, writes, keys = re.findall(r"```(?:sh|python)\n(.*?)```", text, re.S)

    def hooked(on, code, *arguments):
        path = folder / "example"
        path.write_text(code)
        path.chmod(0o755)
        status, result, stderr = call(folder, configured(folder, {"on": on, "command": str(path)}), *arguments)
        assert "failed" not in stderr, stderr
        return status, result

    assert hooked("before", friday)[0] in (0, POLICY)
    status, result = hooked("before", writes, "path=/srv/notes/../notes/a")
    assert (status, result["structuredContent"]["arguments"]) == (0, {"path": "/srv/notes/a"})
    status, result = hooked("before", writes, "path=/srv/notes/../../etc/passwd", "--elicit", "decline")
    assert status == POLICY and text_of(result).endswith(": Write to /etc/passwd?"), result
    status, result = hooked("persist", keys, "k=sk-" + "a1" * 12)
    assert (status, result["structuredContent"]["arguments"]) == (0, {"k": "sk-…"})


@test
def explained(folder):
    config = configured(folder, {"on": "before", "command": "guard", "tools": ["git.*"], "priority": 2},
                        {"on": "after", "command": "watch"})
    text = run(folder, "--config", config, "tools", "--explain", "git.tool0").stdout
    assert f"hook before_tool_call: {config}: mcptools.hooks[0]: guard (priority 2)" in text and "hooks[1]: watch" in text, text
    other = json.loads(run(folder, "--config", config, "tools", "--explain", "fs__tool0", "-o", "json").stdout)
    assert other["hooks"] == [{"hook": "after_tool_call", "name": f"{config}: mcptools.hooks[1]: watch", "priority": 0}], other


if __name__ == "__main__":
    main()
