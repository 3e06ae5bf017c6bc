"""Hostile clients over HTTP and stdio."""

import concurrent.futures
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time

from harness import JSON, MCPTOOLS, PATIENCE_S, WRAPPER, Session, environment, stateless
from row import attack
from scene import LATE_S, MIB, answer, instrumented, resident, server, until, write_config

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
TOKENS = {"serve": {"tokens": [{"token": "a" * 20, "name": "anna"}, {"token": "b" * 20, "name": "berta"}]}}
ANNA, BERTA = ({"Authorization": f"Bearer {c * 20}"} for c in "ab")


def client(name, owasp, what, outcome, actor="HTTP client"):
    return attack(name, owasp, actor, what, outcome, beside=True)


def alone(name, owasp, what, outcome, actor="HTTP client"):
    return attack(name, owasp, actor, what, outcome)


def connect(g):
    return socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S)


def post_head(headers, length, path="/mcp"):
    lines = {"Host": "localhost", **JSON, **headers, "Content-Length": length}
    return (f"POST {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n").encode()


def post(s, body):
    """Raw bytes in a session: (status, body)."""
    status, _, text = s.g.request("POST", "/mcp", body, s.headers)
    return status, text


# ---- many and slow ----

def hold(b, n, data, trickle=b""):
    """So many connections that say little."""
    with contextlib.ExitStack() as stack:
        held = []
        for _ in range(n):
            with contextlib.suppress(OSError):
                c = stack.enter_context(connect(b.g))
                c.sendall(data)
                held.append(c)
        end = time.monotonic() + 2
        while not b.victim.enough.is_set() or time.monotonic() < end:
            for c in held[::10]:
                with contextlib.suppress(OSError):
                    c.sendall(trickle)
            time.sleep(0.1)
        assert len(held) > n * 0.9, len(held)


