"""What an operator relies on: who may, what is told, what is bounded, and how it ends."""

import json
import os
import pathlib
import signal
import socket

from harness import (JSON, PATIENCE_S, Session, Stream, answer, gateway, main, metric, server, stateless, test, until,
                     write_config)

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'


def serving(folder, *arguments, **settings):
    return "--config", write_config(folder, {"t": server(*arguments)}, settings)


@test
def sessions_are_their_principals(folder):
    with gateway(folder, *serving(folder, serve={"tokens": ["one", "two"]})) as g:
        one, two = ({"Authorization": f"Bearer {t}"} for t in ("one", "two"))
        initialize = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        status, headers, _ = g.request("POST", "/mcp", initialize, {**JSON, **one})
        assert status == 200
        session = {**JSON, "Mcp-Session-Id": headers["Mcp-Session-Id"]}
        assert g.request("POST", "/mcp", PING, {**session, **one})[0] == 200
        assert g.request("POST", "/mcp", PING, session)[0] == 401
        assert g.request("POST", "/mcp", PING, {**session, **two})[0] == 404
        assert g.request("GET", "/mcp", None, {**session, **two})[0] == 404
        assert g.request("DELETE", "/mcp", None, {**session, **two})[0] == 404
        assert g.request("DELETE", "/mcp", None, {**session, **one})[0] == 204


@test
def parameters_repeated_in_headers(folder):
    """2026-07-28: Mcp-Param-* must say what the arguments say, where the tool asks for them."""
    tool = json.dumps({"name": "q", "inputSchema": {"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"}, "n": {"type": "integer", "x-mcp-header": "N"},
        "deep": {"type": "object", "properties": {"flag": {"type": "boolean", "x-mcp-header": "Flag"}}},
        "free": {"type": "string"}}}})
    with gateway(folder, *serving(folder, "--tools", 1, "--tool-json", tool)) as g:
        g.wait_ready()

        def post(arguments, name="q", raw=None, **params):
            body, headers = stateless("tools/call", {"name": name, "arguments": arguments})
            body = body.replace('"RAW"', raw) if raw else body
            headers.update({f"Mcp-Param-{k}": v for k, v in params.items()})
            status, _, answer = g.request("POST", "/mcp", body, headers)
            return status, json.loads(answer).get("error", {}).get("code")

        fine, refused = (200, None), (400, -32020)
        for arguments, headers, wanted in (
                ({}, {}, fine),
                ({"free": "x"}, {}, fine),
                ({"region": "us-west1"}, {"Region": "us-west1"}, fine),
                ({"region": "us-west1"}, {"region": "us-west1"}, fine),
                ({"region": "us-west1"}, {}, refused),
                ({"region": "us-west1"}, {"Region": "eu"}, refused),
                ({"region": "us-west1"}, {"Region": "US-WEST1"}, refused),
                ({"region": "Hello"}, {"Region": "=?base64?SGVsbG8=?="}, fine),
                ({"region": "Hello"}, {"Region": "=?base64?SGVsbG8?="}, refused),
                ({"region": "Hello"}, {"Region": "=?base64?SGVs!!!bG8=?="}, refused),
                ({"region": "SGVsbG8="}, {"Region": "SGVsbG8="}, fine),
                ({"region": "=?base64?SGVsbG8="}, {"Region": "=?base64?SGVsbG8="}, fine),
                ({"region": "é"}, {"Region": "=?base64?w6k=?="}, fine),
                ({"region": ""}, {"Region": ""}, fine),
                ({"region": None}, {}, fine),
                ({"region": None}, {"Region": "eu"}, fine),  # not expected, not looked at
                ({}, {"Region": "eu"}, fine),
                ({"n": 42}, {"N": "42"}, fine),
                ({"n": 42}, {"N": "42.0"}, fine),
                ({"n": 42}, {"N": "43"}, refused),
                ({"n": 42}, {"N": "x"}, refused),
                ({"n": 42}, {"N": ""}, refused),
                ({"n": 42}, {}, refused),
                ({"deep": {"flag": True}}, {"Flag": "true"}, fine),
                ({"deep": {"flag": True}}, {"Flag": "false"}, refused),
                ({"deep": {"flag": True}}, {}, refused)):
            assert post(arguments, **headers) == wanted, (arguments, headers, post(arguments, **headers))
        assert post({"n": "RAW"}, raw="12345678901234567890123") == fine  # beyond what headers carry
        assert post({"n": "RAW"}, raw="42.0", N="42") == fine
        assert post({"region": "x"}, name="tool0") == fine
        body, headers = stateless("tools/call", {"name": "q", "arguments": {"region": "a"}})
        twice = "".join(f"{k}: {v}\r\n" for k, v in headers.items()) + "Mcp-Param-Region: a\r\nMcp-Param-Region: b\r\n"
        assert g.raw(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{twice}Content-Length: {len(body)}\r\n\r\n{body}"
                     .encode()).startswith(b"HTTP/1.1 400")


