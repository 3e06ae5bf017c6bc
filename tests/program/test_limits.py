"""Limits that keep trouble apart, over real connections: turns, rates, busy and failing servers, repeats."""

import email.utils
import http.server
import json
import sys
import threading
import time

from harness import (JSON, PATIENCE_S, Session, answer, gateway, main, metric, server, stateless, test, until,
                     write_config)

MIB = 1 << 20


class Upstream(http.server.ThreadingHTTPServer):
    """A Streamable HTTP server whose next answers to calls are set: (status, headers), None: a result."""

    daemon_threads = True
    request_queue_size = 128

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
            up, method = self.server, message["method"]
            results = {"initialize": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "u", "version": "1"},
                                      "capabilities": {"tools": {}, "resources": {}}},
                       "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]},
                       "resources/list": {"resources": [{"uri": "x://1", "name": "one"}]},
                       "resources/templates/list": {"resourceTemplates": []},
                       "resources/read": {"contents": [{"uri": "x://1", "text": "1"}]},
                       "tools/call": {"content": []}}
            refusal = None
            if method in ("tools/call", "resources/read"):
                with up.lock:
                    up.calls.append((time.monotonic(), message["params"]))
                    up.running += 1
                    up.most = max(up.most, up.running)
                    refusal = up.refusals.pop(0) if up.refusals else None
                if not refusal:
                    up.go.wait(PATIENCE_S)
                with up.lock:
                    up.running -= 1
            status, headers = refusal or (200 if "id" in message else 202, {})
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": results.get(method, {})}).encode() \
                if status == 200 else b""
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": len(body), **headers}.items():
                self.send_header(name, str(value() if callable(value) else value))
            self.end_headers()
            self.wfile.write(body)

    def __init__(self, refusals=()):
        super().__init__(("127.0.0.1", 0), Upstream.Handler)
        self.lock, self.calls, self.refusals, self.running, self.most = threading.Lock(), [], list(refusals), 0, 0
        self.go = threading.Event()
        self.go.set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def config(self, **more):
        return {"url": f"http://127.0.0.1:{self.server_address[1]}/mcp", "type": "streamable-http", "protocol": "2025-11-25", **more}


def call(name, id=1, **arguments):
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def in_parallel(g, messages):
    """The answers to messages that are sent at the same time, each in a session of its own."""
    sessions, answers = [Session(g) for _ in messages], [None] * len(messages)

    def one(i):
        answers[i] = answer(sessions[i].send(messages[i])[2])

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(messages))]
    for thread in threads:
        thread.start()
    return threads, answers


def finish(threads):
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@test
def calls_run_as_many_at_a_time_as_allowed(folder):
    up = Upstream()
    up.go.clear()
    with gateway(folder, "--config", write_config(folder, {"u": up.config(max_calls=2)})) as g:
        g.wait_ready()
        threads, answers = in_parallel(g, [call("t", i) for i in range(8)])
        until(lambda: metric(g, 'server_calls_waiting{server="u"}') == 6, "six calls wait")
        assert metric(g, 'server_calls_running{server="u"}') == 2 and len(up.calls) == 2
        up.go.set()
        finish(threads)
        assert all("result" in a for a in answers), answers
        assert (len(up.calls), up.most) == (8, 2), (len(up.calls), up.most)
        assert metric(g, 'server_calls_waited_total{server="u"}') == 6
    up.shutdown()


def refusing(value):
    return [(429, {"Retry-After": value})]


@test
def a_busy_server_gets_no_calls_until_it_wants_them(folder):
    """Retry-After in seconds, and as a date, which has no fractions of a second."""
    for status, value in ((429, "4"), (503, lambda: email.utils.formatdate(time.time() + 5, usegmt=True))):
        up = Upstream([(status, {"Retry-After": value})])
        with gateway(folder, "--config", write_config(folder, {"u": up.config(), "quick": server("--tools", 1)})) as g:
            g.wait_ready()
            first, answers = in_parallel(g, [call("u__t", 1, n=0)])
            until(lambda: metric(g, 'server_paused{server="u"}') == 1 or len(up.calls) > 1, "the call is refused")
            others, more = in_parallel(g, [call("u__t", i, n=1) for i in range(5)])
            assert "result" in answer(Session(g).send(call("quick__tool0"))[2])  # another server
            finish(first + others)
            assert all("result" in a for a in answers + more), (answers, more)
            refused = up.calls[0][0]
            early = [at - refused for at, _ in up.calls[1:] if at - refused < 3]
            assert not early, (status, early)
            assert len(up.calls) == 7, up.calls  # one is sent twice, none is lost or doubled
        up.shutdown()


