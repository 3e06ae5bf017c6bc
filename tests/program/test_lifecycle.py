"""How servers start, stop and fail: what is said about it, slow starts, lazy servers, the catalogue on disk."""

import json
import subprocess

from harness import (MCPTOOLS, PATIENCE_S, TEST_SERVER, WRAPPER, Session, Stream, environment, gateway, main, run, server, test,
                     write_config)


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


main()
