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


STRAYS = ("detached", "daemon", "bare")  # in a session of its own; without a parent; with an empty environment


def marks(folder):
    return set(processes_with(str(folder / "record")))


def with_strays(folder):
    """One server for each kind, and one that leaves nothing behind."""
    servers = {kind: marked(folder, "--spawn", kind) for kind in STRAYS}
    return write_config(folder, {**servers, "plain": marked(folder)})


def strays_are_up(folder, g):
    g.wait_ready()
    return until(lambda: len(marks(folder)) == 2 * len(STRAYS) + 1 and marks(folder), "servers and strays run")


@test
def terminated_with_strays(folder):
    with gateway(folder, "--config", with_strays(folder)) as g:
        strays_are_up(folder, g)
        assert g.stop(signal.SIGTERM) == 0
        assert not marks(folder), "they are gone before the gateway is"


@test
def killed_with_strays(folder):
    with gateway(folder, "--config", with_strays(folder)) as g:
        strays_are_up(folder, g)
        g.stop(signal.SIGKILL)
        none_left(folder)


@test
def crashed_with_strays(folder):
    """The strays of a server go with it, those of other servers stay."""
    with gateway(folder, "--config", with_strays(folder)) as g:
        s = Session(g)
        before = strays_are_up(folder, g)
        body = s.post("tools/call", {"name": "bare__tool0", "arguments": {"crash": True}})[2]
        assert b"signal 6" in body, body
        until(lambda: len(before & marks(folder)) == len(before) - 2, "the server and what it left are gone")
        until(lambda: s.post("tools/call", {"name": "bare__tool0"})[2].find(b'"result"') > 0, "it answers again")
        assert len(before & marks(folder)) == len(before) - 2, "nothing of the others"
        g.stop()
    none_left(folder)


def helpers(g):
    """The reapers of a gateway: those children that run the same program."""
    return [c for c in children(g.process.pid) if program_of(c) == program_of(g.process.pid)]


def program_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None  # it has just ended


@test
def reaper_killed_then_gateway_killed(folder):
    with gateway(folder, "--config", with_strays(folder)) as g:
        strays_are_up(folder, g)
        for _ in range(2):
            old = helpers(g)
            assert len(old) == 1, old
            os.kill(int(old[0]), signal.SIGKILL)
            until(lambda: any(h not in old for h in helpers(g)), "another reaper runs")  # pylint: disable=cell-var-from-loop
        assert "reaper" in g.text(), g.text()
        g.stop(signal.SIGKILL)
        none_left(folder)


@test
def killed_by_name(folder):
    """`killall mcptools` goes by the names of processes, and that of the reaper is another."""
    with gateway(folder, "--config", write_config(folder, {"a": marked(folder)})) as g:
        g.wait_ready()
        names = {pathlib.Path(f"/proc/{p}/comm").read_text().strip() for p in helpers(g)}
        assert names == {"mct-reaper"}, names


@test
def gateway_behind_a_gateway_is_killed(folder):
    """The inner reaper is not ended with the outer servers: it has work left."""
    inner = folder / "inner"
    inner.mkdir()
    stubborn = write_config(inner, {"a": marked(folder, "--spawn", "bare", "--ignore-eof", "--ignore-term")})
    config = write_config(folder, {"inner": {"command": MCPTOOLS, "args": ["serve", "--stdio", "--config", str(stubborn)]}})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        until(lambda: len(marks(folder)) == 2, "the inner server and its stray run")
        g.stop(signal.SIGKILL)
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
    config = write_config(folder, {"t": server(), "h": hangs}, {"limits": {"list_wait_s": 60}})
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
    done = run(folder, "list", "--config", config, env={"SECRET_OF_PARENT": "x1", "AWS_SECRET_ACCESS_KEY": "not-for-children"})
    assert done.returncode == 0, done
    lines = (folder / "env").read_text().splitlines()
    assert "MINE=x1" in lines and not any("not-for-children" in line or "SECRET_OF_PARENT=" in line for line in lines), lines
    assert lines[-1] in ("3", "4"), lines[-1]  # ls itself may hold the folder open