@test
def doubled_arguments_get_past_no_header(folder):
    """Which of two members a server takes is its own business: neither is let through."""
    tool = json.dumps({"name": "q", "inputSchema": {"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"}, "free": {"type": "string"},
        "deep": {"type": "object", "properties": {"flag": {"type": "boolean", "x-mcp-header": "Flag"}}}}}})
    with gateway(folder, *serving(folder, "--tools", 1, "--tool-json", tool)) as g:
        g.wait_ready()
        rows = (('"arguments":{"region":"a"}', 200), ('"arguments":{"region":"a","free":"x","free":"y"}', 200),
                ('"arguments":{"region":"a"},"arguments":{"region":"b"}', 400),
                ('"arguments":{"region":"a","region":"b"}', 400), ('"arguments":{"region":"b","region":"a"}', 400),
                ('"arguments":{"region":"a","reg\\u0069on":"b"}', 400),
                ('"arguments":{"region":"a","deep":{"flag":true},"deep":{"flag":false}}', 400),
                ('"arguments":{"region":"a","deep":{"flag":true,"flag":false}}', 400))
        for text, wanted in rows:
            body, headers = stateless("tools/call", {"name": "q", "arguments": "HERE"})
            body = body.replace('"arguments": "HERE"', text)
            status, _, said = g.request("POST", "/mcp", body, {**headers, "Mcp-Param-Region": "a", "Mcp-Param-Flag": "true"})
            assert status == wanted and (wanted == 200 or json.loads(said)["error"]["code"] == -32602), (text, status, said)


def plain_request(method, path, headers, body=""):
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"{method} {path} HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()


@test
def headers_that_must_be_there_once(folder):
    with gateway(folder, *serving(folder, serve={"tokens": ["s"], "origins": ["https://a.example"]})) as g:
        token = {"Authorization": "Bearer s"}
        until(lambda: g.request("GET", "/readyz", None, token)[0] == 200, "ready")
        s = Session(g, headers=token)
        body, headers = stateless("tools/call", {"name": "tool0", "arguments": {}})
        n_headers = {"Host": "localhost", **headers, **token, "Origin": "https://a.example"}
        l_headers = {"Host": "localhost", **s.headers, "Origin": "https://a.example"}
        common = {"Authorization": 400, "Origin": 400}
        for base, text, more in (
                (n_headers, body, {"Mcp-Name": -32020, "Mcp-Method": -32020, "MCP-Protocol-Version": -32020}),
                (l_headers, PING, {"Mcp-Session-Id": 400, "MCP-Protocol-Version": 400})):
            assert g.raw(plain_request("POST", "/mcp", base.items(), text)).startswith(b"HTTP/1.1 200"), base
            for name, wanted in {**common, **more}.items():
                got = g.raw(plain_request("POST", "/mcp", [*base.items(), (name.lower(), base[name])], text))
                assert got.startswith(b"HTTP/1.1 400"), (name, got)
                assert wanted == 400 or f'"code":{wanted}'.encode() in got, (name, got)
        for method in ("GET", "DELETE"):
            got = g.raw(plain_request(method, "/mcp", [*l_headers.items(), ("MCP-Protocol-Version", "2025-06-18")]))
            assert got.startswith(b"HTTP/1.1 400"), got
        assert s.call("ping") == {}


