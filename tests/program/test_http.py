"""The HTTP endpoint as other programs meet it: statuses, sessions, both eras, hostile requests."""

import json
import socket
import threading

from harness import (JSON, PATIENCE_S, Session, answer, events, gateway, main, server, stateless, test, until,
                     write_config)


def one_server(folder, *arguments, **more):
    return "--config", write_config(folder, {"t": server(*arguments, **more)})


@test
def small_pages(folder):
    with gateway(folder, *one_server(folder)) as g:
        g.wait_ready()
        assert g.request("GET", "/healthz")[0::2] == (200, b"ok\n")
        ready = json.loads(g.request("GET", "/readyz")[2])
        assert ready == {"ready": True, "servers": [
            {"name": "t", "state": "connected", "transport": "stdio", "protocolVersion": "2025-11-25"}]}, ready
        assert g.request("GET", "/nothing")[0] == 404
        assert g.request("POST", "/mcp/unknown", "{}", JSON)[0] == 404


@test
def what_is_not_there_says_why(folder):
    with gateway(folder, *one_server(folder)) as g:
        g.wait_ready()
        for path, words in (("/mcp/nobody", b"unknown server"), ("/sse", b"--legacy-sse"), ("/x", b"/mcp/NAME")):
            status, _, body = g.request("GET", path, None, {})
            assert status == 404 and words in body, (path, body)


@test
def not_ready_while_a_required_server_is_down(folder):
    config = write_config(folder, {"t": server(), "r": server("--exit-at-start", required=True)})
    with gateway(folder, "--config", config) as g:
        until(lambda: b'"r","state":"error"' in g.request("GET", "/readyz")[2], "r has failed")
        status, _, body = g.request("GET", "/readyz")
        r = json.loads(body)["servers"][1]
        assert status == 503 and r["error"]["kind"] == "connect" and r["error"]["message"], r
        assert r["state"] == "connecting" or (r["reason"] == "backoff" and r["nextTryMs"] >= 0), r


