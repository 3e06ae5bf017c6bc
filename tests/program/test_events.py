"""Who is told of calls: --events, the audit log, and the counters of /metrics."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess

from harness import (JSON, MCPTOOLS, PATIENCE_S, TEST_SERVER, WRAPPER, Session, Stream, environment, gateway, main,
                     metric, processes_with, run, server, stateless, test, until, write_config)


def config(folder, **serve):
    return write_config(folder, {"t": server("--tools", 1, "--resources", 1, "--prompts", 1),
                                 "no": server("--tools", 1, "--name", "no_", "--refuse", "tools/call")},
                        {"serve": serve} if serve else None)


def lines(path):
    text = path.read_text()
    assert not text or text.endswith("\n"), text[-100:]
    return [json.loads(line) for line in text.splitlines()]


def pairs(events):
    """(begin, end) of each call, in the order of the begins; nothing is left over."""
    begins = [e for e in events if e["event"] == "begin"]
    ends = {e["id"]: e for e in events if e["event"] == "end"}
    assert len({b["id"] for b in begins}) == len(begins) == len(ends) == len(events) / 2, events
    for b in begins:
        assert all(b[k] == ends[b["id"]][k] for k in ("method", "server", "tool")), events
    return [(b, ends[b["id"]]) for b in begins]


@test
def events_of_commands_go_to_a_file(folder):
    c, log = config(folder), folder / "events"
    assert run(folder, "call", "t.tool0", "n:=1.50", "--config", c, "--events", log).returncode == 0
    assert oct(log.stat().st_mode & 0o777) == "0o600"
    assert run(folder, "read", "test://resource/0", "--config", c, f"--events={log}").returncode == 0
    assert run(folder, "prompt", "t.prompt0", "a=b", "--config", c, "--events", log).returncode == 0
    assert run(folder, "call", "no.no_tool0", "--config", c, "--events", log).returncode == 5
    assert run(folder, "call", "t.nothing", "--config", c, "--events", log).returncode == 5  # no call was made
    assert run(folder, "agent", "read", "test://resource/0", "--config", c, "--events", folder / "told").returncode == 0
    assert len(pairs(lines(folder / "told"))) == 1
    for command in (("list", "t"), ("status",), ("config", "check"), ("tools",), ("watch",)):
        for option in (("--events", folder / "none"), ("--read-only",)):
            done = run(folder, *command, "--config", c, *option)
            assert done.returncode == 1 and f"{option[0]} is valid only with these commands: serve, call" in done.stderr, done
    assert not (folder / "none").exists()
    got = pairs(lines(log))
    assert [(b["method"], b["server"], b["tool"], b["principal"]) for b, _ in got] == [
        ("tools/call", "t", "tool0", "local"), ("resources/read", "t", "test://resource/0", "local"),
        ("prompts/get", "t", "prompt0", "local"), ("tools/call", "no", "no_tool0", "local")], got
    assert [b.get("arguments") for b, _ in got] == [{"n": 1.5}, None, {"a": "b"}, {}]
    assert '"arguments":{"n":1.50}' in log.read_text(), "as they were written"
    assert got[0][1]["result"]["structuredContent"]["arguments"] == {"n": 1.5}
    assert got[3][1]["error"]["kind"] == "server_error" and "code" in got[3][1]["error"], got[3]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["ts"]) for p in got for e in p)
    assert all(isinstance(e["duration"], float) and e["duration"] >= 0 for _, e in got)


@test
def events_go_to_a_descriptor(folder):
    c = config(folder)
    read_end, write_end = os.pipe()
    command = [*WRAPPER, MCPTOOLS, "call", "t.tool0", "n:=7", "--config", str(c), "--events", str(write_end)]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          pass_fds=[write_end], env=environment(folder)) as p:
        os.close(write_end)
        with os.fdopen(read_end) as told:
            text = told.read()  # its end: no server holds the descriptor
        out, err = p.communicate(timeout=PATIENCE_S)
        assert p.returncode == 0 and b'"event"' not in out, (out, err)
    (begin, end), = pairs([json.loads(line) for line in text.splitlines()])
    assert begin["arguments"] == {"n": 7} and "result" in end


@test
def a_place_events_cannot_go_to(folder):
    c = config(folder)
    (folder / "closed").mkdir()
    for value, told in (("97", "the descriptor is not open"), ("99999999999999999999", "the descriptor is not open"),
                        ("0", "not open for writing"), ("closed", "Is a directory"), ("none/x", "No such file"),
                        ("-", "a file or the number"), ("", "a file or the number")):
        done = run(folder, "call", "t.tool0", "--config", c, f"--events={value}")
        assert done.returncode == 1 and told in done.stderr and done.stdout == "", (value, done)
    done = run(folder, "serve", "--stdio", "--config", c, "--events", 1)
    assert done.returncode == 1 and "belongs to the client" in done.stderr and done.stdout == "", done


@test
def a_pipe_gets_more_than_it_holds(folder):
    read_end, write_end = os.pipe()
    command = [*WRAPPER, MCPTOOLS, "call", "t.tool0", "text=" + "x" * 50000, "--config", str(config(folder)),
               "--events", str(write_end)]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, pass_fds=[write_end], env=environment(folder)) as p:
        os.close(write_end)
        with os.fdopen(read_end) as told:
            text = told.read()
        p.communicate(timeout=PATIENCE_S)
    (begin, end), = pairs([json.loads(line) for line in text.splitlines()])
    assert len(begin["arguments"]["text"]) == 50000 and "result" in end


@test
def what_is_large_is_left_out(folder):
    log, big = folder / "events", folder / "big"
    big.write_text("x" * 70000)
    assert run(folder, "call", "t.tool0", "text=@big", "--config", config(folder), "--events", log).returncode == 0
    (begin, end), = pairs(lines(log))
    assert begin["arguments"] == {"omitted": True, "bytes": 70000 + len('{"text":""}')}
    assert end["result"]["omitted"] is True and end["result"]["bytes"] > 70000
    assert len(log.read_text()) < 2000


def call(g, name, arguments, session=None):
    if session:
        return session.post("tools/call", {"name": name, "arguments": arguments})
    body, headers = stateless("tools/call", {"name": name, "arguments": arguments})
    return g.request("POST", "/mcp", body, headers)


@test
def a_gateway_tells_events_audit_and_metrics(folder):
    events, audit = folder / "events", folder / "audit"
    c = config(folder, audit_log=str(audit), tokens=["s3cret-token"])
    token = {"Authorization": "Bearer s3cret-token"}
    with gateway(folder, "--config", c, "--events", events) as g:
        until(lambda: g.request("GET", "/readyz", None, token)[0] == 200, "ready")
        s = Session(g, headers=token)
        call(g, "t__tool0", {"password": "s3cret-argument"}, s)
        call(g, "no__no_tool0", {}, s)
        call(g, "no_such_tool", {"x": "s3cret-unknown"}, s)
        s.post("prompts/get", {"name": "t__prompt0", "arguments": {"a": "s3cret-prompt"}})
        s.post("resources/read", {"uri": "test://resource/0"})
        body, headers = stateless("tools/call", {"name": "t__tool0", "arguments": {"password": "s3cret-2"}, "_meta": {
            "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"}}})
        assert g.request("POST", "/mcp", body, {**headers, **token})[0] == 200
        value = lambda name: metric(g, name, token)
        assert value('calls_total{server="t",method="tools/call",outcome="ok"}') == 2
        assert value('calls_total{server="no",method="tools/call",outcome="server_error"}') == 1
        assert value('calls_total{server="t",method="prompts/get",outcome="ok"}') == 1
        assert value('calls_total{server="t",method="resources/read",outcome="ok"}') == 1
        assert value('call_duration_seconds_count{server="t"}') == 4
        assert value('call_duration_seconds_bucket{server="t",le="+Inf"}') == 4
        assert value('call_duration_seconds_sum{server="t"}') > 0
        counts = [value(f'call_duration_seconds_bucket{{server="t",le="{le}"}}') for le in
                  ("0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "+Inf")]
        assert counts == sorted(counts), "each holds those below it"
        assert value("event_lines_lost_total") == value("audit_log_lines_lost_total") == 0
        g.stop()
    got = pairs(lines(events))
    assert [(b["server"], b["tool"], b["client"], b["principal"]) for b, _ in got] == [
        ("t", "tool0", "t", "token-1"), ("no", "no_tool0", "t", "token-1"), ("t", "prompt0", "t", "token-1"),
        ("t", "test://resource/0", "t", "token-1"), ("t", "tool0", "modern", "token-1")], got
    assert got[0][0]["arguments"] == {"password": "s3cret-argument"}
    told = lines(audit)
    assert "s3cret" not in audit.read_text(), audit.read_text()
    assert "s3cret-token" not in events.read_text() and "s3cret-unknown" not in events.read_text()
    assert [(l["id"], l["server"], l["tool"], l["client"], l["principal"]) for l in told] == [
        (b["id"], b["server"], b["tool"], b["client"], "token-1") for b, _ in got]
    assert [(l["method"], l["outcome"]) for l in told] == [
        ("tools/call", "ok"), ("tools/call", "server_error"), ("prompts/get", "ok"), ("resources/read", "ok"),
        ("tools/call", "ok")]
    assert "code" in told[1] and told[1]["result_bytes"] == 0 and "code" not in told[0]
    assert told[0]["arguments_bytes"] == len('{"password": "s3cret-argument"}') and told[0]["result_bytes"] > 30
    assert set(told[0]) == {"ts", "id", "principal", "client", "method", "server", "tool", "outcome", "duration_ms",
                            "arguments_bytes", "result_bytes"}


def metrics_text(g):
    return g.request("GET", "/metrics")[2].decode()


@test
def metrics_stay_valid(folder):
    """Whatever servers are called: each series once, each family in one place, labels escaped."""
    odd = 'a"b\\c'
    c = write_config(folder, {odd: server("--tools", 1), "other": server("--tools", 1, "--name", "o_")})
    with gateway(folder, "--config", c) as g:
        g.wait_ready()
        name = next(s["name"] for s in json.loads(g.request("GET", "/readyz")[2])["servers"]
                    if s["name"] != "other")
        call(g, "other__o_tool0", {})
        call(g, "tool0", {})
        text = until(lambda: (t := metrics_text(g)) and t.count("mcptools_calls_total{") == 2 and t, "both are counted")
    label = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
    series, families = [], []
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            families.append(line.split()[2])
            continue
        if line.startswith("# HELP "):
            continue
        found = re.fullmatch(rf"([a-z_]+)((?:\{{{label}(?:,{label})*\}})?) ([0-9.]+)", line)
        assert found, line
        series.append(found[1] + found[2])
        family = re.sub("_(bucket|sum|count)$", "", found[1]) if "duration" in found[1] else found[1]
        assert families[-1] == family, line
    assert len(set(series)) == len(series) and len(set(families)) == len(families)
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    assert '"' in name and f'mcptools_calls_total{{server="{escaped}",method="tools/call",outcome="ok"}}' in series, series
    assert 'mcptools_calls_total{server="other",method="tools/call",outcome="ok"}' in series


@test
def calls_that_nobody_waits_for_end_once(folder):
    """The client hangs up; the gateway is stopped in the middle of a call."""
    events, audit = folder / "events", folder / "audit"
    with gateway(folder, "--config", write_config(folder, {"t": server("--tools", 1)}, {
            "serve": {"audit_log": str(audit)}, "limits": {"drain_s": 0}}), "--events", events) as g:
        g.wait_ready()
        body, headers = stateless("tools/call", {"name": "tool0", "arguments": {"delay_ms": 3600000}})
        with Stream(g, "POST", "/mcp", headers, body):
            until(lambda: len(lines(events)) == 1, "it has begun")
        until(lambda: len(lines(events)) == 2, "it has ended")
        assert metric(g, 'calls_total{server="t",method="tools/call",outcome="cancelled"}') == 1
        with Stream(g, "POST", "/mcp", headers, body):
            until(lambda: len(lines(events)) == 3, "the other has begun")
            g.stop()
    got = pairs(lines(events))
    assert [e["error"]["kind"] for _, e in got] == ["cancelled"] * 2, got
    assert got[1][1]["error"]["message"] == "the client disconnected"
    assert [l["outcome"] for l in lines(audit)] == ["cancelled"] * 2


@test
def the_audit_log_is_there_over_stdio(folder):
    c = config(folder, audit_log="-")
    messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}},
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
                    "name": "t__tool0", "arguments": {"text": "s3cret"}}}]
    done = run(folder, "serve", "--stdio", "--config", c, stdin="".join(json.dumps(m) + "\n" for m in messages))
    assert done.returncode == 0 and '"id":2,"result"' in done.stdout, done
    told, = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert (told["client"], told["principal"], told["tool"], told["outcome"]) == ("pipe", "local", "tool0", "ok"), told
    assert "s3cret" not in done.stderr


@test
def an_audit_log_that_cannot_be_opened_stops_the_program(folder):
    for path in ("none/audit", "."):
        done = run(folder, "serve", "--http", "127.0.0.1:0", "--config", config(folder, audit_log=path))
        assert done.returncode == 2 and f"mcptools.json: serve.audit_log {path}: " in done.stderr, done


@test
def a_terminal_nobody_reads_stops_nothing(folder):
    far, near = os.openpty()
    command = [*WRAPPER, MCPTOOLS, "call", "t.tool0", "--args", json.dumps({"x": "y" * 40000}), "--events", "2",
               "--config", str(config(folder))]
    try:
        done = subprocess.run(command, cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=near, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0 and done.stdout, done
    finally:
        os.close(near)
        os.close(far)


@test
def events_nobody_reads_stop_nothing(folder):
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with gateway(folder, "--config", config(folder), "--events", fifo) as g:
        g.wait_ready()
        sent = 0
        while metric(g, "event_lines_lost_total") == 0:
            assert call(g, "t__tool0", {"text": "x" * 60000})[0] == 200
            sent += 1
            assert sent < 1000, "never full"
        os.set_blocking(reader, True)
        with os.fdopen(reader, "rb") as told:
            got = [json.loads(told.readline()) for _ in range(20)]
            pairs(got)
            assert call(g, "t__tool0", {})[0] == 200
            g.stop()
            assert all(json.loads(line) for line in told.read().splitlines()[:-1])  # the last may be a part


def until_many(g, count):
    for _ in range(count):
        assert g.request("GET", "/healthz")[0] == 200


@test
def a_log_that_may_not_grow_ends_nothing(folder):
    """SIGXFSZ is what write() beyond the limit of the size of files raises."""
    c, log = config(folder, access_log=str(folder / "access"), audit_log="/dev/full"), folder / "access"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    with gateway(folder, "--config", c, before=limit) as g:
        g.wait_ready()
        until_many(g, 100)
        Session(g).call("tools/call", {"name": "t__tool0"})
        until(lambda: "audit_log: No space left" in g.text(), "the full disk is said")
        until_many(g, 20)
        assert g.text().count("serve.access_log: File too large") == 1, g.text()
        assert log.stat().st_size <= 8192
        assert g.stop() == 0


@test
def logs_are_opened_again(folder):
    """SIGUSR1, and SIGHUP without a terminal: after logrotate has moved them away."""
    c = config(folder, access_log=str(folder / "access"), audit_log=str(folder / "audit"))
    names = ("access", "audit", "events")
    with gateway(folder, "--config", c, "--events", folder / "events") as g:
        s = Session(g.wait_ready())
        for number, one in enumerate((signal.SIGUSR1, signal.SIGHUP)):
            for name in names:
                (folder / name).rename(folder / f"{name}.{number}")
            g.process.send_signal(one)
            until(lambda: all((folder / name).exists() for name in names), "all are there again")
            s.call("tools/call", {"name": "t__tool0"})
            until(lambda: all((folder / name).stat().st_size for name in names), "all are written")
        assert "configuration reloaded: no server has changed" in g.text(), g.text()
        assert (folder / "events.1").stat().st_size and (folder / "audit.1").stat().st_size
        for name in names:
            (folder / name).rename(folder / f"{name}.2")
            (folder / name).mkdir()
        g.process.send_signal(signal.SIGUSR1)
        until(lambda: "reopening the file failed" in g.text(), "it says why not")
        before = (folder / "audit.2").stat().st_size
        s.call("tools/call", {"name": "t__tool0"})
        until(lambda: (folder / "audit.2").stat().st_size > before, "the old one is still written")
        assert g.process.poll() is None


@test
def hangup_ends_serve_only_with_its_terminal(folder):
    for end_of in ("stdin", "stderr"):
        control, terminal = os.openpty()
        path = config(folder, watch=False)
        streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, end_of: terminal}
        with subprocess.Popen([MCPTOOLS, "serve", "--http", "127.0.0.1:0", "--config", str(path)], cwd=folder,
                              env=environment(folder), stdout=subprocess.DEVNULL, **streams,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)) as p:  # nohup may run us
            try:
                until(lambda: signal_is_caught(p.pid, signal.SIGHUP), "the handler is there")
                write_config(folder, {"new": server("--record", folder / end_of)})
                p.send_signal(signal.SIGHUP)
                until(lambda: processes_with(str(folder / end_of)), "the configuration is read again")
                assert p.poll() is None
                os.close(terminal)
                os.close(control)
                p.send_signal(signal.SIGHUP)
                assert p.wait(PATIENCE_S) == 0
            finally:
                p.kill()


@test
def hangup_spares_what_nohup_runs(folder):
    c = write_config(folder, {"t": server("--record", folder / "record")})
    with subprocess.Popen([MCPTOOLS, "watch", "--config", str(c)], cwd=folder, env=environment(folder),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as p:
        until(lambda: processes_with(str(folder / "record")), "its server runs")
        caught = [signal_is_caught(p.pid, n) for n in (signal.SIGTERM, signal.SIGHUP)]
        p.kill()
    assert caught == [1, 0], caught


def signal_is_caught(pid, number):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    mask = int(re.search(r"SigCgt:\t(\w+)", status).group(1), 16)
    return mask >> (number - 1) & 1


if __name__ == "__main__":
    main()