@test
def what_initialize_and_accept_may_say(folder):
    with gateway(folder, *serving(folder)) as g:
        initialize = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        for version, wanted in (("1999-01-01", 400), ("x", 400), ("2025-06-18", 200)):
            got = g.request("POST", "/mcp", initialize, {**JSON, "MCP-Protocol-Version": version})
            assert got[0] == wanted, (version, got)
        for accept, wanted in (("application/json, text/event-stream", 200), ("*/*", 200), ("*/*;q=0", 406),
                               ("application/json;q=0, text/event-stream", 406), ("*/*, text/event-stream; q=0.000", 406),
                               ("application/json;q=0.001, text/*;Q=1", 200), ("*/*;q=0, application/json, text/*", 200),
                               ("application/*;q=0, */*", 406), ("application/json", 406)):
            assert g.request("POST", "/mcp", initialize, {**JSON, "Accept": accept})[0] == wanted, accept


@test
def who_may_not_send_is_not_asked_to(folder):
    """Host, Origin and token are looked at before the body is asked for."""
    with gateway(folder, *serving(folder, serve={"tokens": ["s"], "origins": ["https://a.example"]})) as g:
        expecting = [("Content-Type", "application/json"), ("Content-Length", "60000000"), ("Expect", "100-continue")]
        head = lambda more: ("POST /mcp HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in [*more, *expecting])
                             + "\r\n").encode()
        token = ("Authorization", "Bearer s")
        for more, wanted in (([("Host", "evil.example")], b"HTTP/1.1 403"), ([("Host", "localhost")], b"HTTP/1.1 401"),
                             ([("Host", "localhost"), token, ("Origin", "https://b.example")], b"HTTP/1.1 403"),
                             ([("Host", "localhost"), token], b"HTTP/1.1 100")):
            with socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S) as c:
                c.sendall(head(more))
                assert c.recv(65536).startswith(wanted), more
        got = g.raw(head([("Host", "localhost"), ("Origin", "https://a.example")]) + b"x" * 100000)
        assert got.startswith(b"HTTP/1.1 401") and b"Access-Control-Allow-Origin: https://a.example" in got, got
        assert b"Connection: close" in got and got.count(b"HTTP/1.1") == 1, got
        two = plain_request("GET", "/readyz", [("Host", "localhost")])
        assert g.raw(two * 2).count(b"HTTP/1.1 401") == 2  # nothing follows: the connection goes on


@test
def an_access_log_nobody_reads_stops_nothing(folder):
    fifo = folder / "access.fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with gateway(folder, *serving(folder, serve={"access_log": str(fifo)})) as g:
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        sent = 0
        while metric(g, "access_log_lines_lost_total") == 0:
            assert g.raw(request * 500).count(b"HTTP/1.1 200") == 500
            sent += 500
            assert sent < 100000, "never full"
        os.set_blocking(reader, True)
        with os.fdopen(reader, "rb") as lines:
            first = json.loads(lines.readline())
            assert first["status"] == 200
            g.request("GET", "/healthz")
            g.stop()
            rest = [json.loads(line) for line in lines.read().splitlines()]  # whole lines only
        assert rest and all(line["status"] == 200 for line in rest)


@test
def the_header_decides_where_the_body_is_silent(folder):
    with gateway(folder, *serving(folder)) as g:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        status, _, answer = g.request("POST", "/mcp", body, {**JSON, "MCP-Protocol-Version": "2026-07-28"})
        assert (status, json.loads(answer)["error"]["code"]) == (400, -32020)


