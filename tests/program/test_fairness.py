"""What clients make the gateway hold: ceilings, who is refused, and that the others are served meanwhile."""

import contextlib
import http.server
import json
import pathlib
import socket
import sys
import threading
import time

from harness import (JSON, PATIENCE_S, WRAPPER, Session, Stream, gateway, main, metric, run, server, stateless, test,
                     until, write_config)

MIB = 1 << 20
SMALL = {"memory_bytes": 48 * MIB, "message_bytes": 8 * MIB}
SLACK = 24 * MIB  # the program itself, and a few messages on their way

# A server with tools that answer much or log much, and whose resources can be subscribed to.
SERVER = r'''
import json, sys

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("big", "flood", "small")]

def say(message):
    sys.stdout.write(json.dumps(message) + "\n")

def result_of(message):
    if message["method"] == "initialize":
        return {"protocolVersion": message["params"]["protocolVersion"], "serverInfo": {"name": "f", "version": "1"},
                "capabilities": {"tools": {}, "logging": {}, "resources": {"subscribe": True}}}
    if message["method"] == "tools/list":
        return {"tools": TOOLS}
    if message["method"] == "resources/list":
        return {"resources": [{"uri": "test://one", "name": "one"}]}
    if message["method"] == "tools/call" and message["params"]["name"] == "big":
        return {"content": [{"type": "text", "text": "x" * message["params"]["arguments"]["bytes"]}]}
    if message["method"] == "tools/call":
        return {"content": []}
    return {}

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        say({"jsonrpc": "2.0", "id": message["id"], "result": result_of(message)})
        sys.stdout.flush()
    if message["method"] == "tools/call" and message["params"]["name"] == "flood":
        for number in range(message["params"]["arguments"]["lines"]):
            say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": f"line {number}"}})
        say({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "test://one"}})
        sys.stdout.flush()
'''


def scripted(folder):
    path = folder / "fair_server.py"
    path.write_text(SERVER)
    return {"command": sys.executable, "args": [str(path)]}


@contextlib.contextmanager
def measured(folder, *arguments):
    """A gateway whose memory is looked at: not filled by the allocator, which touches what is only reserved."""
    with gateway(folder, *arguments, env={"MALLOC_PERTURB_": "0"}) as g:
        yield g


def memory(g, name):
    lines = pathlib.Path(f"/proc/{g.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


def check_resident(g, limit):
    instrumented = WRAPPER or memory(g, "VmSize") > 1 << 40  # valgrind or a sanitizer keeps what was freed
    held = memory(g, "VmRSS")
    assert instrumented or held < limit, f"{held >> 20} MiB resident, {limit >> 20} MiB allowed"


def call(name, arguments, id=1):
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def post_head(length, headers=None):
    lines = {"Host": "localhost", **JSON, **(headers or {}), "Content-Length": length}
    return ("POST /mcp HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n").encode()


def connect(g, receive_bytes=None):
    s = socket.socket()
    if receive_bytes:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    s.settimeout(PATIENCE_S)
    s.connect(("127.0.0.1", g.port))
    return s


class SlowServer(http.server.ThreadingHTTPServer):
    """Streamable HTTP; a call is answered when it is told to."""

    daemon_threads = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self.send_error(405)

        def do_DELETE(self):
            self.send_error(405)

        def do_POST(self):
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            results = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                      "serverInfo": {"name": "slow", "version": "1"}},
                       "tools/list": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("slow", "drips")]},
                       "tools/call": {"content": []}}
            if message["method"] == "tools/call" and message["params"]["name"] == "drips":
                self.drip()
                return
            if message["method"] == "tools/call":
                with self.server.lock:
                    self.server.n_calls += 1
                self.server.answer.wait(PATIENCE_S)
            body = b"" if "id" not in message else json.dumps(
                {"jsonrpc": "2.0", "id": message["id"], "result": results.get(message["method"], {})}).encode()
            with contextlib.suppress(OSError):
                self.send_response(200 if body else 202)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def drip(self):
            """An answer whose last byte does not come."""
            with contextlib.suppress(OSError):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(6 * MIB + 1))
                self.end_headers()
                self.wfile.write(b" " * (6 * MIB))
            self.close_connection = True
            with self.server.lock:
                self.server.n_calls += 1
            self.server.answer.wait(PATIENCE_S)

    def __init__(self):
        super().__init__(("127.0.0.1", 0), SlowServer.Handler)
        self.lock, self.n_calls, self.answer = threading.Lock(), 0, threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def config(self):
        return {"url": f"http://127.0.0.1:{self.server_address[1]}/mcp", "type": "streamable-http",
                "protocol": "2025-11-25"}