@test
def variables_are_passed_on_where_it_is_said(folder):
    """Proxies, certificates and settings of npm are passed on by themselves; others for all servers or one."""
    script = 'env > "$OUT"; exec "$TEST"'

    def entry(name, **more):
        return {"command": "sh", "args": ["-c", script], "env": {"OUT": str(folder / name), "TEST": os.environ["TEST_SERVER"]}, **more}

    config = write_config(folder, {"a": entry("a"), "b": entry("b", env_inherit=["AWS_*", "ON?"])}, {"env_inherit": ["EDITOR"]})
    given = {"HTTPS_PROXY": "http://127.0.0.1:9", "NODE_EXTRA_CA_CERTS": "/ca.pem", "NPM_CONFIG_REGISTRY": "http://127.0.0.1:8",
             "EDITOR": "ed", "AWS_PROFILE": "p1", "ONE": "1", "ONLY": "x"}
    done = run(folder, "list", "--config", config, env=given)
    assert done.returncode == 0, done
    got = {name: dict(line.split("=", 1) for line in (folder / name).read_text().splitlines() if "=" in line) for name in "ab"}
    always = {key: given[key] for key in ("HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "NPM_CONFIG_REGISTRY", "EDITOR")}
    assert {key: got["a"][key] for key in given if key in got["a"]} == always, got["a"]
    assert {key: got["b"][key] for key in given if key in got["b"]} == {**always, "AWS_PROFILE": "p1", "ONE": "1"}, got["b"]


def shell(script):
    return {"command": "sh", "args": ["-c", script]}


@test
def stderr_is_in_the_log(folder):
    """At info line by line, without what steers a terminal, and no more than so many a second."""
    config = write_config(folder, {"a": server("--stderr", 2000), "b": shell("printf 'one\\033[2Jtwo\\n' >&2; exec cat >/dev/null")})
    with gateway(folder, "--config", config, "--log-level", "info") as g:
        until(lambda: g.text().count("server 'a': stderr: test-server: line") >= 50, "lines are logged")
        until(lambda: "server 'b': stderr: one?[2Jtwo\n" in g.text(), "and cleaned")
        g.stop()
        assert g.text().count("server 'a': stderr: test-server: line") < 2000


@test
def a_failure_tells_the_last_lines(folder):
    config = write_config(folder, {"a": shell("for i in 1 2 3 4 5 6 7 8; do echo \"reason $i\" >&2; done; exit 3"),
                                   "b": server("--stderr", 3)})
    with gateway(folder, "--config", config) as g:
        until(lambda: "reason 8" in g.text(), "the reason is told")
        said = [line for line in g.text().splitlines() if "server 'a'" in line]
        assert "it ended before it was ready: the process exited with status 3" in said[0], said
        assert said[1:6] == [f"mcptools: warning: server 'a': stderr: reason {i}" for i in range(4, 9)], said
        s = Session(g)
        until(lambda: s.call("tools/list")["tools"], "b is there")
        assert "test-server: line" not in g.text(), "it has not failed"
        assert b"signal 6" in s.post("tools/call", {"name": "b__tool0", "arguments": {"crash": True}})[2]
        until(lambda: "server 'b': stderr: test-server: line 2" in g.text(), "a crash tells them, too")


@test
def a_failure_names_the_variable_that_was_not_passed_on(folder):
    broken = 'test "$MY_KEY" || { echo "fatal: MY_KEY and OTHER_KEY are required" >&2; exit 1; }; exec "$TEST"'
    entry = {**shell(broken), "env": {"TEST": os.environ["TEST_SERVER"]}}
    done = run(folder, "list", "--config", write_config(folder, {"a": entry}), env={"MY_KEY": "hidden-value"})
    assert done.returncode == 4 and 'its stderr names MY_KEY, which is set here but not passed on: add it to "env_inherit"' in done.stderr, done
    assert "hidden-value" not in done.stdout + done.stderr
    done = run(folder, "list", "--config", write_config(folder, {"a": entry}))
    assert done.returncode == 4 and "env_inherit" not in done.stderr, done
    assert 'its stderr names MY_KEY, which is not set: set it in "env"' in done.stderr, done
    done = run(folder, "list", "--config", write_config(folder, {"a": {**entry, "env_inherit": ["MY_KEY"]}}), env={"MY_KEY": "hidden-value"})
    assert done.returncode == 0, done


@test
def a_server_that_cannot_be_started_says_why(folder):
    config = write_config(folder, {"a": {"command": "${NO_SUCH_VARIABLE}/server"}})
    with gateway(folder, "--config", config) as g:
        until(lambda: b"NO_SUCH_VARIABLE" in g.request("GET", "/readyz")[2], "/readyz says why")
        assert "mcptools.json:1: command: " in g.text() and "NO_SUCH_VARIABLE" in g.text(), g.text()


if __name__ == "__main__":
    main()