@test
def pages_of_configured_origins_only(folder):
    app = "https://app.example.com"
    with gateway(folder, *serving(folder, serve={"origins": [app], "tokens": ["s"]})) as g:
        ask = {"Origin": app, "Access-Control-Request-Method": "POST",
               "Access-Control-Request-Headers": "content-type, mcp-param-region, x-other"}
        status, headers, body = g.request("OPTIONS", "/mcp", None, ask)
        assert (status, body) == (204, b"") and headers["Access-Control-Allow-Origin"] == app, headers
        allowed = [h.strip().lower() for h in headers["Access-Control-Allow-Headers"].split(",")]
        assert {"authorization", "mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name", "last-event-id",
                "content-type", "mcp-param-region"} <= set(allowed) and "x-other" not in allowed, allowed
        assert "DELETE" in headers["Access-Control-Allow-Methods"] and int(headers["Access-Control-Max-Age"]) > 0
        for method, path, more, wanted in (("POST", "/mcp", {}, 401), ("GET", "/healthz", {}, 200),
                                           ("GET", "/nothing", {"Authorization": "Bearer s"}, 404)):
            status, headers, _ = g.request(method, path, "{}", {**JSON, **more, "Origin": app})
            assert (status, headers["Access-Control-Allow-Origin"], headers["Vary"]) == (wanted, app, "Origin"), headers
            exposed = headers["Access-Control-Expose-Headers"]
            assert all(h in exposed for h in ("Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate")), exposed
        for origin, wanted in (("http://localhost:3000", 401), ("https://evil.example.com", 403), (None, 401)):
            more = {"Origin": origin} if origin else {}
            status, headers, _ = g.request("OPTIONS", "/mcp", None, {**ask, "Origin": "x", **more} if origin else JSON)
            assert status == wanted and headers["Vary"] == "Origin", (origin, status)
            assert not [h for h in headers if h.lower().startswith("access-control")], headers
    with gateway(folder, *serving(folder)) as g:
        assert g.request("OPTIONS", "/mcp", None, {**ask, "Origin": "http://localhost:3000"})[0] == 405
        assert g.request("GET", "/healthz")[1]["Vary"] is None


@test
def the_access_log_tells_no_secrets(folder):
    log = folder / "access.log"
    with gateway(folder, *serving(folder, serve={"access_log": str(log), "tokens": ["s3cret-token"]})) as g:
        token = {"Authorization": "Bearer s3cret-token"}
        until(lambda: g.request("GET", "/readyz", None, token)[0] == 200, "ready")
        s = Session(g, headers=token)
        s.call("tools/call", {"name": "tool0", "arguments": {"password": "s3cret-argument"}})
        s.post("tools/call", {"name": "s3cret-tool-name"})
        s.post("resources/read", {"uri": "test://s3cret-uri"})
        s.post("s3cret/method")
        body, headers = stateless("tools/call", {"name": "tool0", "arguments": {"progress": 2}, "_meta": {"progressToken": 1}})
        g.request("POST", "/mcp?key=s3cret-query", body, {**headers, **token})
        g.request("POST", "/mcp", body, {**headers, "Authorization": "Bearer s3cret-guess"})
        g.raw(b"GET /s3cret-path HTTP/1.1\r\nHost: localhost\r\nX: y\n\r\n")
        g.request("GET", "/s3cret-page", None, token)
        g.request("GET", "/mcp/s3cret-server", None, token)
        g.stop()
        text = log.read_text()
        lines = [json.loads(line) for line in text.splitlines()]
    assert "s3cret" not in text and s.headers["Mcp-Session-Id"] not in text, text
    assert oct(log.stat().st_mode & 0o777) == "0o640"
    calls = [l for l in lines if l.get("rpc") == "tools/call" and l.get("name")]
    assert [(l["name"], l["server"], l["status"], l["principal"], l["path"]) for l in calls] == [
        ("tool0", "t", 200, "token-1", "/mcp")] * 2, calls
    assert "session" in calls[0] and "session" not in calls[1] and len(calls[0]["session"]) == 8
    assert len({l["session"] for l in lines if "session" in l}) == 1
    assert all(l["bytes"] > 0 and l["time"].endswith("Z") for l in lines), lines
    assert all(l["duration_ms"] >= 0 for l in lines if l["status"] != 400 or "duration_ms" in l)
    assert [l["status"] for l in lines if "principal" not in l and l["path" if "path" in l else "method"] == "/mcp"] == [401]
    assert sum(l.get("path") == "(other)" for l in lines) == 2, lines
    assert any(l["status"] == 400 and "path" not in l for l in lines), "what is no request is told of as well"
    assert {l["rpc"] for l in lines if "rpc" in l} == {"initialize", "(other)", "tools/call", "resources/read"}, lines