@client("slow-headers", "LLM10", "opens hundreds of connections and sends a header line now and then (slowloris)", "others are served; the connections end at their time limit")
def slow_headers(scene):
    with scene.beside() as b:
        hold(b, scene.scaled(300, 3000), b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n", b"X-A: b\r\n")


@client("slow-bodies", "LLM10", "begins bodies of 900 KB on hundreds of connections", "others are served")
def slow_bodies(scene):
    with scene.beside() as b:
        hold(b, scene.scaled(200, 1000), post_head({}, 900000) + b"{", b" ")


@client("silent-connections", "LLM10", "opens hundreds of connections and says nothing", "others are served")
def silent_connections(scene):
    with scene.beside() as b:
        hold(b, scene.scaled(500, 3000), b"")


@client("bodies-of-64-mib", "LLM10", "sends eight bodies of 64 MiB less one byte and stops", "others are served; memory stays below `limits.memory_bytes`")
def bodies_of_64_mib(scene):
    scene.growth = 256 * MIB
    with scene.beside(settings={"limits": {"message_bytes": 64 * MIB, "memory_bytes": 128 * MIB}}) as b:
        part = b" " * (scene.scaled(16, 63) * MIB)

        def send():
            with contextlib.suppress(OSError), connect(b.g) as c:
                c.sendall(post_head({}, len(part) + MIB) + part)
                b.wait()
        threads = [threading.Thread(target=send) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()


@client("answers-unread", "LLM10", "asks for large lists on a hundred connections and reads nothing", "its connections are ended; memory stays bounded")
def answers_unread(scene):
    many = server("--tools", 2000, "--name", "m")
    with scene.beside(many=many, settings={"limits": {"memory_bytes": 64 * MIB}}) as b:
        s = b.session
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                c = stack.enter_context(socket.socket())
                c.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                c.settimeout(PATIENCE_S)
                c.connect(("127.0.0.1", b.g.port))
                with contextlib.suppress(OSError):
                    c.sendall((post_head(s.headers, len(body)) + body) * 20)
            b.wait()


@client("pipelined-without-end", "LLM10", "sends requests without end on one connection and reads no answer", "the connection is ended or held back; others are served")
def pipelined_without_end(scene):
    with scene.beside() as b, connect(b.g) as c:
        c.settimeout(0.2)
        many = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500
        with contextlib.suppress(OSError):
            while not b.victim.enough.is_set():
                with contextlib.suppress(TimeoutError):
                    c.sendall(many)


@client("sessions-without-end", "LLM10", "begins sessions without end", "old sessions of the same client make room")
def sessions_without_end(scene):
    with scene.beside(settings={"limits": {"sessions": 50}}) as b:
        n = 0
        while not b.victim.enough.is_set() or n < 200:
            Session(b.g)
            n += 1


@client("calls-at-once", "LLM10", "makes thousands of calls of a slow tool and waits for none", "the calls are refused at the ceiling; others are served")
def calls_at_once(scene):
    with scene.beside(slow=server("--tools", 1, "--delay", 3000)) as b:
        body, headers = stateless("tools/call", {"name": "slow__tool0", "arguments": {}})
        data = post_head(headers, len(body)) + body.encode()
        with contextlib.ExitStack() as stack:
            for _ in range(scene.scaled(300, 2000)):
                with contextlib.suppress(OSError):
                    stack.enter_context(connect(b.g)).sendall(data)
            b.wait()


@client("calls-abandoned", "LLM10", "makes calls and closes the connection at once, again and again", "the calls are cancelled; descriptors come back")
def calls_abandoned(scene):
    with scene.beside(slow=server("--tools", 1, "--delay", 60000)) as b:
        body, headers = stateless("tools/call", {"name": "slow__tool0", "arguments": {}})
        data = post_head(headers, len(body)) + body.encode()
        n = 0
        while n < 200 or not b.victim.enough.is_set():
            with connect(b.g) as c:
                c.sendall(data)
            n += 1


@client("streams-without-end", "LLM10", "opens hundreds of event streams and subscriptions", "others are served; further ones are refused")
def streams_without_end(scene):
    with scene.beside() as b, contextlib.ExitStack() as stack:
        body, headers = stateless("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, id="s")
        data = post_head(headers, len(body)) + body.encode()
        for _ in range(scene.scaled(200, 2000)):
            stack.enter_context(connect(b.g)).sendall(data)
        for _ in range(scene.scaled(50, 500)):
            s = Session(b.g)
            head = "".join(f"{k}: {v}\r\n" for k, v in {"Host": "localhost", **s.headers}.items())
            stack.enter_context(connect(b.g)).sendall(f"GET /mcp HTTP/1.1\r\n{head}\r\n".encode())
        b.wait()


@client("views-without-end", "LLM10", "asks for endpoints with other dialects and modes without end", "idle views make room")
def views_without_end(scene):
    with scene.beside() as b:
        dialects = ["nexo", "codex", "bridge", "claude", "lines", "servers"]
        for bits in range(1, 64):
            chosen = ",".join(d for k, d in enumerate(dialects) if bits >> k & 1)
            for mode in ("full", "router"):
                b.g.request("POST", f"/mcp?dialect={chosen}&mode={mode}", *stateless("tools/list"))
        b.wait()


# ---- messages ----

MESSAGES = {  # what is wrong: (body, statuses it may be refused with, or None: JSON-RPC error or an answer, but an answer)
    "depth 100,000": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 100000 + b"]" * 100000 + b"}",
    "depth of objects": b'{"a":' * 100000 + b"1" + b"}" * 100000,
    "invalid UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff\xfe"}}',
    "overlong UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xc0\x80"}}',
    "surrogate in UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
    "UTF-16": '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
    "raw NUL": b'{"jsonrpc":"2.0","id":1,"method":"pi\x00ng"}',
    "NUL behind": b'{"jsonrpc":"2.0","id":1,"method":"ping"}\x00',
    "two texts": b'{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}',
    "CR only": b'{"jsonrpc":"2.0",\r"id":1,\r"method":"ping"}\r',
    "duplicate method": b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    "duplicate id": b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    "duplicate by escape": b'{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"tools/list"}',
    "duplicate name": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__tool0","name":"x"}}',
    "id is an object": b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    "id is null": b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "id is true": b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "id of 100 KB": b'{"jsonrpc":"2.0","id":"' + b"i" * 100000 + b'","method":"ping"}',
    "id is 1e400": b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
    "id is -0": b'{"jsonrpc":"2.0","id":-0,"method":"ping"}',
    "id is 2^53+1": b'{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    "id of 1000 digits": b'{"jsonrpc":"2.0","id":' + b"9" * 1000 + b',"method":"ping"}',
    "params is a text": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"good__tool0"}',
    "params is a list": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["good__tool0"]}',
    "params is null": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}',
    "name is a list": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["good__tool0"]}}',
    "name of a megabyte": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"' + b"n" * 900000 + b'"}}',
    "name with NUL": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__tool0\\u0000x","arguments":{}}}',
    "name is a lone surrogate": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}',
    "arguments is a text": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__tool0","arguments":"x"}}',
    "method is a number": b'{"jsonrpc":"2.0","id":1,"method":7}',
    "method of a megabyte": b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 900000 + b'"}',
    "method is __proto__": b'{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    "version is a number": b'{"jsonrpc":2.0,"id":1,"method":"ping"}',
    "no version": b'{"id":1,"method":"ping"}',
    "result and method": b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
    "result and error": b'{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}',
    "an answer to nothing": b'{"jsonrpc":"2.0","id":4711,"result":{}}',
    "an empty batch": b"[]",
    "a batch of 100,000": b"[" + b",".join([b'{"jsonrpc":"2.0","id":1,"method":"ping"}'] * 20000) + b"]",
    "a batch in a batch": b'[[{"jsonrpc":"2.0","id":1,"method":"ping"}]]',
    "progress token is an object": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
    "progress token of 100 KB": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":"' + b"p" * 100000 + b'"}}}',
    "cursor is forged": b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"AAAA"}}',
    "cursor is an object": b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":{}}}',
    "URI of a megabyte": b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"' + b"u" * 900000 + b'"}}',
    "URI of a file": b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
    "level is unknown": b'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"x"}}',
    "initialize again": b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
    "a number": b"7", "a text": b'"x"', "nothing": b"", "spaces": b" " * 900000, "60,000 members": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{'
        + b",".join(b'"%d":%d' % (i, i) for i in range(60000)) + b"}}",
    "a number of 900 KB": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"1" * 900000 + b"}}",
    "a text of escapes": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"\\u0041" * 150000 + b'"}}',
}