@test
def a_pause_longer_than_the_time_limit_is_passed_on(folder):
    up = Upstream(refusing(3000))
    with gateway(folder, "--config", write_config(folder, {"u": up.config()})) as g:
        session = Session(g.wait_ready())
        for _ in range(2):  # the second one is not sent
            error = answer(session.send(call("t"))[2])["error"]
            assert 2900000 < error["data"]["retryAfterMs"] <= 3000000, error
        assert len(up.calls) == 1
        body, headers = stateless("tools/call", {"name": "t"})
        status, headers, body = g.request("POST", "/mcp", body, headers)
        assert status == 429 and 2900 < int(headers["Retry-After"]) <= 3000, (status, headers, body)
    up.shutdown()


@test
def a_failing_server_is_left_alone(folder):
    up = Upstream([(500, {})] * 3)
    config = write_config(folder, {"u": up.config(), "quick": server("--tools", 1)},
                          {"limits": {"breaker_failures": 3, "breaker_pause_s": 3600}})
    with gateway(folder, "--config", config) as g:
        session = Session(g.wait_ready())
        for _ in range(3):
            assert "HTTP 500" in answer(session.send(call("u__t"))[2])["error"]["message"]
            time.sleep(0.002)  # failures of the same millisecond have one cause, and count as one
        for _ in range(5):
            error = answer(session.send(call("u__t"))[2])["error"]
            assert "failed 3 of the last 3 calls (last: HTTP 500" in error["message"], error
            assert error["data"]["retryAfterMs"] > 1000000, error
        assert len(up.calls) == 3, up.calls
        assert metric(g, 'server_breaker_open{server="u"}') == 1
        assert metric(g, 'server_breaker_refused_total{server="u"}') == 5
        ready = json.loads(g.request("GET", "/readyz")[2])
        broken = next(s["breaker"] for s in ready["servers"] if s["name"] == "u")
        assert (broken["state"], broken["failed"], broken["calls"]) == ("open", 3, 3), broken
        assert "result" in answer(session.send(call("quick__tool0"))[2])
    up.shutdown()


@test
def reads_are_repeated_and_tools_are_not(folder):
    up = Upstream([(503, {})])
    with gateway(folder, "--config", write_config(folder, {"u": up.config()})) as g:
        session = Session(g.wait_ready())
        assert session.call("resources/read", {"uri": "x://1"})["contents"]
        assert len(up.calls) == 2
        up.refusals = [(503, {})]
        assert "HTTP 503" in answer(session.send(call("t"))[2])["error"]["message"]
        assert len(up.calls) == 3
        assert metric(g, 'server_retries_total{server="u"}') == 1
    up.shutdown()


@test
def clients_have_rates(folder):
    tokens = [{"token": "a", "name": "ann", "calls_per_minute": 1, "calls_burst": 2}, {"token": "b", "name": "bob"}]
    config = write_config(folder, {"s": server("--tools", 1)}, {"serve": {"tokens": tokens}})
    ann, bob = {"Authorization": "Bearer a"}, {"Authorization": "Bearer b"}
    with gateway(folder, "--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, ann)[0] == 200, "readyz says 200")
        session = Session(g, headers=ann)
        for _ in range(2):
            assert "result" in answer(session.send(call("tool0"))[2])
        status, _, body = session.send(call("tool0"))
        error = answer(body)["error"]
        assert (status, error["code"]) == (200, -32010) and 0 < error["data"]["retryAfterMs"] <= 60000, (status, error)
        assert "the client 'ann' has 1 calls a minute" in error["message"], error
        assert session.call("tools/list")["tools"]
        body, headers = stateless("tools/call", {"name": "tool0"})
        status, told, body = g.request("POST", "/mcp", body, {**headers, **ann})
        assert status == 429 and 0 < int(told["Retry-After"]) <= 60, (status, told)
        assert json.loads(body)["error"]["code"] == -32010
        for _ in range(5):
            assert "result" in answer(Session(g, headers=bob).send(call("tool0"))[2])
        assert metric(g, 'http_requests_total{method="POST",status="429"}', bob) == 1


# A server that answers the handshake and then reads nothing.
DEAF = r'''
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    results = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "d", "version": "1"}},
               "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}), flush=True)
    if message["method"] == "tools/list":
        while True:
            time.sleep(1000)
'''


@test
def a_program_that_does_not_read_costs_only_itself(folder):
    (folder / "deaf.py").write_text(DEAF)
    servers = {"deaf": {"command": sys.executable, "args": [str(folder / "deaf.py")]}, "quick": server("--tools", 1)}
    limits = {"memory_bytes": 48 * MIB, "message_bytes": 8 * MIB}
    with gateway(folder, "--config", write_config(folder, servers, {"limits": limits})) as g:
        g.wait_ready()
        threads, answers = in_parallel(g, [call("deaf__t", i, text="x" * MIB) for i in range(16)])
        refused = until(lambda: [a for a in answers if a], "calls over the share of the server are refused")
        assert all("memory" in a["error"]["message"] for a in refused), refused
        session = Session(g)
        for i in range(20):
            assert "result" in answer(session.send(call("quick__tool0", i))[2])
        assert metric(g, 'server_held_bytes{server="deaf"}') <= 24 * MIB


if __name__ == "__main__":
    main()
