"""Commands that use the running gateway: through its socket, with questions, progress and errors as without it."""

import json
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import time

from harness import (MCPTOOLS, PATIENCE_S, WRAPPER, environment, gateway, main, processes_with, run, server, test, until,
                     write_config)

SERVER = pathlib.Path(__file__).with_name("control_server.py")


def runtime(folder):
    (folder / "run").mkdir(mode=0o700, exist_ok=True)
    return {"XDG_RUNTIME_DIR": str(folder / "run")}


def configure(folder, **more):
    servers = {"s": {"command": sys.executable, "args": [str(SERVER), str(folder / "log")]}, **more}
    return write_config(folder, servers)


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
             ("s.log",), ("s.wait", "--timeout", "1"), ("s.nosuch",),
             ("s.ask", "--read-only")]
    with serving(folder) as g:
        g.wait_ready()
        for case in cases:
            before = starts(folder)
            here = command(folder, "call", *case)
            died = case[0] == "s.die"
            until(lambda: starts(folder) == before + died, f"only {case} starts a server, and only once")  # pylint: disable=cell-var-from-loop
            alone = command(folder, "call", *case, "--alone")
            assert (here.returncode, here.stdout, here.stderr) == (alone.returncode, alone.stdout, alone.stderr), \
                (case, here, alone)
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
def another_configuration_is_not_used(folder):
    path = configure(folder)
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


if __name__ == "__main__":
    main()