@client("malformed-messages", "MCP06", f"sends {len(MESSAGES)} kinds of malformed, ambiguous and extreme JSON-RPC messages",
        "each is answered or refused at once; the session goes on")
def malformed_messages(scene):
    with scene.beside() as b:
        for what, body in MESSAGES.items():
            status, text = post(b.session, body)
            assert status in (200, 202, 400, 404, 413), (what, status, text[:300])
            assert b"root:" not in text, what
            assert status != 200 or text, what
            assert b.session.call("ping") == {}, what
        for doubled in ("duplicate method", "duplicate id", "duplicate by escape", "duplicate name"):
            status, text = post(b.session, MESSAGES[doubled])
            assert b'"error"' in text, (doubled, text[:300])
        b.wait()


@client("malformed-messages-stateless", "MCP06", "sends the same without a session, as 2026-07-28", "each is answered or refused at once")
def malformed_messages_stateless(scene):
    with scene.beside() as b:
        _, headers = stateless("ping")
        for what, body in MESSAGES.items():
            for method in ("ping", "tools/call", "tools/list"):
                status, _, text = b.g.request("POST", "/mcp", body, {**headers, "Mcp-Method": method})
                assert status in (200, 202, 400, 404, 413), (what, status, text[:300])
                assert b'"result"' not in text, (what, text[:300])  # no _meta: not valid in this era
        b.wait()


@client("bytes-at-random", "LLM10", "sends random bytes, and requests that are changed at random places", "each connection is answered or ended; others are served")
def bytes_at_random(scene):
    r = random.Random(17)
    body, headers = stateless("tools/call", {"name": "good__tool0", "arguments": {"a": 1}})
    good = post_head(headers, len(body)) + body.encode()
    with scene.beside() as b:
        n = 0
        while n < scene.scaled(150, 2000) or not b.victim.enough.is_set():
            data = bytearray(good if n % 3 else r.randbytes(400))
            for _ in range(r.randrange(1, 8)):
                data[r.randrange(len(data))] = r.randrange(256)
            with contextlib.suppress(OSError), connect(b.g) as c:
                c.sendall(data)
                c.shutdown(socket.SHUT_WR)
                c.settimeout(PATIENCE_S)
                while c.recv(65536):
                    pass
            n += 1