@test
def arguments_for_a_slow_server_are_bounded(folder):
    slow = SlowServer()
    config = write_config(folder, {"slow": slow.config(), "quick": server("--tools", 1)}, {"limits": SMALL})
    with measured(folder, "--config", config) as g:
        g.wait_ready()
        answers, text = [], "x" * (3 * MIB)

        def make_call(session, number):
            status, _, body = session.send(call("slow__slow", {"text": text}, number))
            answers.append((status, body[-2000:]))

        threads = [threading.Thread(target=make_call, args=(Session(g), n)) for n in range(18)]
        for t in threads:
            t.start()
        until(lambda: slow.n_calls + len(answers) == len(threads), "each call is held or refused")
        check_resident(g, SMALL["memory_bytes"] + SLACK)
        assert slow.n_calls >= 2, slow.n_calls
        refused = [body for _, body in answers]
        assert len(refused) >= 8 and all(b"limits." in body for body in refused), (len(refused), refused[:3])
        assert metric(g, 'held_bytes{kind="call"}') > 6 * MIB
        assert metric(g, 'server_held_bytes{server="slow"}') > 6 * MIB
        assert metric(g, 'memory_refused_total{kind="call"}') + metric(g, 'memory_refused_total{kind="request"}') > 0
        s = Session(g)  # others, and other servers, are served
        assert s.call("tools/call", {"name": "quick__tool0", "arguments": {"a": 1}})["structuredContent"]
        slow.answer.set()
        for t in threads:
            t.join()
        until(lambda: metric(g, 'held_bytes{kind="call"}') == 0, "everything is released")
        assert metric(g, 'server_held_bytes{server="slow"}') == 0
    slow.shutdown()


@test
def answers_that_do_not_end_are_bounded(folder):
    slow = SlowServer()
    config = write_config(folder, {"slow": slow.config(), "quick": server("--tools", 1)}, {"limits": SMALL})
    with measured(folder, "--config", config) as g:
        g.wait_ready()
        answers = []
        threads = [threading.Thread(target=lambda s: answers.append(s.send(call("slow__drips", {}))[2]), args=(Session(g),))
                   for _ in range(12)]
        for t in threads:
            t.start()
        until(lambda: slow.n_calls == len(threads) and answers, "some are refused")
        check_resident(g, SMALL["memory_bytes"] + SLACK)
        assert all(b"limits.server_share" in a for a in answers), answers[0]
        assert 6 * MIB < metric(g, 'server_held_bytes{server="slow"}') <= SMALL["memory_bytes"] / 2
        assert Session(g).call("tools/call", {"name": "quick__tool0", "arguments": {}})["structuredContent"]
        slow.answer.set()
        for t in threads:
            t.join()
        until(lambda: metric(g, 'server_held_bytes{server="slow"}') == 0, "everything is released")
    slow.shutdown()


