"""What a person sees while servers start: a table on a terminal, lines of serve."""

import json
import os
import re
import signal

import harness
from harness import gateway, main, server, test, until, write_config
from terminal import Terminal


def script(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return {"command": str(path)}


def starting(folder):
    """Writes a line, and is a server as soon as there is the file `go`."""
    go = folder / "go"
    return go, script(folder, "slow.sh", f"printf 'fetching \\033[31mthings\\033[0m\\033]0;title\\a\\n' >&2\n"
                      f"while [ ! -e {go} ]; do sleep 0.1; done\nexec {harness.TEST_SERVER} --tools 7\n")


def plain(out):
    return re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", out)


@test
def the_table_lives_and_vanishes(folder):
    go, slow = starting(folder)
    write_config(folder, {"quick": server(), "slow": slow, "bad": {"command": "/nowhere/program"}})
    t = Terminal(folder, "list")
    for part in (b"fetching things", b"\x1b[32mconnected", b"\x1b[31mfailed"):
        t.until(part)
    shown = plain(t.out)
    assert b"quick    connected" in shown and b"slow     connecting" in shown, shown
    assert b"bad      failed" in shown and b"starting '/nowhere/program': No such" in shown, shown
    assert b"\x1b[32mconnected" in t.out and b"\x1b[33mconnecting" in t.out and b"\x1b[31mfailed" in t.out, t.out
    assert b"\x1b[31mthings" not in t.out and b"\x1b]0;" not in t.out and b"\a" not in t.out, t.out
    go.touch()
    status, out = t.end()
    left = out.rsplit(b"\x1b[J", 1)[1]
    assert status == 8 and b"fetching" not in left, (status, left)
    assert plain(left).count(b"No such file or directory") == 1, left
    assert b"7 tools" in left, left


@test
def no_table_elsewhere(folder):
    go, slow = starting(folder)
    go.touch()
    write_config(folder, {"slow": slow})
    t = Terminal(folder, "list", env={"TERM": "dumb"})
    status, out = t.end()
    assert status == 0 and b"\x1b" not in out, out
    t = Terminal(folder, "list", "--no-color")
    status, out = t.end()
    assert status == 0 and not re.search(rb"\x1b\[[0-9;]*m", out), out
    done = harness.run(folder, "list", "-o", "json")
    assert json.loads(done.stdout)["servers"][0]["state"] == "connected" and "\x1b" not in done.stderr, done


@test
def an_interruption_leaves_a_clean_terminal(folder):
    _, slow = starting(folder)
    write_config(folder, {"slow": slow})
    t = Terminal(folder, "list")
    t.until(b"connecting")
    t.interrupt()
    status, out = t.end()
    assert status == 130 and b"connecting" not in out.rsplit(b"\x1b[J", 1)[1], out


@test
def a_narrow_terminal_is_not_overrun(folder):
    _, slow = starting(folder)
    write_config(folder, {"a-server-with-a-long-name": slow})
    for columns in ("20", "40", "60"):
        t = Terminal(folder, "list", env={"COLUMNS": columns})
        t.until(b"ting")
        t.until(b"\r\n")
        t.interrupt()
        _, out = t.end()
        lines = [line for line in plain(out).replace(b"\r", b"").split(b"\n") if b"connect" in line or b"star" in line]
        assert lines and all(len(line) < int(columns) for line in lines), lines


@test
def serve_says_what_its_servers_do(folder):
    go, slow = starting(folder)
    one = folder / "one"
    config = {"one": server("--record", one, "--tools", 1), "slow": slow, "bad": {"command": "/nowhere/program"}}
    with gateway(folder, "--config", write_config(folder, config)) as g:
        until(lambda: "server 'one' connected: 1 tool, " in g.text(), "the quick one")
        go.touch()
        until(lambda: "server 'slow' connected: 7 tools, " in g.text(), "the slow one")
        until(lambda: "ready: 2 of 3 servers, 8 tools in " in g.text(), "the last line")
        assert g.text().count("/nowhere/program") == 1, g.text()
        pid = until(lambda: harness.processes_with(f"--record {one}"), "the process")[0]
        os.kill(pid, signal.SIGKILL)
        until(lambda: g.text().count("server 'one' connected: ") == 2, "it is back")
        assert g.text().count("ready: ") == 1, g.text()


@test
def serve_on_a_terminal(folder):
    go, slow = starting(folder)
    write_config(folder, {"quick": server(), "slow": slow})
    t = Terminal(folder, "serve", "--http", "127.0.0.1:0")
    t.until(b"server 'quick' connected: 3 tools")
    t.until(b"fetching things")
    go.touch()
    t.until(b"ready: 2 of 2 servers, 10 tools in ")
    left = t.out.rsplit(b"\x1b[J", 1)[1]
    assert b"server 'slow' connected" in left or b"ready" in left, left
    t.interrupt()
    assert t.end()[0] == 0


main()
