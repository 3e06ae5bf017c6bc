"""No child process is left, however the gateway ends; and the ladder for those that do not want to go."""

import json
import os
import pathlib
import signal
import subprocess

from harness import (MCPTOOLS, Session, environment, gateway, main, processes_with, run, server, stateless, test, until,
                     write_config)


def marked(folder, *arguments):
    """A server whose processes can be told from all others by the folder in their command line."""
    return server("--record", folder / "record", *arguments)


def none_left(folder):
    until(lambda: not processes_with(str(folder / "record")), "every child process has gone")


def ends_clean(folder, signal_number, *arguments):
    config = write_config(folder, {"a": marked(folder, *arguments), "b": marked(folder)})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        assert len(processes_with(str(folder / "record"))) >= 2
        status = g.stop(signal_number)
        none_left(folder)
        return status


@test
def terminated(folder):
    assert ends_clean(folder, signal.SIGTERM) == 0


@test
def interrupted(folder):
    assert ends_clean(folder, signal.SIGINT) == 0


@test
def killed(folder):
    assert ends_clean(folder, signal.SIGKILL) == -9


@test
def killed_with_a_stubborn_child(folder):
    ends_clean(folder, signal.SIGKILL, "--ignore-eof", "--ignore-term")


@test
def killed_with_grandchildren(folder):
    ends_clean(folder, signal.SIGKILL, "--spawn", "child")


@test
def killed_with_a_grandchild_in_another_group(folder):
    ends_clean(folder, signal.SIGKILL, "--spawn", "session")


@test
def terminated_with_grandchildren(folder):
    ends_clean(folder, signal.SIGTERM, "--spawn", "session")


@test
def terminated_with_a_stubborn_child(folder):
    ends_clean(folder, signal.SIGTERM, "--ignore-eof", "--ignore-term")