@test
def answers_that_nobody_reads_are_bounded(folder):
    config = write_config(folder, {"f": scripted(folder)}, {"limits": {"memory_bytes": 48 * MIB, "message_bytes": 12 * MIB}})
    with measured(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        body = json.dumps(call("big", {"bytes": 9 * MIB})).encode()
        with contextlib.ExitStack() as stack:
            for _ in range(24):
                reader = stack.enter_context(connect(g, 4096))
                reader.sendall(post_head(len(body), s.headers) + body)
                until(lambda r=reader: r.recv(1, socket.MSG_PEEK), "the answer begins")
                check_resident(g, 48 * MIB + SLACK + 36 * MIB)
            assert s.call("tools/call", {"name": "small", "arguments": {}}) == {"content": []}
            assert s.call("tools/call", {"name": "big", "arguments": {"bytes": 1000}})["content"]
            until(lambda: metric(g, 'memory_refused_total{kind="answer"}') > 0, "the ceiling was met")
            assert metric(g, 'held_bytes{kind="answer"}') <= 48 * MIB
        until(lambda: metric(g, 'held_bytes{kind="answer"}') < MIB, "everything is released")


@test
def bodies_that_stand_still_make_room(folder):
    """They do not lock anybody out: a large body passes after a second, small ones at any time."""
    config = write_config(folder, {"s": server("--tools", 1)}, {"limits": SMALL})
    with measured(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        with contextlib.ExitStack() as stack:
            part = b" " * (6 * MIB)
            for _ in range(12):
                c = stack.enter_context(connect(g))
                with contextlib.suppress(OSError):  # refused
                    c.sendall(post_head(len(part) + 1, s.headers) + part)
            check_resident(g, SMALL["memory_bytes"] + SLACK)
            assert Session(g).call("tools/call", {"name": "tool0", "arguments": {}})
            large = call("tool0", {"text": "x" * (2 * MIB)})

            def passes():
                with contextlib.suppress(OSError):  # refused before it was whole
                    status, _, body = s.send(large)
                    return status == 200 and b"result" in body
                return False

            until(passes, "a large body passes")
        assert metric(g, 'memory_refused_total{kind="request"}') > 0


@test
def one_token_leaves_room_for_others(folder):
    config = write_config(folder, {"s": server("--tools", 1)}, {
        "limits": SMALL, "serve": {"tokens": [{"token": "aaaaaaaaaaaaaaaa", "name": "anna"}, {"token": "bbbbbbbbbbbbbbbb", "name": "berta"}]}})
    anna, berta = ({"Authorization": f"Bearer {c * 16}"} for c in "ab")
    with gateway(folder, "--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, berta)[0] == 200, "ready")
        with contextlib.ExitStack() as stack:
            part = b" " * (7 * MIB)
            for _ in range(8):
                c = stack.enter_context(connect(g))
                with contextlib.suppress(OSError):
                    c.sendall(post_head(len(part) + 1, {**JSON, **anna}) + part)
            held = metric(g, 'principal_held_bytes{principal="anna"}', berta)
            assert 7 * MIB < held <= SMALL["memory_bytes"] * 0.6, held
            s = Session(g, headers=berta)
            text = "x" * (2 * MIB)
            got = s.call("tools/call", {"name": "tool0", "arguments": {"text": text}})
            assert got["structuredContent"]["arguments"]["text"] == text
            assert metric(g, 'principal_memory_refused_total{principal="anna"}', berta) > 0
            assert metric(g, 'principal_memory_refused_total{principal="berta"}', berta) == 0


@test
def subscriptions_are_bounded_for_all_sessions(folder):
    config = write_config(folder, {"f": scripted(folder)}, {"limits": {**SMALL, "subscriptions": 30}})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        sessions = [Session(g) for _ in range(3)]
        answers = [s.post("resources/subscribe", {"uri": f"test://{k}/{n}"})[2]
                   for k, s in enumerate(sessions) for n in range(12)]
        good = [a for a in answers if b'"result"' in a]
        assert len(good) == 30 and all(b"limits.subscriptions" in a for a in answers if a not in good), answers[-1]
        sessions[0].call("resources/unsubscribe", {"uri": "test://0/0"})
        assert sessions[2].call("resources/subscribe", {"uri": "test://late"}) == {}
        assert g.request("DELETE", "/mcp", None, sessions[1].headers)[0] == 204
        assert sessions[2].call("resources/subscribe", {"uri": "test://later"}) == {}


@test
def uris_of_subscriptions_are_charged(folder):
    config = write_config(folder, {"f": scripted(folder)}, {"limits": {"memory_bytes": 4 * MIB, "message_bytes": MIB}})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        answers = []
        for k in range(6):
            s = Session(g)
            for n in range(40):
                uri = f"test://{k}/{n}/" + "u" * 15000
                answers.append(s.post("resources/subscribe", {"uri": uri})[2])
        good = sum(b'"result"' in a for a in answers)
        assert 20 < good < 120, good
        assert any(b"limits.client_share" in a for a in answers) and any(b"limits.memory_bytes" in a for a in answers)
        assert metric(g, 'held_bytes{kind="subscription"}') <= 4 * MIB
        assert Session(g).call("tools/call", {"name": "small", "arguments": {}}) == {"content": []}


@test
def a_changed_resource_is_told_to_its_subscribers(folder):
    config = write_config(folder, {"f": scripted(folder)})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        sessions = [Session(g) for _ in range(3)]
        late = Session(g)
        for s in [*sessions[:2], late]:
            assert s.call("resources/subscribe", {"uri": "test://one"}) == {}
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(Stream(g, "GET", "/mcp", s.headers)) for s in sessions]
            for stream in streams:
                stream.until(b"200 OK")
            sessions[2].call("tools/call", {"name": "flood", "arguments": {"lines": 1}})
            for stream in streams[:2]:
                stream.until(b"resources/updated")
            streams[2].until(b"line 0")
            assert b"resources/updated" not in streams[2].bytes
            opened = stack.enter_context(Stream(g, "GET", "/mcp", late.headers))  # it was kept, other than what was logged
            assert b"line 0" not in opened.until(b"resources/updated")


@test
def what_a_server_logs_does_not_stop_others(folder):
    """Thousands of lines for hundreds of sessions: others are answered between them, and what is dropped is told."""
    lines, n_streams = 20000, 200
    config = write_config(folder, {"f": scripted(folder), "s": server("--tools", 1)})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        sessions = [Session(g) for _ in range(n_streams)]
        silent = [Session(g) for _ in range(n_streams)]  # that never open a stream
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(Stream(g, "GET", "/mcp", s.headers)) for s in sessions]
            for stream in streams:
                stream.until(b"200 OK")
            kept = metric(g, "events_stored")
            other = Session(g)
            silent[0].call("tools/call", {"name": "f__flood", "arguments": {"lines": lines}})
            streams[0].socket.setblocking(False)
            n_answered, end = 0, time.monotonic() + PATIENCE_S
            while b"dropped" not in streams[0].bytes and time.monotonic() < end:
                other.call("tools/call", {"name": "s__tool0", "arguments": {}})
                n_answered += 1
                with contextlib.suppress(BlockingIOError):
                    streams[0].bytes += streams[0].socket.recv(MIB)
            told = streams[0].bytes
            assert b"line 0" in told and b"log messages: the server logs faster" in told, told[-500:]
            assert n_answered > 3, n_answered
            assert "logs faster than its clients can receive" in g.text()
            stored = metric(g, "events_stored") - kept
            assert stored <= 256 * n_streams, stored
        assert silent[1].call("tools/call", {"name": "f__small", "arguments": {}}) == {"content": []}


DIALECTS = ["nexo", "codex", "bridge", "claude", "lines", "servers"]


def paths():
    """Endpoints that all need views of their own."""
    for bits in range(1, 1 << len(DIALECTS)):
        chosen = ",".join(d for k, d in enumerate(DIALECTS) if bits >> k & 1)
        for mode in ("full", "router"):
            yield f"/mcp?dialect={chosen}&mode={mode}"


@test
def idle_sessions_hold_no_view(folder):
    config = write_config(folder, {"s": server("--tools", 1, "--resources", 1)})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        wanted = list(paths())[:80]
        sessions = [Session(g, path) for path in wanted]
        assert metric(g, "views") <= 2 + 64
        for s, path in list(zip(sessions, wanted))[::7]:  # they come back, and see what they saw
            names = [t["name"] for t in s.call("tools/list")["tools"]]
            assert ("tool0" in names) == ("mode=full" in path), (path, names)
            assert ("list_mcp_resources" in names) == ("codex" in path), (path, names)
        assert metric(g, "sessions") == len(wanted)


@test
def views_in_use_are_shared_out(folder):
    """One token may not have all of them, even where all are in use."""
    config = write_config(folder, {"s": server("--tools", 1, "--resources", 1)}, {"serve": {"tokens": [
        {"token": "aaaaaaaaaaaaaaaa", "name": "anna"}, {"token": "bbbbbbbbbbbbbbbb", "name": "berta"}]}})
    anna, berta = ({"Authorization": f"Bearer {c * 16}"} for c in "ab")
    with gateway(folder, "--config", config) as g, contextlib.ExitStack() as stack:
        until(lambda: g.request("GET", "/readyz", None, berta)[0] == 200, "ready")
        refused = 0
        for path in list(paths())[:70]:
            try:
                s = Session(g, path, headers=anna)
            except AssertionError as why:
                assert "503" in str(why), why
                refused += 1
                continue
            stream = stack.enter_context(Stream(g, "GET", path, s.headers))
            stream.until(b"200 OK")
        assert refused, "one token may have all views"
        for path in list(paths())[80:90]:
            assert Session(g, path, headers=berta).call("tools/list")["tools"]


@test
def one_token_ends_its_own_sessions_first(folder):
    config = write_config(folder, {"s": server("--tools", 1)}, {"limits": {"sessions": 20}, "serve": {"tokens": [
        {"token": "aaaaaaaaaaaaaaaa", "name": "anna"}, {"token": "bbbbbbbbbbbbbbbb", "name": "berta"}]}})
    anna, berta = ({"Authorization": f"Bearer {c * 16}"} for c in "ab")
    with gateway(folder, "--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, berta)[0] == 200, "ready")
        old = [Session(g, headers=berta) for _ in range(4)]
        many = [Session(g, headers=anna) for _ in range(50)]
        assert metric(g, "sessions", berta) <= 20
        for s in old:
            assert s.call("tools/list")["tools"]
        assert many[-1].call("tools/list")["tools"]
        assert many[0].post("tools/list")[0] == 404
        more = [Session(g, headers=berta) for _ in range(5)]
        assert all(s.call("tools/list")["tools"] for s in old + more)


@test
def requests_without_a_session_are_charged_to_their_token(folder):
    slow = SlowServer()
    config = write_config(folder, {"slow": slow.config(), "quick": server("--tools", 1)}, {
        "limits": {**SMALL, "principal_share": 40}, "serve": {"tokens": [
            {"token": "aaaaaaaaaaaaaaaa", "name": "anna"}, {"token": "bbbbbbbbbbbbbbbb", "name": "berta"}]}})
    anna, berta = ({"Authorization": f"Bearer {c * 16}"} for c in "ab")
    with gateway(folder, "--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, berta)[0] == 200, "ready")
        body, headers = stateless("tools/call", {"name": "slow__slow", "arguments": {"text": "x" * (2 * MIB)}})
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(g.request("POST", "/mcp", body, {**headers, **anna})))
                   for _ in range(6)]
        for t in threads:
            t.start()
        until(lambda: slow.n_calls + len(answers) == len(threads), "each call is held or refused")
        assert answers and all(b"limits.principal_share" in a[2] for a in answers), (slow.n_calls, answers[:2])
        body, headers = stateless("tools/call", {"name": "quick__tool0", "arguments": {"text": "x" * MIB}})
        status, _, got = g.request("POST", "/mcp", body, {**headers, **berta})
        assert status == 200 and b'"result"' in got, (status, got[:500])
        slow.answer.set()
        for t in threads:
            t.join()
        until(lambda: metric(g, 'principal_held_bytes{principal="anna"}', berta) == 0, "everything is released")
    slow.shutdown()


@test
def shares_that_are_too_small_are_warned_of(folder):
    write_config(folder, {"s": server("--tools", 1)}, {"limits": {"memory_bytes": 16 * MIB, "message_bytes": 8 * MIB}})
    assert "limits.client_share" in "".join((run(folder, "config", "check").stdout, run(folder, "config", "check").stderr))
    write_config(folder, {"s": server("--tools", 1)}, {"limits": {"memory_bytes": 16 * MIB, "message_bytes": MIB}})
    assert "limits.client_share" not in run(folder, "config", "check").stdout


@test
def ambiguous_requests_are_refused(folder):
    config = write_config(folder, {"s": server("--tools", 1)})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        for data in (b"POST /mcp HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                     b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n: no name\r\n\r\n",
                     b"GET http://other.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            got = g.raw(data)
            assert got.startswith(b"HTTP/1.1 400 ") and b"Connection: close" in got, (data, got)
        assert g.raw(b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").startswith(
            b"HTTP/1.1 200 ")


if __name__ == "__main__":
    main()
