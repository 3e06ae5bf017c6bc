"""Commands that use the running gateway: through its socket, with questions, progress and errors as without it."""

import http.server
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import sys
import threading

from harness import (MCPTOOLS, PATIENCE_S, WRAPPER, environment, gateway, main, processes_with, run, server, test, until,
                     write_config)
from terminal import Terminal

SERVER = pathlib.Path(__file__).with_name("control_server.py")


def runtime(folder):
    (folder / "run").mkdir(mode=0o700, exist_ok=True)
    return {"XDG_RUNTIME_DIR": str(folder / "run")}


def configure(folder, settings=None, **more):
    servers = {"s": {"command": sys.executable, "args": [str(SERVER), str(folder / "log")]}, **more}
    return write_config(folder, servers, settings)


def sockets(folder):
    return list((folder / "run" / "mcptools").glob("*.sock"))


def serving(folder, *arguments, **more):
    return gateway(folder, *arguments, env=runtime(folder), **more)


def command(folder, *arguments, **more):
    return run(folder, *arguments, env=runtime(folder), **more)


def attached(folder, *arguments, status=0, **more):
    """A command that must use the running gateway; its stdout."""
    done = command(folder, *arguments, "--log-level", "debug", **more)
    assert done.returncode == status and "using the running gateway" in done.stderr, (arguments, done)
    return done.stdout


def starts(folder):
    return (folder / "log").read_text().split().count("started")


class Raw:
    """A connection to the socket."""

    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(str(sockets(folder)[0]))
        self.bytes = b""

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")
        return self

    def line(self):
        while b"\n" not in self.bytes:
            chunk = self.socket.recv(65536)
            if not chunk:
                return None
            self.bytes += chunk
        line, self.bytes = self.bytes.split(b"\n", 1)
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


GREETING = {"mcptools": 1, "want": "control"}


@test
def commands_use_the_running_gateway(folder):
    configure(folder, other=server("--tools", "2", "--era", "stateless", "--prompts", "1"))
    with serving(folder) as g:
        g.wait_ready()
        pid = attached(folder, "call", "s.pid").strip()
        assert attached(folder, "call", "s.pid").strip() == pid
        assert attached(folder, "read", "control://one") == f"read by {pid}"
        assert "s.ask" in attached(folder, "list", "s")
        assert "other" in attached(folder, "list")
        assert json.loads(attached(folder, "call", "other.tool0", "text=hi", "-o", "json"))["content"]
        assert "control://one" in attached(folder, "resources")
        assert attached(folder, "templates", "s") == ""
        assert "other.prompt0" in attached(folder, "prompts")
        assert "other__tool1" in attached(folder, "tools")
        assert "control://one" in attached(folder, "agent", "list", status=0)
        assert starts(folder) == 1, "no command started a server of its own"
        alone = command(folder, "call", "s.pid", "--alone")
        assert alone.returncode == 0 and alone.stdout.strip() != pid and starts(folder) == 2, alone


@test
def questions_and_errors_are_the_same_as_without_it(folder):
    configure(folder)
    cases = [("s.ask", "--elicit", "accept-defaults"), ("s.ask", "--elicit", "decline"), ("s.ask",),
             ("s.sample", "--sampling-command", "echo hi there"), ("s.sample",), ("s.roots", "--root", "/"), ("s.roots",),
             ("s.log",), ("s.die",), ("s.die", "-o", "json"), ("s.wait", "--timeout", "1"), ("s.nosuch",),
             ("s.ask", "--read-only")]
    with serving(folder) as g:
        g.wait_ready()
        for case in cases:
            before = starts(folder)
            here = command(folder, "call", *case)
            died = case[0] == "s.die"
            until(lambda: starts(folder) == before + died, f"only {case} starts a server, and only once")  # pylint: disable=cell-var-from-loop
            alone = command(folder, "call", *case, "--alone")
            shown = [(d.returncode, re.sub(r'"entered_at":\s*"[^"]*"', "", d.stdout), d.stderr) for d in (here, alone)]
            assert shown[0] == shown[1], (case, here, alone)
        assert '"blue"' in command(folder, "call", "s.ask", "--elicit", "accept-defaults").stdout