@test
def session_life(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        assert s.info["protocolVersion"] == "2025-11-25"
        assert s.call("ping") == {}
        assert [t["name"] for t in s.call("tools/list")["tools"]] == ["tool0", "tool1", "tool2"]
        unknown = {**s.headers, "Mcp-Session-Id": "0" * 32}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert g.request("POST", "/mcp", body, unknown)[0] == 404
        assert g.request("POST", "/mcp", body, JSON)[0] == 400
        assert g.request("POST", "/mcp/t", body, s.headers)[0] == 404  # a session is of one endpoint
        assert g.request("POST", "/mcp", body, {**s.headers, "MCP-Protocol-Version": "1999-01-01"})[0] == 400
        assert g.request("DELETE", "/mcp", None, s.headers)[0] == 204
        assert g.request("DELETE", "/mcp", None, s.headers)[0] == 404
        assert s.post("ping")[0] == 404


@test
def content_negotiation(folder):
    with gateway(folder, *one_server(folder)) as g:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        for headers, status in (
                ({**JSON, "Content-Type": "text/plain"}, 415),
                ({"Accept": JSON["Accept"]}, 415),
                ({**JSON, "Content-Type": "application/json; charset=utf-8"}, 200),
                ({**JSON, "Accept": "application/json"}, 406),
                ({**JSON, "Accept": "text/event-stream"}, 406),
                ({**JSON, "Accept": "*/*"}, 200),
                ({**JSON, "Accept": "application/*;q=0.5, text/*"}, 200)):
            got = g.request("POST", "/mcp", body, headers)
            assert got[0] == status, (headers, got)
        for bad, code in (("{", -32700), ("[]", -32600), ('{"jsonrpc":"2.0"}', -32600), ("", -32700)):
            status, _, body = g.request("POST", "/mcp", bad, JSON)
            assert (status, json.loads(body)["error"]["code"]) == (400, code), (bad, status, body)
        assert g.request("PUT", "/mcp", "{}", JSON)[0] == 405


@test
def foreign_hosts_and_origins_are_refused(folder):
    with gateway(folder, *one_server(folder)) as g:
        body, headers = stateless("server/discover")
        own = f"127.0.0.1:{g.port}"
        for host, origin, status in ((own, None, 200), (f"localhost:{g.port}", None, 200),
                                     (own, f"http://{own}", 200), (own, "http://localhost:3000", 200),
                                     ("evil.example.com", None, 403), (own, "http://evil.example.com", 403),
                                     (own, "null", 403)):
            more = {"Host": host, **({"Origin": origin} if origin else {})}
            assert g.request("POST", "/mcp", body, {**headers, **more})[0] == status, (host, origin)


@test
def unknown_ids(folder):
    """An error whose request cannot be read has the id null where the revision requires one."""
    with gateway(folder, *one_server(folder)) as g:
        absent = object()
        rows = {None: None, "2024-11-05": None, "2025-03-26": None, "2025-06-18": None, "1999-01-01": None,
                "2025-11-25": absent, "2026-07-28": absent}
        for revision, id in rows.items():
            headers = {**JSON, **({"MCP-Protocol-Version": revision} if revision else {})}
            status, _, body = g.request("POST", "/mcp", "{", headers)
            assert status == 400 and json.loads(body).get("id", absent) is id, (revision, status, body)


@test
def tokens_are_asked_for(folder):
    config = write_config(folder, {"t": server()}, {"serve": {"tokens": ["s3cret"]}})
    with gateway(folder, "--config", config) as g:
        body, headers = stateless("server/discover")
        assert g.request("GET", "/healthz")[0] == 200
        status, answer_headers, _ = g.request("POST", "/mcp", body, headers)
        assert (status, answer_headers["WWW-Authenticate"]) == (401, "Bearer")
        assert g.request("POST", "/mcp", body, {**headers, "Authorization": "Bearer wrong"})[0] == 401
        assert g.request("POST", "/mcp", body, {**headers, "Authorization": "Bearer s3cret"})[0] == 200


@test
def stateless_ladder(folder):
    """2026-07-28: every check of the envelope and its headers, with its status and code."""
    with gateway(folder, *one_server(folder)) as g:
        g.wait_ready()

        def post(body, headers):
            status, _, text = g.request("POST", "/mcp", body, headers)
            message = json.loads(text)
            return status, message.get("error", {}).get("code"), message

        body, headers = stateless("tools/call", {"name": "tool0", "arguments": {"n": 1}})
        status, _, message = post(body, headers)
        assert status == 200 and message["result"]["resultType"] == "complete", message
        without = lambda name: {k: v for k, v in headers.items() if k != name}
        assert post(body, without("MCP-Protocol-Version"))[:2] == (400, -32020)
        assert post(body, without("Mcp-Method"))[:2] == (400, -32020)
        assert post(body, without("Mcp-Name"))[:2] == (400, -32020)
        assert post(body, {**headers, "Mcp-Method": "Tools/call"})[:2] == (400, -32020)
        assert post(body, {**headers, "Mcp-Name": "tool1"})[:2] == (400, -32020)
        assert post(body, {**headers, "Mcp-Name": "=?base64?dG9vbDA=?="})[0] == 200
        assert post(body, {**headers, "Mcp-Name": "=?base64?dG9vbDA?="})[:2] == (400, -32020)
        assert post(body, {**headers, "MCP-Protocol-Version": "2025-11-25"})[:2] == (400, -32020)
        status, code, message = post(*stateless("tools/list", version="2031-01-01"))
        assert (status, code) == (400, -32022)
        assert message["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}
        for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"):
            status, code, message = post(*stateless(method, id="x"))
            assert (status, code, message["id"]) == (404, -32601, "x"), (method, status, message)
        bare = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        assert post(bare, headers)[:2] == (400, -32602)
        assert g.request("GET", "/mcp", None, {"MCP-Protocol-Version": "2026-07-28"})[0] == 405
        body, headers = stateless("tools/call", {"name": "nope"})
        assert post(body, headers)[:2] == (200, -32602)  # the handler's own errors come in band


@test
def progress_turns_the_answer_into_a_stream(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        params = {"name": "tool0", "arguments": {"progress": 3}, "_meta": {"progressToken": "p"}}
        status, headers, body = s.post("tools/call", params, id="call")
        assert (status, headers["Content-Type"]) == (200, "text/event-stream")
        got = events(body)
        assert [m["params"]["progress"] for m in got[:-1]] == [1, 2, 3]
        assert all(m["params"]["progressToken"] == "p" for m in got[:-1])
        assert got[-1]["id"] == "call"
        params.pop("_meta")  # not asked for, not sent
        assert s.post("tools/call", params)[1]["Content-Type"] == "application/json"


@test
def equal_ids_do_not_mix(folder):
    """Many clients, one child process, all with the same id and token, answers out of order."""
    with gateway(folder, *one_server(folder)) as g:
        g.wait_ready()
        wrong = []

        def client(number):
            s = Session(g)
            for turn in range(10):
                mark = f"{number}/{turn}"
                result = s.call("tools/call", {"name": "tool0", "_meta": {"progressToken": 1}, "arguments": {
                    "mark": mark, "delay_ms": (number * 7 + turn * 3) % 20, "progress": turn % 3}}, id=1)
                if result["structuredContent"]["arguments"]["mark"] != mark:
                    wrong.append((mark, result))

        threads = [threading.Thread(target=client, args=(n,)) for n in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not wrong, wrong[:3]


@test
def one_server_alone(folder):
    config = write_config(folder, {"a": server("--tools", 1), "b": server("--tools", 1, "--name", "b_")})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        names = lambda path: [t["name"] for t in Session(g, path).call("tools/list")["tools"]]
        assert names("/mcp") == ["a__tool0", "b__b_tool0"]
        assert names("/mcp/a") == ["tool0"]
        assert names("/mcp/b") == ["b_tool0"]


@test
def metadata_and_arguments_survive(folder):
    tool = '{"inputSchema":{"type":"object"},"x":1e400,"name":"odd","d":1,"d":2,"icons":[{"src":"data:,"}],"_meta":{"k":1.0}}'
    with gateway(folder, *one_server(folder, "--tools", 0, "--tool-json", tool)) as g:
        s = Session(g.wait_ready())
        assert tool.encode() in s.post("tools/list")[2]
        arguments = '{"big":12345678901234567890123,"f":1.0,"e":1e-400,"s":"\\u0000\\ud800\\/","d":1,"d":2,\n "w" : [ ]}'
        body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"odd","arguments":%s}}' % arguments
        got = g.request("POST", "/mcp", body, s.headers)[2]
        # a line break in the white space cannot cross the line framing of a child: it becomes a blank
        assert arguments.replace("\n", " ").encode() in got, got


@test
def huge_results_pass(folder):
    with gateway(folder, *one_server(folder, "--huge", 20 << 20)) as g:
        s = Session(g.wait_ready())
        result = s.call("tools/call", {"name": "tool0"})
        assert len(result["content"][0]["text"]) > 20 << 20


@test
def too_large_requests_are_refused(folder):
    config = write_config(folder, {"t": server()}, {"limits": {"message_bytes": 100000}})
    with gateway(folder, "--config", config) as g:
        assert g.request("POST", "/mcp", " " * 200000, JSON)[0] == 413
        assert g.request("GET", "/healthz", None, {"X-Long": "x" * 40000})[0] == 431


@test
def server_messages_wait_for_the_stream(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        s.call("tools/call", {"name": "tool0", "arguments": {"grow": True}})
        until(lambda: len(s.call("tools/list")["tools"]) == 4, "the new tool is listed")
        with socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S) as c:
            headers = "".join(f"{k}: {v}\r\n" for k, v in s.headers.items())
            c.sendall(f"GET /mcp HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
            got = b""
            while b"notifications/tools/list_changed" not in got:
                chunk = c.recv(65536)
                assert chunk, got
                got += chunk
            assert got.startswith(b"HTTP/1.1 200 "), got
            assert b"X-Accel-Buffering: no" in got
            assert g.request("GET", "/mcp", None, s.headers)[0] == 409  # one at a time
        until(lambda: second_stream_opens(g, s), "the stream can be opened again")


def second_stream_opens(g, s):
    head = "".join(f"{k}: {v}\r\n" for k, v in s.headers.items())
    return g.raw(f"GET /mcp HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode()).startswith(b"HTTP/1.1 200")


@test
def hanging_up_cancels_in_the_stateless_era_only(folder):
    record = folder / "record"
    with gateway(folder, *one_server(folder, "--record", record)) as g:
        s = Session(g.wait_ready())
        arguments = {"name": "tool0", "arguments": {"delay_ms": 3600000}}

        def hang_up_on(body, headers):
            head = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
            before = record.read_text().count("tools/call")
            with socket.create_connection(("127.0.0.1", g.port)) as c:
                c.sendall(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
                until(lambda: record.read_text().count("tools/call") > before, "the call arrived")

        hang_up_on(json.dumps({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": arguments}), s.headers)
        hang_up_on(*stateless("tools/call", arguments))
        until(lambda: "notifications/cancelled" in record.read_text(), "the stateless call is cancelled")
        assert record.read_text().count("notifications/cancelled") == 1
        s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
        until(lambda: record.read_text().count("notifications/cancelled") == 2, "so is the other, when told")


@test
def subscriptions_listen(folder):
    with gateway(folder, *one_server(folder)) as g:
        g.wait_ready()
        body, headers = stateless("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id="sub")
        head = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
        with socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S) as c:
            c.sendall(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            got = b""
            while b"acknowledged" not in got:
                got += c.recv(65536)
            g.request("POST", "/mcp", *stateless("tools/call", {"name": "tool0", "arguments": {"grow": True}}))
            while b"notifications/tools/list_changed" not in got:
                got += c.recv(65536)
            g.process.terminate()  # a server that ends says so
            while chunk := c.recv(65536):
                got += chunk
            assert b'"id":"sub","result":{"resultType":"complete"' in got, got
        g.process.wait(PATIENCE_S)


@test
def hostile_requests_are_refused(folder):
    """Requests that two parsers could understand differently, and the status each is refused with."""
    with gateway(folder, *one_server(folder)) as g:
        ok = "POST /healthz HTTP/1.1\r\nHost: localhost\r\n"
        rows = {
            "two lengths": (ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
            "two equal lengths": (ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400),
            "length and coding": (ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            "coding twice": (ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            "unknown coding": (ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
            "coding in disguise": (ok + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", (400, 501)),
            "negative length": (ok + "Content-Length: -1\r\n\r\n", 400),
            "length with a plus": (ok + "Content-Length: +5\r\n\r\nhello", 400),
            "length with text": (ok + "Content-Length: 5x\r\n\r\nhello", 400),
            "huge length": (ok + "Content-Length: 99999999999999999999\r\n\r\n", 400),
            "no host": ("GET /healthz HTTP/1.1\r\n\r\n", 400),
            "two hosts": ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
            "foreign host": ("GET /healthz HTTP/1.1\r\nHost: evil.example.com\r\n\r\n", 403),
            "folded header": (ok + "X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n", 400),
            "blank before colon": (ok + "Content-Length : 0\r\n\r\n", 400),
            "blank in name": (ok + "X A: b\r\n\r\n", 400),
            "bare line feeds": ("GET /healthz HTTP/1.1\nHost: localhost\n\n", 400),
            "one bare line feed": ("GET /healthz HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n", 400),
            "bare carriage return": (ok + "X-A: b\rContent-Length: 5\r\n\r\n", 400),
            "control character": (ok + "X-A: b\x00\r\n\r\n", 400),
            "bad chunk size": (ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            "chunk without end": (ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 400),
            "bad version": ("GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
            "not HTTP": ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
            "unknown method": ("BREW /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        }
        wrong = {}
        for name, (text, wanted) in rows.items():
            out = g.raw(text.encode("latin-1"))
            status = int(out.split(b" ")[1]) if out.startswith(b"HTTP/1.1 ") else None
            if status not in (wanted if isinstance(wanted, tuple) else (wanted,)):
                wrong[name] = (status, out[:200])
            elif out.count(b"HTTP/1.1 ") != 1:
                wrong[name] = ("answered twice", out[:400])
        assert not wrong, wrong
        assert g.request("GET", "/healthz")[0] == 200


@test
def bytes_may_come_one_by_one_and_requests_in_a_row(folder):
    with gateway(folder, *one_server(folder)) as g:
        one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Empty:\r\n\r\n"
        chunked = (b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                   b"5\r\nhello\r\n0\r\n\r\n")
        assert g.raw(one * 20 + chunked * 3).count(b"HTTP/1.1 200 OK") == 23
        with socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S) as c:
            c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in chunked:
                c.sendall(bytes([byte]))
            assert c.recv(65536).startswith(b"HTTP/1.1 200 OK")
        old = g.raw(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert old.startswith(b"HTTP/1.1 403"), old  # no Host, no service
        old = g.raw(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert old.startswith(b"HTTP/1.1 200") and old.endswith(b"ok\n"), old


@test
def what_belongs_to_one_request_stays_there(folder):
    """Trailers, upgrades, HEAD and further lines of a header, with the next request behind them."""
    with gateway(folder, *one_server(folder)) as g:
        ok = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        trailer = (b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
                   b"X-Trailer: " + b"x" * 9000 + b"\r\nHost: evil.example.com\r\n\r\n")
        assert g.raw(trailer + ok).count(b"HTTP/1.1 200 OK") == 2
        assert g.raw(trailer.replace(b"x" * 9000, b"x" * 40000)).startswith(b"HTTP/1.1 431")
        upgrade = ok[:-2] + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP\r\n\r\n"
        assert g.raw(upgrade + ok).count(b"HTTP/1.1 200 OK") == 2
        assert g.raw(b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 405")
        head = g.raw(ok.replace(b"GET", b"HEAD") + ok)
        assert head.count(b"HTTP/1.1 200 OK") == 2 and head.count(b"ok\n") == 1, head
        assert g.raw(ok.replace(b"/healthz", b"http://localhost/healthz")).startswith(b"HTTP/1.1 200")
        body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
        two = (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
               b"Accept: text/event-stream\r\nMcp-Session-Id: stale\r\nContent-Length: %d\r\n\r\n" % len(body)) + body
        answered = g.raw(two)
        assert answered.startswith(b"HTTP/1.1 200") and b"Mcp-Session-Id: " in answered, answered


@test
def a_refusal_is_read_before_the_connection_ends(folder):
    config = write_config(folder, {"t": server()}, {"limits": {"message_bytes": 100000}})
    with gateway(folder, "--config", config) as g, socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S) as c:
        c.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n")
        for _ in range(20):
            c.sendall(b" " * 100000)
        assert c.recv(65536).startswith(b"HTTP/1.1 413")


@test
def answers_keep_the_order_of_pipelined_requests(folder):
    with gateway(folder, *one_server(folder)) as g:
        g.wait_ready()
        requests = b""
        for n in range(100):
            body, headers = stateless("tools/call", {"name": "tool0", "arguments": {"n": n}}, id=n)
            head = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
            requests += f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        assert len(requests) < 60000
        for piece in (len(requests), 700, 33):
            with socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S) as c:
                c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for at in range(0, len(requests), piece):
                    c.sendall(requests[at:at + piece])
                got = b""
                while got.count(b'"resultType"') < 100:
                    chunk = c.recv(65536)
                    assert chunk, got[-500:]
                    got += chunk
            ids = [int(part.split(b",")[0]) for part in got.split(b'"2.0","id":')[1:]]
            assert ids == list(range(100)), ids


@test
def line_breaks_of_a_server_do_not_break_events(folder):
    tool = '{"name":"odd","inputSchema":{},\r"x":1}'
    with gateway(folder, *one_server(folder, "--tools", 0, "--tool-json", tool)) as g:
        s = Session(g.wait_ready())
        params = {"name": "odd", "arguments": {"progress": 1}, "_meta": {"progressToken": 1}}
        body = s.post("tools/call", params)[2]
        assert answer(body)["result"]["content"] and b"\r" not in body, body
        assert answer(s.post("tools/list")[2])["result"]["tools"][0]["x"] == 1


@test
def long_lists_fit_into_small_messages(folder):
    config = write_config(folder, {"t": server("--tools", 1500, "--page-size", 100)},
                          {"limits": {"message_bytes": 131072, "page_items": 1500}})
    with gateway(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        assert len(s.call("tools/list")["tools"]) == 1500
        assert s.call("ping") == {}


@test
def lists_come_in_pages_of_one_state(folder):
    config = write_config(folder, {"t": server("--tools", 250)}, {"limits": {"page_items": 100}})
    with gateway(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        sizes, names, cursor = [], [], {}
        while cursor is not None:
            page = s.call("tools/list", cursor)
            sizes.append(len(page["tools"]))
            names += [t["name"] for t in page["tools"]]
            cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
        assert sizes == [100, 100, 50] and len(set(names)) == 250, sizes
        first = s.call("tools/list")["nextCursor"]
        assert answer(s.post("tools/list", {"cursor": first[:-1] + ("A" if first[-1] != "A" else "B")})[2])["error"]["code"] == -32602
        assert answer(s.post("prompts/list", {"cursor": first})[2])["error"]["code"] == -32602  # of another list


@test
def a_bad_server_does_not_disturb_the_others(folder):
    config = write_config(folder, {
        "silent": server("--silent"), "dead": {"command": "no-such-program-anywhere"},
        "good": server("--tools", 1), "babble": server("--tools", 1, "--garbage", 50),
        "loops": server("--tools", 1, "--loop-pages"), "bad": server("--bad-list"),
    }, {"limits": {"start_timeout_s": 2, "list_wait_s": 1}})
    with gateway(folder, "--config", config) as g:
        s = Session(g)
        assert s.call("tools/call", {"name": "good__tool0", "arguments": {"n": 1}})["content"]
        names = [t["name"] for t in s.call("tools/list")["tools"]]
        assert names == ["good__tool0", "babble__tool0", "loops__tool0"], names


if __name__ == "__main__":
    main()