@test
def crashed_child_leaves_nothing_and_comes_back(folder):
    config = write_config(folder, {"a": marked(folder, "--spawn", "child")})
    with gateway(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        before = set(processes_with(str(folder / "record")))
        status, _, body = s.post("tools/call", {"name": "tool0", "arguments": {"crash": True}})
        assert status == 200 and b"signal 6" in body, body
        until(lambda: not before & set(processes_with(str(folder / "record"))), "the old processes have gone")
        until(lambda: s.post("tools/call", {"name": "tool0"})[2].find(b'"result"') > 0, "it answers again")
    none_left(folder)


@test
def stdio_client_goes(folder):
    config = write_config(folder, {"a": marked(folder)})
    with subprocess.Popen([MCPTOOLS, "serve", "--stdio", "--config", config], cwd=folder, env=environment(folder),
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
        until(lambda: processes_with(str(folder / "record")), "the server runs")
        p.stdin.close()
        assert p.wait(30) == 0
    none_left(folder)


@test
def stdio_answers_what_was_asked_before_the_end(folder):
    config = write_config(folder, {"a": marked(folder)})
    asked = ('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
             '"clientInfo":{"name":"t","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
             '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tool0","arguments":{"delay_ms":300}}}\n')
    done = run(folder, "serve", "--stdio", "--config", config, stdin=asked)
    assert done.returncode == 0 and '"id":2,"result"' in done.stdout, done
    none_left(folder)


@test
def stdio_clients_get_instructions(folder):
    """The client is there before the servers are; one that hangs does not keep it."""
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
    discover = json.loads(stateless("server/discover")[0])
    for first in initialize, discover:
        for servers, said in (({"t": server()}, "Be kind."),
                              ({"t": server(), "h": server("--hang-on", "initialize", protocol="legacy")}, "# t\nBe kind.")):
            config = write_config(folder, servers)
            done = run(folder, "serve", "--stdio", "--config", config, stdin=json.dumps(first) + "\n")
            assert json.loads(done.stdout.splitlines()[0])["result"].get("instructions") == said, (first, done)


@test
def a_server_that_hangs_keeps_its_own_clients_only(folder):
    hangs = server("--hang-on", "initialize", protocol="legacy", start_timeout=3600)
    config = write_config(folder, {"t": server(), "h": hangs}, {"limits": {"instructions_wait_s": 60}})
    with gateway(folder, "--config", config) as g:  # a request gets less than these 60 seconds
        assert Session(g, "/mcp/t").info["instructions"] == "Be kind."


@test
def stdio_reads_files_and_nothing(folder):
    (folder / "asked").write_text('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    for path, wanted in (("asked", '{"jsonrpc":"2.0","id":1,"result":{}}\n'), ("/dev/null", "")):
        with open(folder / path) as stdin:
            done = subprocess.run([MCPTOOLS, "serve", "--stdio"], cwd=folder, env=environment(folder), stdin=stdin,
                                  capture_output=True, text=True, timeout=30, check=False)
        assert (done.returncode, done.stdout) == (0, wanted), done


@test
def a_wrapped_server_has_its_time_to_end(folder):
    """The shell dies of SIGTERM at once; what it started gets one signal, and the time to clean up."""
    script = ('trap "" HUP; python3 -c "import signal,sys,time\n'
              'got=[]\n'
              'signal.signal(signal.SIGTERM, lambda *a: got.append(1))\n'
              'open(sys.argv[1]+\'.up\',\'w\')\n'
              'while not got: time.sleep(0.01)\n'
              'time.sleep(0.5); open(sys.argv[1],\'w\').write(str(len(got)))" ' + str(folder / "end") + '; true')
    config = write_config(folder, {"a": {"command": "sh", "args": ["-c", script]}})
    with gateway(folder, "--config", config) as g:
        until(lambda: (folder / "end.up").exists(), "the server runs")
        g.stop()
    assert (folder / "end").read_text() == "1"


@test
def failed_starts_leave_no_zombies(folder):
    (folder / "bad").write_text("#!/no/such/interpreter\n")
    (folder / "bad").chmod(0o755)
    config = write_config(folder, {"a": {"command": str(folder / "bad")}, "b": {"command": "cat", "cwd": "/no/such"}})
    with gateway(folder, "--config", config) as g:
        until(lambda: b'"b","state":"error"' in g.request("GET", "/readyz")[2], "both have failed")
        stats = [p.read_text() for p in (pathlib.Path(f"/proc/{c}/stat") for c in children(g.process.pid))]
        assert not [s for s in stats if s.rsplit(")", 1)[1].split()[0] == "Z"], stats


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return f.read().split()


@test
def commands_leave_nothing(folder):
    config = write_config(folder, {"a": marked(folder, "--ignore-eof"), "b": marked(folder, "--exit-at-start"),
                                   "c": marked(folder, "--spawn", "session")})
    run(folder, "list", "--config", config)
    none_left(folder)


@test
def children_get_a_small_environment(folder):
    """Nothing but the allow-list and what is configured; and only three descriptors."""
    script = 'env > "$OUT"; ls /proc/$$/fd | wc -l >> "$OUT"; exec "$TEST"'
    config = write_config(folder, {"a": {"command": "sh", "args": ["-c", script], "env": {
        "OUT": str(folder / "env"), "TEST": os.environ["TEST_SERVER"], "MINE": "${SECRET_OF_PARENT}"}}})
    done = run(folder, "list", "--config", config, env={"SECRET_OF_PARENT": "x1", "AWS_SECRET_ACCESS_KEY": "x2"})
    assert done.returncode == 0, done
    lines = (folder / "env").read_text().splitlines()
    assert "MINE=x1" in lines and not any("x2" in line or "SECRET_OF_PARENT=" in line for line in lines), lines
    assert lines[-1] in ("3", "4"), lines[-1]  # ls itself may hold the folder open


if __name__ == "__main__":
    main()