@client("hash-flood", "LLM10", "sends arguments with tens of thousands of members whose names collide in FNV-1a", "the call takes no longer than with other names")
def hash_flood(scene):
    with scene.beside(other=server("--tools", 1)) as b:
        names = [f"{'aA'[i & 1]}{i:06x}{'zZ'[i >> 1 & 1]}" for i in range(40000)]
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "other__tool0", "arguments": dict.fromkeys(names, 0)}}).encode()
        while not b.victim.enough.is_set():
            status, text = post(b.session, body)
            assert status == 200 and b"result" in text, (status, text[:200])


# ---- HTTP ----

REQUESTS = {
    "HTTP/2 preface": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", (400, 505, 0)),
    "upgrade to h2c": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAA\r\n\r\n", (200, 400)),
    "upgrade to WebSocket": (b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                             b"Sec-WebSocket-Version: 13\r\n\r\n", (400, 404, 405, 406, 426)),
    "TLS": (bytes.fromhex("160301020001000001fc0303") + b"\0" * 500, (400, 0)),
    "HTTP/0.9": (b"GET /healthz\r\n\r\n", (400, 403, 505, 0)),
    "HTTP/3.0": (b"GET /healthz HTTP/3.0\r\nHost: localhost\r\n\r\n", (400, 505, 0)),
    "CONNECT": (b"CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: 169.254.169.254:80\r\n\r\n", (400, 403, 404, 405, 501)),
    "TRACE": (b"TRACE /mcp HTTP/1.1\r\nHost: localhost\r\nX-Secret: s\r\n\r\n", (400, 404, 405, 501)),
    "OPTIONS *": (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", (200, 204, 400, 403, 404, 405)),
    "proxy request": (b"GET http://169.254.169.254/latest/ HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n", (400, 403, 404)),
    "path of another folder": (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 404)),
    "path with escapes": (b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 404)),
    "path with backslashes": (b"GET /..\\..\\etc\\passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 404)),
    "path with NUL": (b"GET /mcp\0x HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 404)),
    "path of 30 KB": (b"GET /" + b"a" * 30000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 404, 414, 431)),
    "path of 100 KB": (b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 414, 431)),
    "101 headers": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 101 + b"\r\n", (431,)),
    "header of 100 KB": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nA: " + b"b" * 100000 + b"\r\n\r\n", (431, 400)),
    "host with a user": (b"GET /healthz HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n", (400, 403)),
    "host with a path": (b"GET /healthz HTTP/1.1\r\nHost: localhost/evil.example\r\n\r\n", (400, 403)),
    "host is empty": (b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n", (400, 403)),
    "method override": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-HTTP-Method-Override: DELETE\r\n\r\n", (200,)),
    "chunk size with a sign": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n", (400,)),
    "chunk size that overflows": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                                  b"fffffffffffffffff\r\nhello\r\n0\r\n\r\n", (400, 413)),
    "chunk with LF only": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n", (400,)),
    "chunk extension of 100 KB": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5;"
                                  + b"x" * 100000 + b"\r\nhello\r\n0\r\n\r\n", (400, 413, 431)),
    "Expect that is unknown": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 200-maybe\r\nContent-Length: 0\r\n\r\n", (400, 415, 417)),
    "gzip as request": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n0123456789",
                        (400, 406, 415)),
    "forwarded for localhost": (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n\r\n", (403,)),
}


def status_of(data):
    return int(data[9:12]) if data.startswith(b"HTTP/1.") else 0


@client("strange-requests", "MCP07", f"sends {len(REQUESTS)} requests of other protocols, to other places, with paths, hosts and chunks of many tricks",
        "each is refused with its status; no file and no other host is reached")
def strange_requests(scene):
    with scene.beside() as b:
        for what, (data, statuses) in REQUESTS.items():
            got = b.g.raw(data, half_close=True)
            assert status_of(got) in statuses, (what, got[:300])
            assert b"root:" not in got and b"X-Secret" not in got, (what, got[:300])
        b.wait()


# ---- who may do what ----