@test
def the_access_log_may_go_to_stderr(folder):
    with gateway(folder, *serving(folder, serve={"access_log": "-"})) as g:
        g.request("GET", "/healthz")
        line = until(lambda: next((l for l in g.text().splitlines() if '"path":"/healthz"' in l), None), "it is told")
        assert json.loads(line)["method"] == "GET"
    with gateway(folder, *serving(folder)) as g:
        g.request("GET", "/healthz")
        assert "healthz" not in g.text()


@test
def metrics(folder):
    with gateway(folder, *serving(folder, serve={"tokens": ["s"]})) as g:
        token = {"Authorization": "Bearer s"}
        assert g.request("GET", "/metrics")[0] == 401
        until(lambda: g.request("GET", "/readyz", None, token)[0] == 200, "ready")
        s = Session(g, headers=token)
        s.call("tools/call", {"name": "tool0", "arguments": {}})
        for _ in range(3):
            g.request("PUT", "/mcp", "{}", {**JSON, **token})
        g.request("BREW", "/x")
        with Stream(g, "GET", "/mcp", s.headers) as stream, \
                Stream(g, "POST", "/mcp", s.headers, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": "tool0", "arguments": {"delay_ms": 3600000}}})):
            stream.until(b"\n\n")
            until(lambda: metric(g, "requests_in_flight", token) == 1, "the call is under way")
            value = lambda name: metric(g, name, token)
            assert value("sessions") == 1 and value("streams") == 1 and value("http_connections") >= 3
            assert value('http_requests_total{method="other",status="405"}') == 3
            assert value('http_requests_total{method="POST",status="202"}') == 1
            assert value('http_requests_total{method="GET",status="401"}') == 1
            assert value('server_state{server="t",state="connected"}') == 1
            assert value('server_state{server="t",state="error"}') == 0
            assert value('server_calls_total{server="t"}') == 2
            assert value("http_received_bytes_total") > 0 and value("http_sent_bytes_total") > 0
        text = g.request("GET", "/metrics", None, token)[2].decode()
        names = [line.split("{")[0].split(" ")[0] for line in text.splitlines() if not line.startswith("#")]
        typed = {line.split(" ")[2] for line in text.splitlines() if line.startswith("# TYPE")}
        histograms = {line.split(" ")[2] for line in text.splitlines() if line.endswith(" histogram")}
        names = [n.rsplit("_", 1)[0] if n.rsplit("_", 1)[0] in histograms else n for n in names]
        assert set(names) <= typed and len(typed) == text.count("# TYPE"), text


@test
def what_was_read_is_counted(folder):
    settings = {"resource_cache": {"enabled": True, "max_entries": 2}, "resource_uri_allowlist": ["test"]}
    servers = {"a": server("--name", "a", "--resources", 3, "--announce"), "b": server("--name", "b", "--resources", 3)}
    with gateway(folder, "--config", write_config(folder, servers, {"mcp": settings})) as g:
        s = Session(g.wait_ready())
        read = lambda uri: answer(s.post("resources/read", {"uri": uri})[2])
        for uri in ("test://aresource/0", "test://aresource/0", "test://bresource/1", "test://aresource/2"):
            assert read(uri)["result"]["contents"][0]["text"] == "the text"
        assert read("file:///etc/passwd")["error"]["code"] == -32602
        counted = {(n, at): metric(g, f'{n}{{server="{at}"}}') for at in "ab" for n in (
            "resource_cache_hits_total", "resource_cache_misses_total", "resource_cache_evicted_total", "resource_cache_entries",
            "resource_uri_refused_total", "server_calls_total")}
        assert [counted[n, "a"] for n, at in counted if at == "a"] == [1, 2, 1, 1, 1, 2], counted
        assert [counted[n, "b"] for n, at in counted if at == "b"] == [0, 1, 0, 1, 0, 1], counted
        assert metric(g, 'resource_cache_bytes{server="a"}') > len("the text")
    settings = {"mcp": {"resource_cache": {"by_ttl": False}}}
    with gateway(folder, "--config", write_config(folder, servers, settings)) as g:
        assert "resource_cache" not in g.wait_ready().request("GET", "/metrics")[2].decode()


def resident_kib(pid):
    return int(pathlib.Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0])


