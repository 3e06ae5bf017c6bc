"""How servers start, stop and fail: what is said about it, slow starts, lazy servers, the catalogue on disk."""

import json
import subprocess

from harness import (MCPTOOLS, PATIENCE_S, TEST_SERVER, WRAPPER, Session, Stream, environment, gateway, main, run, server, test,
                     until, write_config)


def shell(script, **more):
    return {"command": "sh", "args": ["-c", script], **more}


@test
def an_error_shows_the_stderr_that_explains_it(folder):
    """In list and call, below the error and harmless; not the lines of the attempt before, nor frames of a trace."""
    script = ("echo \"start $$\" >> starts; printf 'load\\033[2J\\n' >&2; echo 'Error: no module' >&2; echo \"of $(wc -l < starts)\" >&2;"
              "for i in 1 2 3 4 5 6 7 8 9; do echo \"    at frame $i\" >&2; done; exit 3")
    config = write_config(folder, {"a": shell(script), "b": server()})
    done = run(folder, "list", "--config", config)
    lines = done.stderr.splitlines()
    at = lines.index("mcptools: server 'a': it ended before it was ready: the process exited with status 3")
    assert lines[at + 1:at + 5] == ["    | load?[2J", "    | Error: no module", "    | of 2",
                                    "    (9 more lines: 'mcptools status a')"], done
    done = run(folder, "call", "a.x", "--config", config)
    assert done.returncode == 4 and "    | Error: no module\n" in done.stderr and "\033" not in done.stderr, done
    said = json.loads(run(folder, "list", "-o", "json", "--config", config).stdout)["errors"]
    assert [e["server"] for e in said] == ["a"] and said[0]["stderr"].startswith("load\033[2J\nError: no module\nof "), said


@test
def a_crash_in_a_call_shows_stderr(folder):
    config = write_config(folder, {"a": server("--stderr", 3)})
    done = run(folder, "call", "a.tool0", "crash:=true", "--config", config)
    assert done.returncode and "mcptools: server 'a': the process" in done.stderr, done
    assert "    | test-server: line 2\n" in done.stderr, done


def slow(folder, **more):
    """A server that comes up only once the file `go` is there."""
    return shell(f"echo installing >&2; while ! test -e {folder}/go; do sleep 0.1; done; exec {TEST_SERVER} --tools 1", **more)


@test
def a_slow_start_is_mentioned(folder):
    """In a command too, with the limit, and the command goes on when the server is up."""
    config = write_config(folder, {"a": slow(folder, start_timeout=600)})
    process = subprocess.Popen([*WRAPPER, MCPTOOLS, "list", "a", "--config", str(config)], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(folder))
    line = process.stderr.readline()
    assert line == ("mcptools: warning: server 'a' is still starting (5 s); limits.start_timeout_s or --timeout changes the limit "
                    "of 600 s\n"), line
    (folder / "go").touch()
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0 and "a.tool0" in out and not err, (process.returncode, out, err)


@test
def limits_of_slow_starts_are_named(folder):
    """The whole limit, whether of the entry, of all servers or of the command line, which wins."""
    says = "no answer to initialize within %s s; a slow first start (npx install)? raise start_timeout"
    config = write_config(folder, {"a": slow(folder, start_timeout=1)})
    done = run(folder, "list", "--config", config)
    assert done.returncode == 4 and says % 1 in done.stderr and "    | installing\n" in done.stderr, done
    done = run(folder, "list", "--config", config, "--timeout", "2")
    assert done.returncode == 4 and says % 2 in done.stderr, done


@test
def clients_do_not_wait_for_slow_and_hanging_servers(folder):
    """They have 5 s at most: the lists of those that are there come first, the rest is announced."""
    config = write_config(folder, {"fast": server("--tools", 1), "hangs": server("--silent"), "slow": slow(folder)})
    with gateway(folder, "--config", config) as g:
        s = Session(g)
        stream = Stream(g, "GET", "/mcp", {**s.headers, "Accept": "text/event-stream"})
        assert [t["name"] for t in s.call("tools/list")["tools"]] == ["fast__tool0"]
        (folder / "go").touch()
        stream.until(b"notifications/tools/list_changed")
        assert [t["name"] for t in s.call("tools/list")["tools"]] == ["fast__tool0", "slow__tool0"]
        stream.close()


def starts(folder):
    return (folder / "starts").read_text().count("start") if (folder / "starts").exists() else 0


def counted(folder, *arguments, wait="", **more):
    """A server that notes each start."""
    return shell(f"echo start >> {folder}/starts; {wait} exec {TEST_SERVER} {' '.join(arguments)}", **more)