@test
def an_interrupted_call_is_cancelled_at_the_server(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        process = subprocess.Popen([*WRAPPER, MCPTOOLS, "call", "s.wait"], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**environment(folder), **runtime(folder)})
        until(lambda: "waiting" in (folder / "log").read_text(), "the call is at the server")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130, process.returncode
        until(lambda: "cancelled" in (folder / "log").read_text(), "the server is told")
        assert starts(folder) == 1


@test
def a_gateway_that_dies_during_a_call_is_the_reason(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        process = subprocess.Popen([*WRAPPER, MCPTOOLS, "call", "s.wait"], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**environment(folder), **runtime(folder)})
        until(lambda: "waiting" in (folder / "log").read_text(), "the call is at the server")
        g.process.kill()
        _, error = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 4 and "the running gateway has ended" in error, (process.returncode, error)
        g.process.wait(PATIENCE_S)


@test
def the_socket_is_private_and_is_removed(folder):
    configure(folder)
    with serving(folder) as g:
        path = until(lambda: sockets(folder), "the socket is there")[0]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, oct(path.stat().st_mode)
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert g.stop() == 0
    assert list(path.parent.iterdir()) == []


@test
def the_socket_of_a_killed_gateway_is_replaced(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        g.process.kill()
        g.process.wait(PATIENCE_S)
    assert len(sockets(folder)) == 1
    until(lambda: not processes_with(str(folder / "log")), "its server has ended")
    done = command(folder, "call", "s.pid", "--log-level", "debug")
    assert done.returncode == 0 and "not using a running gateway" in done.stderr, done
    with serving(folder) as g:
        g.wait_ready()
        attached(folder, "call", "s.pid")


@test
def a_second_gateway_works_without_the_socket(folder):
    configure(folder)
    with serving(folder) as first:
        first.wait_ready()
        (folder / "second").mkdir()
        with gateway(folder / "second", "--config", folder / "mcptools.json", "--log-level", "info",
                     env=runtime(folder)) as second:
            second.wait_ready()
            assert "another gateway with the same configuration has" in second.text(), second.text()
        attached(folder, "call", "s.pid")


@test
def the_second_gateway_takes_the_socket_when_the_first_ends(folder):
    configure(folder)
    with serving(folder) as first:
        first.wait_ready()
        (folder / "second").mkdir()
        with gateway(folder / "second", "--config", folder / "mcptools.json", "--log-level", "info",
                     env=runtime(folder)) as second:
            until(lambda: "another gateway with the same configuration has" in second.text(), "it has no socket")
            assert first.stop() == 0
            until(lambda: "commands use this gateway now" in second.text(), "it has the socket")
            assert json.loads(command(folder, "status", "-o", "json").stdout)["pid"] == second.process.pid
            assert second.stop() == 0
    assert list((folder / "run" / "mcptools").iterdir()) == []


@test
def what_killed_gateways_left_is_removed(folder):
    configure(folder)
    other = write_config(folder, {"other": server()}, name="other.json")
    third = write_config(folder, {"third": server()}, name="third.json")
    with serving(folder, "--config", other) as running, serving(folder) as killed:
        killed.wait_ready()
        running.wait_ready()
        killed.process.kill()
        killed.process.wait(PATIENCE_S)
        files = {p.name for p in (folder / "run" / "mcptools").iterdir()}
        assert len(files) == 4, files
        with serving(folder, "--config", third) as g:
            g.wait_ready()
            now = {p.name for p in (folder / "run" / "mcptools").iterdir()}
            assert len(now) == 4 and len(now & files) == 2, (files, now)
            attached(folder, "list", "other", "--config", other)
            attached(folder, "list", "third", "--config", third)


@test
def status_tells_of_a_gateway_with_another_configuration(folder):
    configure(folder)
    other = write_config(folder, {"other": server()}, name="other.json")
    with serving(folder, "--config", other) as g:
        g.wait_ready()
        status, out = Terminal(folder, "status", env=runtime(folder), size=(24, 500)).end()
        expected = f"A gateway with another configuration ({other}) runs (process {g.process.pid});"
        assert status == 0 and expected.encode() in out, out
        for arguments in (("--config", other), ("--alone",)):
            assert b"another configuration" not in Terminal(folder, "status", *arguments, env=runtime(folder)).end()[1]
        assert command(folder, "status").stderr == ""


@test
def another_configuration_is_not_used(folder):
    path = configure(folder, settings={"serve": {"watch": False}})
    with serving(folder) as g:
        g.wait_ready()
        until(lambda: sockets(folder), "the socket is there")
        path.write_text(path.read_text() + "\n")
        done = command(folder, "call", "s.pid", "--log-level", "debug")
        assert done.returncode == 0 and "not using a running gateway" in done.stderr and starts(folder) == 2, done
        other = write_config(folder, {"s": {"command": sys.executable, "args": [str(SERVER), str(folder / "log2")]}},
                             name="other.json")
        with serving(folder, "--config", other) as second:
            second.wait_ready()
            assert len(sockets(folder)) == 2
            attached(folder, "call", "s.pid", "--config", other)


@test
def a_reloaded_configuration_is_used_again(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        pid = attached(folder, "call", "s.pid")
        before = until(lambda: sockets(folder), "the socket is there")[0]
        with Raw(folder) as raw:
            raw.send(GREETING).line()
            configure(folder, other=server())
            until(lambda: sockets(folder) not in ([], [before]), "the socket has another name")
            assert raw.send({"id": 1, "method": "identify"}).line()["result"]["pid"] == g.process.pid
            assert "configuration reloaded" in raw.send({"id": 2, "method": "reload"}).line()["result"]["text"]
        assert attached(folder, "call", "s.pid") == pid
        assert "other.tool0" in attached(folder, "list", "other")
        assert len(sockets(folder)) == 1


@test
def a_gateway_that_ends_is_not_reloaded(folder):
    configure(folder, {"limits": {"drain_s": 3600}})
    with serving(folder) as g:
        g.wait_ready()
        waiting = subprocess.Popen([*WRAPPER, MCPTOOLS, "call", "s.wait"], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**environment(folder), **runtime(folder)})
        until(lambda: "waiting" in (folder / "log").read_text(), "the call is under way")
        with Raw(folder) as raw:
            raw.send(GREETING).line()
            raw.send({"id": 1, "method": "stop"})
            assert raw.line()["result"]["pid"] == g.process.pid
            until(lambda: not sockets(folder), "the gateway has begun to end")
            error = raw.send({"id": 2, "method": "reload"}).line()["error"]
            assert error["kind"] == "unsupported" and "the gateway is ending" in error["message"], error
        waiting.send_signal(signal.SIGINT)
        waiting.communicate(timeout=PATIENCE_S)
        assert g.process.wait(PATIENCE_S) == 0


@test
def an_open_folder_of_sockets_is_not_used(folder):
    configure(folder)
    runtime(folder)
    (folder / "run" / "mcptools").mkdir(mode=0o700)
    (folder / "run" / "mcptools").chmod(0o777)
    with serving(folder, "--log-level", "info") as g:
        g.wait_ready()
        assert "must be a folder of this user with mode 0700" in g.text(), g.text()
        assert not sockets(folder)
        assert command(folder, "call", "s.pid").returncode == 0


@test
def a_read_only_gateway_serves_read_only_commands(folder):
    configure(folder)
    with serving(folder, "--read-only") as g:
        g.wait_ready()
        done = command(folder, "call", "s.pid", "--log-level", "debug")
        assert done.returncode == 0 and starts(folder) == 2, done
        attached(folder, "call", "s.pid", "--read-only", status=7)


@test
def a_server_that_is_down_has_the_same_reason(folder):
    configure(folder, bad={"command": "nosuchprogram"}, ends=server("--exit-at-start"))
    with serving(folder):
        until(lambda: sockets(folder), "the socket is there")
        here, alone = command(folder, "list"), command(folder, "list", "--alone")
        assert (here.returncode, here.stdout, here.stderr) == (alone.returncode, alone.stdout, alone.stderr), (here, alone)
        assert "nosuchprogram" in here.stdout


@test
def many_commands_at_once(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        processes = [subprocess.Popen([*WRAPPER, MCPTOOLS, "call", "s.pid"], cwd=folder, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, text=True, env={**environment(folder), **runtime(folder)})
                     for _ in range(24)]
        pids = {p.communicate(timeout=PATIENCE_S)[0] for p in processes}
        assert len(pids) == 1 and all(p.returncode == 0 for p in processes), pids
        assert starts(folder) == 1


@test
def hostile_lines_cost_their_connection_only(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        for line in (b"garbage\n", b"{}\n", b"[]\n", b"\0\0\n", b'{"mcptools":2,"want":"control"}\n',
                     b'{"mcptools":1,"want":"root"}\n', b'{"mcptools":1,"want":"server","server":7}\n',
                     b'{"mcptools":1,"want":"server","server":"nosuch"}\n'):
            with Raw(folder) as raw:
                raw.send(line)
                answer = raw.line()
                assert answer["error"]["kind"] and raw.line() is None, (line, answer)
        with Raw(folder) as raw:  # a greeting without an end
            try:
                raw.send(b"x" * 100000)
            except BrokenPipeError:
                pass
            try:
                assert raw.line() is None
            except ConnectionResetError:
                pass
        with Raw(folder) as raw, Raw(folder) as silent:
            assert raw.send(GREETING).line()["pid"] == g.process.pid
            for line, kind in ((b"garbage", "protocol"), (b"[" * 5000, "protocol"), (b'{"id":1}', "unsupported"),
                               (b'{"id":1,"method":"nosuch"}', "unsupported"), (b"x" * 100000, "protocol"),
                               (b'{"id":1,"method":"restart"}', "not_found")):
                answer = raw.send(line + b"\n").line()
                assert answer["error"]["kind"] == kind, (line[:40], answer)
            whole = json.dumps({"id": 7, "method": "identify"}).encode() + b"\n"
            for byte in whole:  # a slow line
                raw.send(bytes([byte]))
            assert raw.line()["id"] == 7
            assert silent.line()["error"]["kind"] == "timeout", "a greeting that never comes"
        attached(folder, "call", "s.pid")
        assert starts(folder) == 1


@test
def status_shows_the_running_gateway(folder):
    configure(folder, bad={"command": "nosuchprogram"}, kind=server())
    with serving(folder) as g:
        g.wait_ready()
        assert command(folder, "call", "s.log").returncode == 0
        said = command(folder, "status")
        assert said.returncode == 8 and f"process {g.process.pid}" in said.stdout, said
        for text in ("connected", "9 tools", "1 call, ", "nosuchprogram", "s.log  ok", f"127.0.0.1:{g.port}/mcp"):
            assert text in said.stdout, (text, said.stdout)
        narrow = Terminal(folder, "status", "--no-color", env=runtime(folder), size=(24, 60)).end()[1].replace(b"\r", b"").decode().splitlines()
        assert "Servers" in narrow and max(map(len, narrow[narrow.index("Servers"):])) <= 60, narrow
        whole = json.loads(command(folder, "status", "-o", "json").stdout)
        assert whole["pid"] == g.process.pid and [s["name"] for s in whole["servers"]] == ["s", "bad", "kind"], whole
        assert whole["servers"][0]["calls"]["total"] == 1, whole
        one = command(folder, "status", "s")
        assert one.returncode == 0 and "2025-11-25 over stdio" in one.stdout and "control_server is ready" in one.stdout
        assert command(folder, "status", "bad").returncode == 4
        assert "server:   control 1" in one.stdout and "declares: tools, resources, logging" in one.stdout, one.stdout
        assert command(folder, "status", "kind").stdout.count("instructions:\n    | Be kind.") == 1
        whole = json.loads(command(folder, "status", "kind", "-o", "json").stdout)["servers"][0]
        alone = json.loads(command(folder, "status", "kind", "-o", "json", "--alone").stdout)["servers"][0]
        for key in ("state", "serverInfo", "capabilities", "instructions"):
            assert whole[key] == alone[key], (key, whole, alone)
        missing = command(folder, "status", "nosuch")
        assert missing.returncode == 1 and "no server 'nosuch'" in missing.stderr, missing
        assert starts(folder) == 1
        alone = command(folder, "status", "s", "--alone")
        assert alone.returncode == 0 and "process:" in alone.stdout and starts(folder) == 2, alone


@test
def logs_show_what_a_server_writes(folder):
    configure(folder)
    none = command(folder, "logs", "s")
    assert none.returncode == 0 and "control_server is ready" in none.stdout, none
    assert "mcptools daemon start" in none.stderr, none
    follow = command(folder, "logs", "s", "-f")
    assert follow.returncode == 4 and "mcptools daemon start" in follow.stderr, follow
    assert command(folder, "logs", "nosuch").returncode == 1
    with serving(folder) as g:
        g.wait_ready()
        said = command(folder, "logs", "s")
        assert said.returncode == 0 and "  | control_server is ready" in said.stdout, said
        first = json.loads(command(folder, "logs", "s", "-o", "json").stdout.splitlines()[0])
        assert first["seq"] == 1 and first["by"] == "gateway", first
        assert command(folder, "logs", "nosuch").returncode == 5
        process = subprocess.Popen([*WRAPPER, MCPTOOLS, "logs", "s", "--follow"], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**environment(folder), **runtime(folder)})
        while "control_server is ready" not in process.stdout.readline():
            pass
        assert command(folder, "call", "s.die").returncode == 4
        line = ""
        while "the last words" not in line:
            line = process.stdout.readline()
            assert line, "the stream ended"
        g.stop()
        _, error = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 4 and "the running gateway has ended" in error, (process.returncode, error)


@test
def a_log_goes_on_with_the_server_that_replaces_another(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        with Raw(folder) as raw:
            raw.send(GREETING).line()
            raw.send({"id": 1, "method": "logs", "params": {"server": "s", "follow": True}})
            assert raw.line()["result"]["lines"]
            configure(folder, s={"command": sys.executable, "args": [str(SERVER), str(folder / "log")],
                                 "env": {"NEW": "1"}})
            said = {}
            while "control_server is ready" not in said.get("text", "") or said["by"] != "stderr":
                said = raw.line()["params"]
            assert starts(folder) == 2
            attached(folder, "call", "s.die", status=4)
            while "the last words" not in said["text"]:
                said = raw.line()["params"]


@test
def one_server_is_restarted(folder):
    configure(folder, ends=server("--exit-at-start"))
    none = command(folder, "restart", "s")
    assert none.returncode == 4 and "no gateway runs with this configuration" in none.stderr, none
    with serving(folder) as g:
        g.wait_ready()
        pid = attached(folder, "call", "s.pid")
        done = command(folder, "restart", "s")
        assert (done.returncode, done.stdout) == (0, "s: restarted\n"), done
        assert attached(folder, "call", "s.pid") != pid and starts(folder) == 2
        failed = command(folder, "restart", "ends", "-o", "json")
        assert failed.returncode == 4 and json.loads(failed.stdout)["error"]["kind"] == "connect", failed
        assert command(folder, "restart", "nosuch").returncode == 5


@test
def questions_and_progress_reach_the_terminal(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        t = Terminal(folder, "call", "s.ask", env=runtime(folder))
        t.until(b"Which colour?")
        t.until(b"[c]ancel:")
        t.type(b"y\n")
        t.until(b"blue")
        t.type(b"green\n")
        status, out = t.end()
        assert status == 0 and b'"green"' in out, out
        status, out = Terminal(folder, "call", "s.progress", env=runtime(folder)).end()
        assert status == 0 and b"step 1" in out and b"done" in out, out
        assert starts(folder) == 1


@test
def watch_hears_what_the_gateway_hears(folder):
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        process = subprocess.Popen([*WRAPPER, MCPTOOLS, "watch", "s", "--log-level", "debug"], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**environment(folder), **runtime(folder)})
        while "speaks" not in process.stderr.readline():
            pass
        stop = threading.Event()

        def calls():
            while not stop.is_set():
                command(folder, "call", "s.grow")

        caller = threading.Thread(target=calls)
        caller.start()
        line = process.stdout.readline()
        stop.set()
        caller.join()
        assert "list_changed" in line, line
        g.process.kill()
        g.process.wait(PATIENCE_S)
        while "error" not in line:
            line = process.stdout.readline()
            assert line, "the stream ended"
        assert "the running gateway has ended" in line, line
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130


class Locked(http.server.BaseHTTPRequestHandler):
    """A server that demands credentials."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(401)
        self.send_header("WWW-Authenticate", "Bearer")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST


@test
def a_server_that_wants_a_login_says_so(folder):
    locked = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Locked)
    threading.Thread(target=locked.serve_forever, daemon=True).start()
    configure(folder, locked={"url": f"http://127.0.0.1:{locked.server_port}/mcp"})
    try:
        with serving(folder) as g:
            until(lambda: any(s.get("reason") == "needs_auth" for s in json.loads(
                command(folder, "status", "-o", "json").stdout).get("servers", [])), "the gateway knows it")
            here, alone = command(folder, "list"), command(folder, "list", "--alone")
            assert (here.returncode, here.stdout, here.stderr) == (alone.returncode, alone.stdout, alone.stderr), \
                (here, alone)
            assert "HTTP 401" in here.stdout, here
            assert command(folder, "status", "locked").returncode == 3
            assert starts(folder) == 2, "the other server is the gateway's"
            assert g.process.poll() is None
    finally:
        locked.shutdown()
        locked.server_close()


@test
def another_user_is_refused(folder):
    if os.geteuid() != 0:
        return  # nobody else can be played
    configure(folder)
    with serving(folder) as g:
        g.wait_ready()
        path = until(lambda: sockets(folder), "the socket is there")[0]
        script = ("import socket, sys; s = socket.socket(socket.AF_UNIX); s.settimeout(30); s.connect(sys.argv[1]);"
                  "s.sendall(b'{\"mcptools\":1,\"want\":\"control\"}\\n'); print(s.recv(100))")

        def as_nobody():
            return subprocess.run(["/usr/bin/python3", "-c", script, path], user=65534, group=65534, extra_groups=[],
                                  text=True, capture_output=True, timeout=PATIENCE_S, check=False)

        assert "PermissionError" in as_nobody().stderr, "the folder is closed"
        for opened, mode in ((folder, 0o755), (folder / "run", 0o755), (path.parent, 0o755), (path, 0o666)):
            opened.chmod(mode)
        done = as_nobody()
        assert "pid" not in done.stdout and ("b''" in done.stdout or "Reset" in done.stderr or "Pipe" in done.stderr), done
        path.parent.chmod(0o700)
        attached(folder, "call", "s.pid")


@test
def a_daemon_starts_and_stops(folder):
    configure(folder)
    assert command(folder, "daemon", "status").returncode == 4
    try:
        done = command(folder, "daemon", "start")
        assert done.returncode == 0 and done.stdout.startswith("started: process "), done
        pid = int(done.stdout.split()[2].strip(","))
        again = command(folder, "daemon", "start")
        assert again.returncode == 0 and again.stdout == f"already running: process {pid}\n", again
        assert json.loads(command(folder, "daemon", "status", "-o", "json").stdout)["pid"] == pid
        attached(folder, "call", "s.pid")
        log = next((folder / ".local" / "state" / "mcptools").glob("daemon-*.log"))
        assert stat.S_IMODE(log.stat().st_mode) == 0o600 and "serves commands" in log.read_text()
        assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S", line) for line in log.read_text().splitlines()), \
            log.read_text()
    finally:
        stopped = command(folder, "daemon", "stop")
    assert stopped.returncode == 0 and stopped.stdout == f"stopped: process {pid}\n", stopped
    assert not pathlib.Path(f"/proc/{pid}").exists() or processes_with(str(folder / "log")) == []
    assert command(folder, "daemon", "stop").returncode == 0
    assert command(folder, "daemon", "strat").returncode == 1


@test
def a_daemon_is_found_although_its_files_have_changed(folder):
    path = configure(folder, settings={"serve": {"watch": False}})  # it never reads them again
    try:
        pid = int(command(folder, "daemon", "start").stdout.split()[2].strip(","))
        path.write_text(path.read_text() + "\n")
        assert command(folder, "daemon", "start").stdout == f"already running: process {pid}\n"
        path.write_text("garbage")
        done = command(folder, "daemon", "status")
        assert done.returncode == 0 and f"process {pid}" in done.stdout, done
        assert "mcptools.json:1" in done.stderr and "goes on with what it read before" in done.stderr, done
        assert "s" in command(folder, "status").stdout and command(folder, "logs", "s").returncode == 0
        other = write_config(folder, {"s": server()}, name="other.json")
        assert command(folder, "daemon", "status", "--config", other).returncode == 4
    finally:
        stopped = command(folder, "daemon", "stop")
    assert stopped.returncode == 0 and stopped.stdout == f"stopped: process {pid}\n", stopped
    absent = command(folder, "daemon", "stop")
    assert absent.returncode == 2 and "mcptools.json:1" in absent.stderr, absent


@test
def a_daemon_that_cannot_start_says_why(folder):
    configure(folder)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = command(folder, "daemon", "start", "--http", address)
        assert done.returncode == 4 and address in done.stderr and "address already in use" in done.stderr, done
        assert "ended at once: " in done.stderr and "Z mcptools" not in done.stderr, done
    write_config(folder, {"s": 7})
    assert command(folder, "--config", folder / "nosuch.json", "daemon", "start").returncode == 2


@test
def a_gateway_that_nobody_uses_ends(folder):
    configure(folder)
    (folder / "unused").mkdir()
    with serving(folder, "--idle", "1", "--log-level", "info") as g:
        with Raw(folder) as raw:
            raw.send(GREETING).line()
            with gateway(folder / "unused", "--idle", "2", env=runtime(folder / "unused")) as other:
                assert other.process.wait(PATIENCE_S) == 0
            assert g.process.poll() is None, "it has a client"
        assert g.process.wait(PATIENCE_S) == 0
        assert "the gateway was idle" in g.text(), g.text()


@test
def systemd_passes_a_socket_and_hears_of_the_start(folder):
    configure(folder)
    with socket.socket() as listener, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        notified.bind(str(folder / "notify"))
        notified.settimeout(PATIENCE_S)

        def pass_socket():
            os.dup2(listener.fileno(), 3)
            os.environ["LISTEN_PID"] = str(os.getpid())

        process = subprocess.Popen(
            ["/bin/sh", "-c", 'LISTEN_PID=$$ exec "$0" serve', MCPTOOLS], cwd=folder, stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, pass_fds=(3,), preexec_fn=pass_socket,
            env={**environment(folder), **runtime(folder), "LISTEN_FDS": "1", "NOTIFY_SOCKET": str(folder / "notify")})
        try:
            assert notified.recv(100) == b"READY=1"
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as client:
                client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                assert b"200 OK" in client.recv(1000)
        finally:
            process.send_signal(signal.SIGTERM)
        assert notified.recv(100) == b"STOPPING=1"
        error = process.communicate(timeout=PATIENCE_S)[1]
        assert process.returncode == 0 and f"127.0.0.1:{port}/mcp" in error, error


if __name__ == "__main__":
    main()