def occupied(g, s):
    """How far a client is behind that asked for much and reads nothing."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.settimeout(PATIENCE_S)
    sock.connect(("127.0.0.1", g.port))
    head = "".join(f"{k}: {v}\r\n" for k, v in s.headers.items())
    sock.sendall(f"GET /mcp HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode())
    return sock


@test
def a_client_that_does_not_read_is_dropped(folder):
    with gateway(folder, *serving(folder)) as g:
        s = Session(g.wait_ready())
        deaf = occupied(g, s)
        until(lambda: metric(g, "streams") == 1, "its stream is open")
        other = Session(g)
        before = resident_kib(g.process.pid)
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "tool0", "arguments": {"log_bytes": 1 << 16}}})
        sent = 0
        while metric(g, "http_slow_readers_dropped_total") == 0:
            for _ in range(50):
                assert other.g.request("POST", "/mcp", request, other.headers)[0] == 200
            sent += 50 << 16
            assert sent < 200 << 20, "never dropped"
        assert metric(g, "streams") == 0 and metric(g, "sessions") == 2
        for _ in range(500):
            other.g.request("POST", "/mcp", request, other.headers)
        assert metric(g, "events_stored_bytes") < 9 << 20
        if not os.environ.get("MCPTOOLS_WRAPPER") and "asan" not in os.environ["MCPTOOLS"]:
            assert resident_kib(g.process.pid) - before < 40 << 10, "what it did not read is not kept without end"
        assert "dropping a client" in g.text() and s.call("ping") == {}
        deaf.close()


@test
def pipelined_answers_nobody_reads_do_not_pile_up(folder):
    with gateway(folder, *serving(folder, "--huge", 1 << 20)) as g:
        g.wait_ready()
        body, headers = stateless("tools/call", {"name": "tool0", "arguments": {}})
        head = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
        one = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        with socket.socket() as c:
            c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            c.connect(("127.0.0.1", g.port))
            c.setblocking(False)
            data, at, quiet = one * 200, 0, 0
            while at < len(data) and quiet < 100:  # as far as it takes them
                try:
                    at += c.send(data[at:])
                    quiet = 0
                except BlockingIOError:
                    quiet += 1
                    g.request("GET", "/healthz")
            until(lambda: metric(g, 'server_calls_total{server="t"}'), "it works on them")
            other = stateless("tools/call", {"name": "tool0", "arguments": {}})
            for _ in range(40):  # each as much work as one of those
                assert g.request("POST", "/mcp", *other)[0] == 200
            assert metric(g, 'server_calls_total{server="t"}') < 40 + 20
            c.setblocking(True)
            c.settimeout(PATIENCE_S)
            got = 0
            while got < 200 << 20:  # they all come once they are read
                if at < len(data):
                    c.setblocking(False)
                    try:
                        at += c.send(data[at:])
                    except BlockingIOError:
                        pass
                    c.setblocking(True)
                    c.settimeout(PATIENCE_S)
                chunk = c.recv(1 << 20)
                assert chunk, got
                got += len(chunk)


def served(g):
    """A connection on which a request was answered, which one that is gone for its peer only may still keep from being so."""
    c = socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S)
    c.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    if c.recv(65536).startswith(b"HTTP/1.1 200"):
        return c
    c.close()


@test
def connections_over_the_limit_are_told(folder):
    with gateway(folder, *serving(folder, limits={"connections": 3})) as g:
        g.wait_ready()
        held = [until(lambda: served(g), "room for a connection") for _ in range(3)]
        status, headers, body = g.request("GET", "/healthz")
        assert (status, headers["Retry-After"], headers["Connection"]) == (503, "5", "close"), (status, headers)
        assert b"too many open connections" in body
        held[0].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert held[0].recv(65536).startswith(b"HTTP/1.1 200")  # the others are served on
        held.pop().close()
        until(lambda: served(g), "room again").close()
        for c in held:
            c.close()
        until(lambda: g.request("GET", "/healthz")[0] == 200, "the others have gone")
        assert until(lambda: metric(g, "http_connections_refused_total"), "an answer") >= 1


@test
def idle_sessions_make_room(folder):
    with gateway(folder, *serving(folder, limits={"sessions": 2})) as g:
        first, second = Session(g.wait_ready()), Session(g)
        with Stream(g, "GET", "/mcp", first.headers) as stream:
            stream.until(b"\n\n")
            third = Session(g)
            assert second.post("ping")[0] == 404 and first.post("ping")[0] == 200  # idle longest, nothing open
            with Stream(g, "GET", "/mcp", third.headers) as other:
                other.until(b"\n\n")
                status = g.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}),
                                   JSON)[0]
                assert status == 503, status


@test
def what_is_asked_while_it_ends(folder):
    """A call is under way: it ends; connections that are open are answered, and told that it is over."""
    with gateway(folder, *serving(folder)) as g:
        s = Session(g.wait_ready())
        slow = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "tool0", "arguments": {"delay_ms": 1500}}}
        kept = [socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S) for _ in range(3)]

        def ask(c, method, path, body=""):
            head = "".join(f"{k}: {v}\r\n" for k, v in s.headers.items())
            c.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            return c.recv(65536)

        for c in kept:
            assert b"Connection: close" not in ask(c, "GET", "/healthz")
        with Stream(g, "POST", "/mcp", s.headers, json.dumps(slow)) as call, Stream(g, "GET", "/mcp", s.headers) as stream:
            stream.until(b"\n\n")
            until(lambda: metric(g, "requests_in_flight") == 1, "the call is under way")
            g.process.send_signal(signal.SIGTERM)
            assert stream.rest().endswith(b"0\r\n\r\n")
            ready = ask(kept[0], "GET", "/readyz")
            assert ready.startswith(b"HTTP/1.1 503") and b"Connection: close" in ready and b'"draining":true' in ready, ready
            late = ask(kept[1], "POST", "/mcp", PING)
            assert late.startswith(b"HTTP/1.1 503") and b"shutting down" in late, late
            note = ask(kept[2], "POST", "/mcp", '{"jsonrpc":"2.0","method":"notifications/x"}')
            assert note.startswith(b"HTTP/1.1 202") and b"Connection: close" in note, note
            assert call.until(b'"result"').startswith(b"HTTP/1.1 200")
        assert g.process.wait(PATIENCE_S) == 0


@test
def a_second_signal_waits_for_no_call(folder):
    with gateway(folder, *serving(folder, limits={"drain_s": 3600})) as g:
        s = Session(g.wait_ready())
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "tool0", "arguments": {"delay_ms": 3600000, "progress": 1}, "_meta": {"progressToken": 1}}}
        with Stream(g, "POST", "/mcp", s.headers, json.dumps(call)) as slow, Stream(g, "GET", "/mcp", s.headers) as stream:
            slow.until(b'"progress":1')
            g.process.send_signal(signal.SIGTERM)
            assert stream.rest().endswith(b"0\r\n\r\n")
            assert g.process.poll() is None
            g.process.send_signal(signal.SIGTERM)
            assert g.process.wait(PATIENCE_S) == 0


@test
def calls_that_do_not_end_are_cut(folder):
    with gateway(folder, *serving(folder, limits={"drain_s": 0.2})) as g:
        s = Session(g.wait_ready())
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "tool0", "arguments": {"delay_ms": 3600000, "progress": 1}, "_meta": {"progressToken": 1}}}
        plain = json.loads(json.dumps(call))
        plain["params"]["arguments"].pop("progress")
        with Stream(g, "POST", "/mcp", s.headers, json.dumps(call)) as stream, \
                Stream(g, "POST", "/mcp", s.headers, json.dumps(plain)) as whole:
            stream.until(b'"progress":1')
            until(lambda: metric(g, "requests_in_flight") == 2, "both are under way")
            g.process.terminate()
            assert stream.rest().endswith(b"0\r\n\r\n")
            assert whole.until(b"shutting down").startswith(b"HTTP/1.1 503")
        assert g.process.wait(PATIENCE_S) == 0


@test
def who_waits_at_the_end_is_told_so(folder):
    """The deadline of draining has come: each open request gets an error with its id."""
    with gateway(folder, *serving(folder, limits={"drain_s": 0.2})) as g:
        s, old = Session(g.wait_ready()), Session(g, revision="2025-03-26")
        call = lambda id, **more: {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": "tool0", "arguments": {"delay_ms": 3600000, **more}, "_meta": {"progressToken": id}}}
        n_body, n_headers = stateless("tools/call", {"name": "tool0", "arguments": {"delay_ms": 3600000}}, id="n")
        streamed = stateless("tools/call", {"name": "tool0", "arguments": {"delay_ms": 3600000, "progress": 1},
                                            "_meta": {"progressToken": "ns"}}, id="ns")
        with Stream(g, "POST", "/mcp", s.headers, json.dumps(call("json"))) as whole, \
                Stream(g, "POST", "/mcp", s.headers, json.dumps(call("sse", progress=1))) as stream, \
                Stream(g, "POST", "/mcp", n_headers, n_body) as stateless_whole, \
                Stream(g, "POST", "/mcp", streamed[1], streamed[0]) as stateless_stream, \
                Stream(g, "POST", "/mcp", old.headers, json.dumps([call("b1"), json.loads(PING), call("b2")])) as batch:
            stream.until(b'"progress":1')
            stateless_stream.until(b'"progress":1')
            until(lambda: metric(g, "requests_in_flight") == 6, "all are under way")
            g.process.terminate()
            for one, id in ((whole, "json"), (stateless_whole, "n")):
                text = one.until(b"shutting down\"}}")
                assert text.startswith(b"HTTP/1.1 503") and f'"id":"{id}"'.encode() in text, text
            for one, id in ((stream, "sse"), (stateless_stream, "ns")):
                one.rest()
                last = one.events()[-1][1]
                assert last["id"] == id and "shutting down" in last["error"]["message"], one.bytes
            answers = {m["id"]: m for m in json.loads(batch.until(b"]").split(b"\r\n\r\n", 1)[1])}
            assert set(answers) == {1, "b1", "b2"} and "error" in answers["b2"] and answers[1]["result"] == {}, answers
        assert g.process.wait(PATIENCE_S) == 0


@test
def children_keep_the_limit_of_open_files(folder):
    """The gateway asks for room for its clients; its servers get what it was started with."""
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2048:
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    try:
        with gateway(folder, *serving(folder)) as g:
            g.wait_ready()
            limit = lambda pid: int(pathlib.Path(f"/proc/{pid}/limits").read_text().split("Max open files")[1].split()[0])
            children = pathlib.Path(f"/proc/{g.process.pid}/task/{g.process.pid}/children").read_text().split()
            servers = [c for c in children if b"test-server" in pathlib.Path(f"/proc/{c}/cmdline").read_bytes()]
            assert limit(g.process.pid) > 1024 and [limit(c) for c in servers] == [1024], children
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


if __name__ == "__main__":
    main()