def catalogue(folder):
    return list((folder / ".cache" / "mcptools" / "catalogue").glob("*.json"))


@test
def a_lazy_server_is_started_by_its_first_use(folder):
    """Once to learn what it has; then lists need no process, and calls start one."""
    config = write_config(folder, {"a": counted(folder, "--tools 2", lifecycle="lazy"), "b": server("--tools", 1)})
    assert "connected" in run(folder, "list", "--config", config).stdout and starts(folder) == 1
    assert [f.stat().st_mode & 0o777 for f in catalogue(folder)] == [0o600, 0o600]
    done = run(folder, "list", "-o", "json", "--config", config)
    assert done.returncode == 0, done
    assert [(s["name"], s["state"], s["tools"]) for s in json.loads(done.stdout)["servers"]] == [("a", "idle", 2), ("b", "connected", 1)]
    assert "a.tool1" in run(folder, "list", "a", "--config", config).stdout and starts(folder) == 1
    done = run(folder, "call", "a.tool1", "text=x", "--config", config)
    assert done.returncode == 0 and starts(folder) == 2, done
    for text in ("", "{", '{"format":1}', "[" * 100000):
        for f in catalogue(folder):
            f.write_text(text)
        assert run(folder, "list", "--config", config).returncode == 0, text
    assert starts(folder) == 6


@test
def a_lazy_server_that_cannot_start_says_why(folder):
    config = write_config(folder, {"a": counted(folder, wait="test -e broken && { echo reason >&2; exit 3; };", lifecycle="lazy")})
    assert run(folder, "list", "--config", config).returncode == 0
    (folder / "broken").touch()
    done = run(folder, "call", "a.tool0", "--config", config)
    assert done.returncode == 4 and "server 'a': it ended before it was ready: the process exited with status 3" in done.stderr, done
    assert "    | reason\n" in done.stderr, done


@test
def an_idle_server_is_stopped_and_started_again(folder):
    config = write_config(folder, {"a": counted(folder, "--tools 1", idle_timeout=1)}, {"lifecycle": "eager"})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        s = Session(g)

        def state():
            return json.loads(g.request("GET", "/readyz")[2])["servers"][0]["state"]

        until(lambda: state() == "idle", "it is stopped")
        assert g.request("GET", "/readyz")[0] == 200
        assert [t["name"] for t in s.call("tools/list")["tools"]] == ["tool0"] and starts(folder) == 1
        assert not s.call("tools/call", {"name": "tool0", "arguments": {}}).get("isError")
        assert starts(folder) == 2 and state() == "connected"
        until(lambda: state() == "idle", "it is stopped again")


@test
def an_eager_server_shows_what_it_has(folder):
    """Not what it listed in an earlier run: clients would call tools that it no longer has."""
    config = write_config(folder, {"a": counted(folder, "--tools $(cat tools)", wait="while test -e hold; do sleep 0.1; done;", start_timeout=600)})
    (folder / "tools").write_text("1")
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
    (folder / "hold").touch()
    (folder / "tools").write_text("2")
    with gateway(folder, "--config", config) as g:
        s = Session(g)
        stream = Stream(g, "GET", "/mcp", {**s.headers, "Accept": "text/event-stream"})
        assert s.call("tools/list")["tools"] == []
        (folder / "hold").unlink()
        stream.until(b"notifications/tools/list_changed")
        assert len(s.call("tools/list")["tools"]) == 2
        stream.close()


@test
def a_lazy_server_of_a_gateway_is_tried_again(folder):
    """Its start failed; the next call, of a client or of a command that uses the gateway, tries it once more."""
    config = write_config(folder, {"a": counted(folder, "--tools 1", wait="test -e broken && exit 3;", lifecycle="lazy")})
    assert run(folder, "list", "--config", config).returncode == 0 and starts(folder) == 1
    env = {"XDG_RUNTIME_DIR": str(folder)}
    with gateway(folder, "--config", config, env=env) as g:
        s = Session(g)
        assert g.request("GET", "/readyz")[0] == 200 and starts(folder) == 1
        (folder / "broken").touch()
        answer = json.loads(s.post("tools/call", {"name": "tool0", "arguments": {}})[2])
        assert "exited with status 3" in answer["error"]["message"], answer
        (folder / "broken").unlink()
        done = run(folder, "call", "a.tool0", "--config", config, env=env)
        assert done.returncode == 0, done
        n = starts(folder)
        assert not s.call("tools/call", {"name": "tool0", "arguments": {}}).get("isError") and starts(folder) == n


main()
