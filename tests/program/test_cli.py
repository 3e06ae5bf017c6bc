"""The command line as a person and a script use it."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

from harness import MCPTOOLS, PATIENCE_S, TEST_SERVER, environment, main, run, server, test, until, write_config


def three(folder):
    return write_config(folder, {
        "one": server("--tools", 2, "--resources", 2, "--templates", 1, "--prompts", 1, "--name", "o_"),
        "two.dot": server("--tools", 1, "--resources", 1, "--name", "t_"),
        "dead": {"command": "no-such-program-anywhere"}})


def says(done, status, *texts):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    for text in texts:
        assert text in done.stdout + done.stderr, (text, done.stdout, done.stderr)


@test
def usage(folder):
    says(run(folder, "--version"), 0, "mcptools ")
    says(run(folder, "--help"), 0, "serve", "call")
    says(run(folder, "call", "--help"), 0, "--args")
    says(run(folder), 1, "Start here:", "usage: mcptools COMMAND")
    says(run(folder, "-o", "json"), 1, "missing command")
    says(run(folder, "lst"), 1, "unknown command 'lst'")
    for words in (("lst", "-o", "json"), ("list", "--brif", "--output=json"), ("list", "--timeout", "x", "--output", "json")):
        assert json.loads(run(folder, *words).stdout)["error"]["kind"] == "usage", words
    assert not run(folder, "lst", "--", "-o", "json").stdout
    says(run(folder, "list", "--nope"), 1, "unknown option --nope")
    says(run(folder, "list", "--brief=1"), 1, "takes no value")
    says(run(folder, "list", "--output"), 1, "needs a value")
    says(run(folder, "list", "-o", "xml"), 1, "auto, text, json or raw")
    says(run(folder, "list", "--insecure"), 1, "--insecure is valid only with these commands: serve")
    says(run(folder, "read"), 1, "usage: mcptools read")
    says(run(folder, "-V"), 0, "mcptools ")
    says(run(folder, "version"), 0, "mcptools ")
    says(run(folder, "help"), 0, "serve", "call")
    says(run(folder, "help", "call"), 0, "--args", "usage: mcptools call ")


@test
def misspelt_words_get_a_suggestion(folder):
    config = write_config(folder, {"files": {**server(), "comand": "x"}, "mail": server()}, {"serv": {}})
    says(run(folder, "lst"), 1, "unknown command 'lst'; did you mean 'list'?")
    says(run(folder, "list", "--breif"), 1, "unknown option --breif; did you mean '--brief'?")
    says(run(folder, "list", "fiels", "--config", config), 1, "no server 'fiels' is configured; did you mean 'files'? known: files, mail")
    says(run(folder, "list", "banana", "--config", config), 1, "no server 'banana' is configured; known: files, mail")
    says(run(folder, "call", "mail.tol0", "--config", config), 5, "has no tool 'tol0'; did you mean 'tool0'? 'mcptools list mail' shows")
    says(run(folder, "call", "mail.banana", "--config", config), 5, "has no tool 'banana'; 'mcptools list mail' shows")
    says(run(folder, "config", "check", "--config", config), 0, "comand: unknown key, ignored; did you mean 'command'?",
         "serv: unknown key, ignored; did you mean 'serve'?")


@test
def demo_without_configuration(folder):
    says(run(folder, "list"), 0, "demo", "4 tools, 2 resources, 1 template, 2 prompts", "nothing is configured")
    says(run(folder, "call", "demo.echo", "text=hello"), 0, "hello")
    says(run(folder, "call", "echo", "text=hello"), 0, "hello")
    says(run(folder, "read", "demo://greeting/Ada"), 0, "Hello, Ada!")
    says(run(folder, "prompt", "demo.translate", "text=hi", "language=French"), 0, "into French")
    says(run(folder, "call", "demo.statistics", "numbers:=[]"), 5, "at least one number")


@test
def lists(folder):
    config = three(folder)
    done = run(folder, "list", "--config", config)
    says(done, 8, "one", "2 tools", "two.dot", "dead", "not found in PATH")
    listed = json.loads(run(folder, "list", "--config", config, "-o", "json").stdout)
    assert [s["name"] for s in listed["servers"]] == ["one", "two.dot", "dead"]
    assert listed["errors"][0]["server"] == "dead" and listed["errors"][0]["kind"] == "connect"
    says(run(folder, "list", "one", "--config", config), 0, "one.o_tool0 [text=STRING] [n=INTEGER]")
    says(run(folder, "list", "two.dot.t_tool0", "--config", config), 0, '"type": "object"')
    tools = json.loads(run(folder, "list", "one", "--config", config, "-o", "json").stdout.replace("1e400", "0"))
    assert [t["name"] for t in tools["tools"]] == ["o_tool0", "o_tool1"]
    says(run(folder, "list", "nobody", "--config", config), 1, "no server 'nobody'", "one, two.dot, dead")
    says(run(folder, "list", "dead", "--config", config), 4, "no-such-program-anywhere")
    says(run(folder, "resources", "--config", config), 8, "test://o_resource/0", "test://t_resource/0")
    resources = json.loads(run(folder, "resources", "--config", config, "-o", "json").stdout)
    assert [(r["server"], r["uri"]) for r in resources["resources"]] == [
        ("one", "test://o_resource/0"), ("one", "test://o_resource/1"), ("two.dot", "test://t_resource/0")]
    says(run(folder, "templates", "one", "--config", config), 0, "test://o_template0/{x}")
    says(run(folder, "prompts", "one", "--config", config), 0, "one.o_prompt0 a=TEXT")


@test
def a_mistake_in_enabled_is_told(folder):
    config = write_config(folder, {"e": server(enabled="true")})
    done = run(folder, "call", "e.tool0", "--config", config)
    says(done, 2, "mcpServers.e.enabled: must be true or false")
    assert "is disabled" not in done.stderr, done


@test
def calls(folder):
    config = three(folder)

    def arguments(*words, stdin=None):
        done = run(folder, "call", "one.o_tool0", *words, "--config", config, "-o", "json", stdin=stdin)
        assert done.returncode == 0, done
        return json.loads(done.stdout)["structuredContent"]["arguments"]

    (folder / "f.txt").write_text('a "quoted"\nfile')
    assert arguments() == {}
    assert arguments("text=1", "n=2", "free=3") == {"text": "1", "n": 2, "free": "3"}
    assert arguments("n=two") == {"n": "two"}
    assert arguments("ab=1", "a=2", "abc:=3", "n" * 255 + "=1") == {"ab": "1", "a": "2", "abc": 3, "n" * 255: "1"}
    assert arguments("x:=[1,{}]", "y:=null") == {"x": [1, {}], "y": None}
    assert arguments("text=@f.txt", "t=@@at", "e=") == {"text": 'a "quoted"\nfile', "t": "@at", "e": ""}
    assert arguments("--args", '{"a":{"b":1}}') == {"a": {"b": 1}}
    assert arguments("--args", "-", stdin='{"from":"stdin"}') == {"from": "stdin"}
    says(run(folder, "call", "one.o_tool0", "--config", config), 0, "ok")
    assert run(folder, "call", "one.o_tool0", "--config", config, "-o", "raw").stdout == "ok"
    says(run(folder, "call", "one__o_tool0", "--config", config), 0, "ok")
    says(run(folder, "call", "t_tool0", "--config", config), 0, "ok")
    for words, status, text in (
            (["one.o_tool0", "novalue"], 1, "key=value"), (["one.o_tool0", "x:={"], 1, "not valid JSON"),
            (["one.o_tool0", "a=1", "ab=2", "a:=3"], 1, "'a' is given twice; a list is written a:='[…]'"),
            (["one.o_tool0", "n" * 256 + "=1"], 1, "has more than 255 bytes"),
            (["one.o_tool0", "--args", "[]"], 1, "must be a JSON object"),
            (["one.o_tool0", "a=1", "--args", "{}"], 1, "not both"), (["one.nope"], 5, "has no tool 'nope'"),
            (["nope"], 5, "unknown tool: nope"), (["one"], 1, "the name of a tool is missing"), (["dead.x"], 4, "not found in PATH"),
            (["one.o_tool0", "x=@/no/such/file"], 1, "No such file"),
            (["http://127.0.0.1:1/mcp"], 1, "append it to the URL"),
            (["http://127.0.0.1:1/mcp", "--url", "http://127.0.0.1:2/"], 1, "append it to the URL")):
        says(run(folder, "call", *words, "--config", config), status, text)


@test
def failures_as_json(folder):
    config = three(folder)
    done = run(folder, "call", "dead.x", "--config", config, "-o", "json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"], error["server"]) == (4, "connect", "dead"), done
    done = run(folder, "call", "one.nope", "--config", config, "-o", "json")
    assert json.loads(done.stdout)["error"]["kind"] == "not_found"
    done = run(folder, "list", "--config", folder / "absent.json", "-o", "json")
    assert (done.returncode, json.loads(done.stdout)["error"]["kind"]) == (2, "config")
    refusing = write_config(folder, {"r": server("--refuse", "tools/call")}, name="r.json")
    done = run(folder, "call", "r.tool0", "--config", refusing, "-o", "json")
    assert (done.returncode, json.loads(done.stdout)["error"]["kind"]) == (5, "server_error"), done


@test
def reads(folder):
    config = three(folder)
    says(run(folder, "read", "test://t_resource/0", "--config", config), 0, "the text")
    says(run(folder, "read", "one", "test://o_anything", "--config", config), 0, "the text")
    says(run(folder, "read", "test://x", "--config", config), 5, "no server has the resource test://x")
    done = run(folder, "read", "one", "test://o_resource/1", "--config", config, "-o", "json")
    assert json.loads(done.stdout)["contents"][0]["text"] == "the text"
    says(run(folder, "read", "one", "test://x", "--config", config), 5, "Resource not found (code -32002)")
    narrow = write_config(folder, {"t": server("--resources", 1)}, {"mcp": {"resource_uri_allowlist": ["https"]}}, name="narrow.json")
    says(run(folder, "read", "test://resource/0", "--config", narrow), 7, "not allowed by resource_uri_allowlist")
    refusing = {name: server("--resources", 1, "--refuse", "resources/read") for name in "ab"}
    says(run(folder, "read", "test://resource/0", "--config", write_config(folder, refusing, name="refusing.json")), 5, "server 'a': ")
    (folder / "empty").mkdir()
    done = subprocess.run([MCPTOOLS, "read", "demo://pixel.png"], cwd=folder / "empty", env=environment(folder),
                          capture_output=True, check=True)
    assert done.stdout.startswith(b"\x89PNG\r\n"), done.stdout[:20]
    says(run(folder, "prompt", "one.o_prompt0", "a=b", "--config", config), 0, "user: hi")


@test
def adhoc_server(folder):
    command = f"{TEST_SERVER} --tools 1 --tool-name 'a b'"
    says(run(folder, "list", "--stdio", command), 0, "tool0")
    says(run(folder, "call", "tool0", "--stdio", command), 0, "ok")
    says(run(folder, "call", "a b", "--stdio", command), 0, "ok")
    says(run(folder, "call", "nope", "--stdio", command), 5, "'mcptools list --stdio COMMAND' shows what it has")
    says(run(folder, "call", "x", "--stdio", "no-such-program-anywhere"), 4, "not found in PATH")


@test
def slow_and_broken_servers(folder):
    for arguments, status, text in (
            (["--silent"], 4, "no answer"), (["--exit-at-start"], 4, "exited with status 7"),
            (["--exit-on", "initialize"], 4, "exited with status 5"), (["--exit-on-probe"], 0, "tool0"),
            (["--garbage", "5"], 0, "tool0"), (["--crlf"], 0, "tool0"), (["--era", "2026"], 0, "tool0"),
            (["--revision", "2024-11-05"], 0, "tool0"), (["--revision", "1999-01-01"], 4, "'1999-01-01'"),
            (["--loop-pages"], 8, "never ends"), (["--bad-list"], 8, 'no array "tools"')):
        done = run(folder, "list", "--timeout", "2" if status else "20", "--stdio", " ".join([TEST_SERVER, *arguments]))
        says(done, 4 if status == 4 else status, text)
    done = run(folder, "call", "tool0", "delay_ms:=60000", "--timeout", "0.5", "--stdio", TEST_SERVER)
    says(done, 6, "no answer within 0.5 s")


@test
def what_a_first_user_met(folder):
    says(run(folder, "serve", "--http", "127.0.0.1:99999"), 1, "up to 65535")
    says(run(folder, "call", "demo.countdown", "steps=1", "step_ms=60000", "--timeout", "0.2"), 6, "no answer within 0.2 s")
    config = write_config(folder, {"big": server("--huge", 30000000), "half": server("--bad-list")},
                          {"limits": {"message_bytes": 1000000}}, name="c.json")
    says(run(folder, "call", "big.tool0", "--config", config), 5, "larger than limits.message_bytes (1000000)")
    says(run(folder, "list", "--config", config), 8, "(tools incomplete)")
    says(run(folder, "call", "bgi.tool0", "--config", config), 5, "no server 'bgi' is configured; did you mean 'big'? known: big, half")
    (folder / "empty.json").write_text('{"mcpServers":{}}')
    says(run(folder, "list", "--config", "empty.json"), 0, "names no servers")
    (folder / "bad.json").write_text('{"mcpServers":{"d":{}},\n"mcptools":{"names":{"scheme":"foo"}}}')
    says(run(folder, "list", "--config", "bad.json"), 2, "bad.json:2:22: mcptools.names.scheme: must be")
    closed = subprocess.run(["sh", "-c", '"$0" list <&- >&-', MCPTOOLS], cwd=folder, env=environment(folder),
                            capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert closed.returncode == 0, closed


@test
def status_shows_stderr_and_reasons(folder):
    config = write_config(folder, {"fine": server("--stderr", 2), "ends": server("--stderr", 1, "--exit-at-start")})
    done = run(folder, "status", "--config", config)
    says(done, 8, "fine: connected", "protocol: 2025-11-25", "| test-server: line 1", "ends: error", "status 7",
         "| test-server: line 0")
    state = json.loads(run(folder, "status", "ends", "--config", config, "-o", "json").stdout)["servers"][0]
    assert state["state"] == "error" and "line 0" in state["stderr"], state


@test
def configuration(folder):
    (folder / "c.json").write_text('''{ // with a comment
      "mcpServers": {
        "good": { "command": "%s", "env": { "TOKEN": "${MCT_UNSET}", "S": "secret" } },
        "fine": { "command": "%s", "tools": { "deny": ["*1"] } },
        "bad": { "command": 7 },
        "off": { "command": "x", "enabled": false },
      } }''' % (TEST_SERVER, TEST_SERVER))
    done = run(folder, "config", "check", "--config", "c.json")
    says(done, 2, "c.json:5:18: mcpServers.bad.command: must be a string", "1 file, ", " 2 errors, ")
    done = run(folder, "config", "list", "--config", "c.json", "-o", "json")
    assert "secret" not in done.stdout and [s["name"] for s in json.loads(done.stdout)["servers"]] == [
        "good", "fine", "bad", "off"]
    says(run(folder, "config", "get", "fine", "--config", "c.json"), 0, '"line":4')
    says(run(folder, "config", "get", "nobody", "--config", "c.json"), 2, "no server 'nobody'")
    done = run(folder, "list", "--config", "c.json")
    says(done, 8, "c.json:3: env.TOKEN: the environment variable MCT_UNSET is not set", "must be a string", "fine", "2 tools")
    assert "idle" not in done.stdout
    says(run(folder, "list", "off.x", "--config", "c.json"), 2, "disabled")
    (folder / "broken.json").write_text('{"mcpServers": {\n oops')
    says(run(folder, "list", "--config", "broken.json"), 2, "broken.json:2:2: not valid JSON")


@test
def configuration_is_found(folder):
    (folder / ".config" / "Claude").mkdir(parents=True)
    write_config(folder / ".config" / "Claude", {"claude": server(), "both": server()}, name="claude_desktop_config.json")
    write_config(folder, {"project": server(), "both": server("--exit-at-start")}, name=".mcp.json")
    names = [s["name"] for s in json.loads(run(folder, "config", "list", "-o", "json").stdout)["servers"]]
    assert names == ["project", "both", "claude"], names


@test
def serve_refuses_what_is_unsafe(folder):
    says(run(folder, "serve", "--http", "0.0.0.0:0"), 2, "--insecure")
    says(run(folder, "serve", "--http", "nonsense"), 1, "not HOST:PORT")
    says(run(folder, "serve", "--server", "nobody"), 1, "no such server")
    says(run(folder, "serve", "--mode", "find"), 1, "must be full, router or search")


class Terminal:
    """The program on a pseudo-terminal."""

    def __init__(self, folder, *arguments):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(folder)
            os.execve(MCPTOOLS, [MCPTOOLS, *map(str, arguments)], environment(folder))
        self.text = ""

    def read_until(self, pattern):
        end = time.monotonic() + PATIENCE_S
        while not re.search(pattern, self.text, re.S):
            assert time.monotonic() < end and select.select([self.fd], [], [], PATIENCE_S)[0], self.text
            try:
                self.text += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                raise AssertionError(f"ended without {pattern!r}: {self.text!r}") from None

    def end(self):
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return status


@test
def progress_bar_on_a_terminal(folder):
    t = Terminal(folder, "call", "demo.countdown", "steps=4", "step_ms=50")
    t.read_until(r"\[#+\.+\] +50% step 2 of 4")
    t.read_until(r"\x1b\[KCounted down 4 steps\.|Counted down 4 steps\.")
    assert t.end() == 0


@test
def ctrl_c_cancels_on_the_wire(folder):
    record = folder / "record"
    config = write_config(folder, {"t": server("--record", record)})
    t = Terminal(folder, "call", "t.tool0", "delay_ms:=600000", "--config", config)
    until(lambda: record.exists() and "tools/call" in record.read_text(), "the call arrived")
    os.write(t.fd, b"\x03")
    t.read_until("interrupted")
    assert t.end() == 130
    assert '"method":"notifications/cancelled"' in record.read_text(), record.read_text()


@test
def sigterm_ends_a_call_too(folder):
    record = folder / "record"
    config = write_config(folder, {"t": server("--record", record)})
    with subprocess.Popen([MCPTOOLS, "call", "t.tool0", "delay_ms:=600000", "--config", config], cwd=folder,
                          env=environment(folder), stderr=subprocess.DEVNULL) as p:
        until(lambda: record.exists() and "tools/call" in record.read_text(), "the call arrived")
        p.send_signal(signal.SIGTERM)
        assert p.wait(PATIENCE_S) == 128 + signal.SIGTERM
    assert '"method":"notifications/cancelled"' in record.read_text()


@test
def files_that_others_may_read_or_change(folder):
    token = {"serve": {"tokens": ["t0ps3cret"]}}
    rows = [
        ({}, token, 0o640, "mcptools.serve.tokens", "0640 lets other users read it; run: chmod 600"),
        ({}, token, 0o662, "mcptools.serve.tokens", "read and change it"),
        ({"a": server(env={"GITHUB_TOKEN": "x1"})}, None, 0o644, "a.env.GITHUB_TOKEN", "chmod 600"),
        ({"a": {"url": "http://127.0.0.1:1", "headers": {"X-Api-Key": "x1"}}}, None, 0o604, "a.headers.X-Api-Key", "chmod 600"),
        ({"a": {"url": "http://127.0.0.1:1", "auth": {"type": "bearer", "token": "x1"}}}, None, 0o644, "a.auth", "chmod 600"),
        ({"a": server()}, None, 0o646, "every user change which programs are started", "chmod go-w"),
        ({}, token, 0o600, None, ""),
        ({"a": server(env={"GITHUB_TOKEN": "${T}", "MAX_TOKENS": "9"})}, None, 0o644, None, ""),
        ({"a": server()}, None, 0o664, None, ""),
    ]
    for servers, settings, mode, *wanted in rows:
        config = write_config(folder, servers, settings)
        config.chmod(mode)
        done = run(folder, "config", "check", env={"T": "1"})
        says(done, 0, "0 errors, 1 warning\n" if wanted[0] else "0 errors, 0 warnings\n", *filter(None, wanted))
        assert "x1" not in done.stdout and "t0ps3cret" not in done.stdout, done


@test
def a_file_of_somebody_else_is_not_read(folder):
    if os.geteuid() != 0:
        print("# only root can give a file away")
        return
    config = write_config(folder, {"a": server()})
    says(run(folder, "config", "check"), 0, "1 server, 0 errors")
    os.chown(config, 12345, 12345)
    says(run(folder, "config", "check"), 2, "mcptools.json: belongs to another user (uid 12345)", "--config mcptools.json", " 0 servers")
    says(run(folder, "config", "check", "--config", "mcptools.json"), 0, "1 server, 0 errors")
    config.rename(folder / ".mcp.json")
    says(run(folder, "config", "list"), 0, "nothing is configured")
    os.chown(folder / ".mcp.json", 0, 12345)
    says(run(folder, "config", "check"), 0, "1 server, 0 errors")


@test
def disabled_servers_are_not_started(folder):
    config = write_config(folder, {"idle": {**server("--record", folder / "record"), "disabled": True}, "on": server("--tools", 1)})
    done = run(folder, "status", "--config", config)
    says(done, 0, "on")
    assert not (folder / "record").exists() and "idle" not in done.stdout + done.stderr, done


@test
def a_slow_start_names_the_key(folder):
    config = write_config(folder, {"a": server("--silent")}, {"limits": {"start_timeout_s": 2}})
    says(run(folder, "list", "--config", config), 4, "no answer to initialize within 2 s; a slow first start (npx install)? raise start_timeout")


if __name__ == "__main__":
    main()