@alone("tokens-guessed", "MCP07", "sends tokens that are prefixes, doubled, in other schemes, in the query, with NUL, of 20 KB",
       "401 or 429, or 400 for requests that two readers could understand differently")
def tokens_guessed(scene):
    config = write_config(scene.folder, {"good": server()}, TOKENS)
    with scene.serving("--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, ANNA)[0] == 200, "ready")
        body, headers = stateless("tools/list")
        token = "a" * 20
        tries = ["", "Bearer", "Bearer ", f"Bearer {token[:-1]}", f"Bearer {token}a", f"Bearer {token} {token}", f"Bearer {token},{token}", f"Basic {token}",
                 token, f"Token {token}", f"Bearer {token.upper()}", f"Bearer\t{token}", f'Bearer "{token}"', "Bearer null", "Bearer undefined", "Bearer *",
                 "Bearer " + "a" * 20000, f"Bearer {token[:10]}%61{token[11:]}", "Bearer ' or 1=1", f"DPoP {token}", f"Digest {token}", "Bearer anna"]
        for value in tries:
            status = g.request("POST", "/mcp", body, {**headers, "Authorization": value})[0]
            assert status in (401, 429), (value[:80], status)
        for path in (f"/mcp?access_token={token}", f"/mcp?token={token}", f"/mcp?authorization=Bearer%20{token}"):
            assert g.request("POST", path, body, headers)[0] in (400, 401), path
        twice = post_head(headers, len(body)).replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        assert status_of(g.raw(twice + body.encode())) == 400
        nul = post_head(headers, len(body)).replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {token}\0\r\n\r\n".encode())
        assert status_of(g.raw(nul + body.encode())) in (400, 401)
        assert token not in g.text() and "Bearer" not in g.text()


@alone("tokens-by-the-hundred", "MCP07", "tries a hundred tokens one after the other, the right one among the last",
       "429 with Retry-After after twenty, for the right one too; a client that worked from this address before goes on")
def tokens_by_the_hundred(scene):
    config = write_config(scene.folder, {"good": server()}, TOKENS)
    with scene.serving("--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, ANNA)[0] == 200, "ready")
        body, headers = stateless("tools/list")

        def use(token):
            status, told, _ = g.request("POST", "/mcp", body, {**headers, **token})
            assert status != 429 or 1 <= int(told["Retry-After"]) <= 60, told.items()
            return status
        assert use(ANNA) == 200
        statuses = [use({"Authorization": f"Bearer guess{i:015}"}) for i in range(100)]
        assert statuses[:20] == [401] * 20 and statuses.count(429) > 50, statuses
        assert use(ANNA) == 200 and use(BERTA) == 429 and use({}) == 401
        until(lambda: use(BERTA) == 200, "the address may try again")


@alone("sessions-of-others", "MCP07", "uses, ends, resumes and cancels in the session of another token; guesses session ids", "404, as for sessions that do not exist")
def sessions_of_others(scene):
    config = write_config(scene.folder, {"good": server("--tools", 1)}, TOKENS)
    with scene.serving("--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, ANNA)[0] == 200, "ready")
        s = Session(g, headers=ANNA)
        own = s.headers["Mcp-Session-Id"]
        stolen = {**s.headers, **BERTA}
        for method, body in (("POST", json.dumps(PING)), ("GET", None), ("DELETE", None)):
            assert g.request(method, "/mcp", body, stolen)[0] == 404, method
        assert g.request("GET", "/mcp", None, {**stolen, "Last-Event-ID": "1-1"})[0] in (400, 404)
        for guess in ("", "0", "1", own[:-1], own + "0", own.upper() if own.upper() != own else own[::-1], "*", "../" + own, own + "\t", "0" * 32, "x" * 20000):
            status = g.request("POST", "/mcp", json.dumps(PING), {**s.headers, "Mcp-Session-Id": guess})[0]
            assert status in (400, 404) or guess.strip() == own, (guess[:50], status)
        ids = {Session(g, headers=BERTA).headers["Mcp-Session-Id"] for _ in range(50)}
        assert len(ids) == 50 and all(len(i) >= 32 for i in ids), ids
        assert s.call("ping") == {}


@alone("events-of-others", "MCP10", "asks for the events of other sessions and streams with forged ids", "refused; only its own events are replayed")
def events_of_others(scene):
    config = write_config(scene.folder, {"good": server("--tools", 1)}, TOKENS)
    with scene.serving("--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, ANNA)[0] == 200, "ready")
        s, other = Session(g, headers=ANNA), Session(g, headers=BERTA)
        secret = {"name": "tool0", "arguments": {"secret": "s3cret-of-anna", "progress": 3}, "_meta": {"progressToken": "p"}}
        s.post("tools/call", secret)
        for last in ("0-0", "1-0", "1-1", "2-0", "99999999999999999999-1", "-1-0", "1-", "a", "", "1-0,2-0", "x" * 20000, "1-0\tx"):
            status, _, body = (0, None, b"")
            got = g.raw(("GET /mcp HTTP/1.1\r\nHost: localhost\r\n" + "".join(f"{k}: {v}\r\n" for k, v in {**other.headers, "Last-Event-ID": last}.items())
                         + "Connection: close\r\n\r\n").encode())
            assert b"s3cret-of-anna" not in got, (last, got[:500])


@alone("results-of-others", "MCP10", "reads a kept result of another token: by its URI, with ranges and searches, with `read_result`, in either era; guesses ids",
       "the error of a result that does not exist; nothing tells that it does")
def results_of_others(scene):
    config = write_config(scene.folder, {"good": server("--tools", 1)}, {**TOKENS, "results": {"budget": 2000}})
    with scene.serving("--config", config) as g:
        until(lambda: g.request("GET", "/readyz", None, ANNA)[0] == 200, "ready")
        anna, berta = Session(g, headers=ANNA), Session(g, headers=BERTA)
        name = anna.call("tools/list")["tools"][0]["name"]
        own = anna.call("tools/call", {"name": name, "arguments": {"echo": "s3cret-of-anna " * 1000}})["content"][-1]["uri"]
        said = set()
        for uri in (own, "mcptools://result/" + "0" * 32, "mcptools://result/*", own.upper().replace("MCPTOOLS://RESULT", "mcptools://result")):
            for more in ("", "?line=1", "?search=s3cret", "?byte=0&bytes=10", "?path=", "#L1", "/", "?block=1"):
                body, headers = stateless("resources/read", {"uri": uri + more})
                got = [berta.post("resources/read", {"uri": uri + more})[2], g.request("POST", "/mcp", body, {**headers, **BERTA})[2],
                       berta.post("tools/call", {"name": "read_result", "arguments": {"result": uri + more}})[2]]
                assert all(b"s3cret" not in x for x in got), (uri, more, got)
                said.add(tuple(json.dumps(answer(x).get("error") or answer(x).get("result")) for x in got))
        assert len(said) == 1, said  # whether it exists or not
        assert "s3cret-of-anna" in json.dumps(anna.call("resources/read", {"uri": own + "?path=/arguments/echo"}))


@client("state-of-lists-forged", "MCP07", "sends cursors that are forged, of other lists, of other clients", "an error; never items of another list")
def state_of_lists_forged(scene):
    with scene.beside(many=server("--tools", 1500, "--resources", 1500, "--name", "m")) as b:
        s = b.session
        tools, resources = s.call("tools/list")["nextCursor"], s.call("resources/list")["nextCursor"]
        other = Session(b.g)
        forged = [tools[:-1], tools + "A", tools[::-1], tools.swapcase(), "", "0", "-1", "999999999", tools * 100, resources, "AAAAAAAAAAAAAAAA", "\u0000", "é" * 1000]
        for cursor in forged:
            status, _, body = s.post("tools/list", {"cursor": cursor})
            got = answer(body)
            assert "error" in got or "tools" in got["result"], (cursor[:50], got)
            assert "resources" not in got.get("result", {}), cursor[:50]
        status, _, body = other.post("tools/list", {"cursor": tools})
        assert "error" in answer(body) or answer(body)["result"]["tools"], body[:200]
        b.wait()


@client("cancels-of-others", "MCP06", "cancels ids that other clients use", "nobody else's call ends")
def cancels_of_others(scene):
    with scene.beside(slow=server("--tools", 1, "--delay", 500)) as b:
        s, other = Session(b.g), Session(b.g)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            calls = [pool.submit(s.call, "tools/call", {"name": "slow__tool0", "arguments": {"n": n}}, n) for n in range(4)]
            while not all(c.done() for c in calls):
                for n in range(6):
                    other.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": n}})
            assert all(c.result()["structuredContent"] for c in calls)
        b.wait()


@client("answers-for-others", "MCP06", "answers questions that were asked of other clients, by guessed ids", "the answers are dropped")
def answers_for_others(scene):
    with scene.beside() as b:
        other = Session(b.g)
        for n in range(200):
            for id in (n, str(n), f"q{n}"):
                status, _, _ = other.send({"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {}}})
                assert status in (202, 400), status
        b.wait()


@client("notifications-without-end", "LLM10", "sends notifications, changes of the log level and of its roots without end", "others are served")
def notifications_without_end(scene):
    with scene.beside(bad=scene.stdio("quiet")) as b:
        s = Session(b.g, capabilities={"roots": {"listChanged": True}})
        n = 0
        while n < 100 or not b.victim.enough.is_set():
            s.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
            s.post("logging/setLevel", {"level": ("debug", "error")[n & 1]})
            s.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": n, "progress": 1}})
            n += 1


@client("subscriptions-without-end", "LLM10", "subscribes to resources without end", "refused at `limits.subscriptions`; others are served")
def subscriptions_without_end(scene):
    with scene.beside(r=server("--tools", 1, "--name", "r", "--resources", 3, "--subscribe"), settings={"limits": {"subscriptions": 100}}) as b:
        s, refused, n = b.session, 0, 0
        while n < 300 or not b.victim.enough.is_set():
            body = s.post("resources/subscribe", {"uri": f"test://rresource/{n}"})[2]
            refused += b"limits.subscriptions" in body
            n += 1
        assert refused >= 100, refused


# ---- stdio ----

@contextlib.contextmanager
def stdio_client(scene, settings=None):
    config = write_config(scene.folder, {"good": server("--tools", 1)}, settings)
    process = subprocess.Popen([*WRAPPER, MCPTOOLS, "serve", "--stdio", "--config", str(config)], cwd=scene.folder, env=environment(scene.folder),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        process.terminate()
        assert process.wait(LATE_S) in (0, -signal.SIGTERM, -signal.SIGPIPE), process.returncode
        said = process.stderr.read()
        process.stderr.close()
        assert b"Sanitizer" not in said and b"runtime error" not in said, said


@alone("stdio-malformed-lines", "MCP06", "sends the same malformed messages over stdio", "each is answered or ignored; the next request is answered", "stdio client")
def stdio_malformed_lines(scene):
    with stdio_client(scene) as p:
        for number, (what, body) in enumerate(MESSAGES.items(), 1000):
            p.stdin.write(body.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" + b'{"jsonrpc":"2.0","id":"mark-%d","method":"ping"}\n' % number)
            p.stdin.flush()
            for line in p.stdout:
                if b'"mark-%d"' % number in line:
                    break
            else:
                raise AssertionError(f"no answer after {what}")


@alone("stdio-closes-stdout", "LLM10", "closes its end of stdout and goes on asking", "the program ends and leaves no process", "stdio client")
def stdio_closes_stdout(scene):
    with stdio_client(scene) as p:
        p.stdout.close()
        with contextlib.suppress(OSError):
            for n in range(1000):
                p.stdin.write(json.dumps({**PING, "id": n}).encode() + b"\n")
                p.stdin.flush()
        with contextlib.suppress(OSError):
            p.stdin.close()
        p.wait(LATE_S)


@alone("stdio-reads-nothing", "LLM10", "asks for the tools again and again and reads nothing", "memory stays bounded; SIGTERM ends it", "stdio client")
def stdio_reads_nothing(scene):
    with stdio_client(scene, {"limits": {"memory_bytes": 64 * MIB, "message_bytes": MIB}}) as p:
        os.set_blocking(p.stdin.fileno(), False)
        end, data = time.monotonic() + 2, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode() + b"\n"
        while time.monotonic() < end:
            with contextlib.suppress(BlockingIOError):
                os.write(p.stdin.fileno(), data * 100)
        assert instrumented(p) or resident(p) < 160 * MIB, resident(p)
