"""Hostile servers over HTTP: scripts of the raw server in tests/fault/broken.py."""

import contextlib
import functools
import gzip
import json
import socket
import threading
import time

from broken import ANSWER, END, GOOD, HANG, SESSION, SSE, Peer, chunk, events, http, redirect
from row import attack
from scene import MIB, until

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
NOTE = b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}\n\n'
LOG = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"spam"}}\n\n'
QUESTION = b'data: {"jsonrpc":"2.0","id":"q%d","method":"%s","params":{"messages":[],"maxTokens":1,"message":"m","requestedSchema":{"type":"object"}}}\n\n'
SPACES = b" " * 65536


def endless(data, head=b"", chunked=True):
    """The same bytes without end, behind that head."""
    def step(play):
        play.wire.send(head)
        many = chunk(data) if chunked else data
        while True:
            play.wire.send(many)
    return step


def endless_events(data):
    def step(play):
        to, many = play.stream(), chunk(data * max(1, 32768 // len(data)))
        while True:
            to.send(many)
    return step


def drip(head, piece, pause_s=0.05):
    def step(play):
        play.wire.send(head)
        while True:
            play.wire.send(piece)
            time.sleep(pause_s)
    return step


def asks_on(method):
    def step(play):
        to, n = play.stream(), 0
        while True:
            to.send(b"".join(chunk(QUESTION % (n + i, method)) for i in range(100)))
            n += 100
    return step


def body_of(text):
    return b'{"jsonrpc":"2.0","id":@@,"result":{"content":[{"type":"text","text":"%s"}]}}' % text


def bomb(kind, head, end):
    """Packed before the call."""
    packed = functools.cache(lambda: gzip.compress(head + b" " * (64 * MIB) + end, 9))

    def step(play):
        body = packed()
        play.wire.send(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    step.prepare = packed
    return step


class Listener:
    """Somewhere else: counts who connects."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port, self.n = self.socket.getsockname()[1], 0
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                self.socket.accept()[0].close()
                self.n += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def run_peer(scene, steps, expect, dialect=SESSION, at="tools/call", talks=False, again=True, **told):
    """The server is good while the client is measured, then has its script."""
    peer = Peer(dialect, talks=talks)
    for step in steps:
        getattr(step, "prepare", lambda: None)()
    try:
        with scene.beside(peer.config(timeout=2, **told)) as b:
            b.call()
            b.peer, peer.again = peer, again
            peer.script = [(at, steps)]
            expect(b)
    finally:
        peer.stop()


def row(name, owasp, what, outcome, steps, expect, **more):
    @attack(name, owasp, "HTTP server", what, outcome, beside=True)
    def run(scene):
        run_peer(scene, steps, expect, **more)


def fails(*words):
    return lambda b: b.error(*words)


def works(b):
    assert "fine" in json.dumps(b.call()["result"]), b.call()


def is_not(text):
    """The call may work or fail, but never has this text."""
    def check(b):
        for _ in range(3):
            assert text not in json.dumps(b.call())
    return check


LIMITED, LATE = "the call fails at `limits.message_bytes`", "the call ends at its time-out; memory stays bounded"

# ---- endless ----

row("http-body-without-end", "LLM10", "answers with a body that never ends", LIMITED,
    [endless(SPACES, HEAD + b"Transfer-Encoding: chunked\r\n\r\n")], fails("limits.message_bytes"))
row("http-headers-without-end", "LLM10", "sends headers without end", "the call fails at 32 KB of headers",
    [endless(b"X-More: " + b"x" * 1000 + b"\r\n", b"HTTP/1.1 200 OK\r\n", False)], fails("headers of the answer"))
row("http-informational-without-end", "LLM10", "sends `100 Continue` and `103 Early Hints` without end", "the call fails or ends at its time-out",
    [endless(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" * 100, chunked=False)], fails())
row("http-chunk-extension-without-end", "LLM10", "sends a chunk extension without end", "the call fails after 1 MB of it",
    [endless(b"x" * 65536, HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;", False)], fails("no part of an answer"))
row("http-trailers-without-end", "LLM10", "sends trailers without end", "the call fails at 32 KB of trailers",
    [endless(b"X-More: " + b"x" * 1000 + b"\r\n", HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", False)],
    fails("of the answer"))
row("sse-events-without-end", "LLM10", "sends events without end in an answer", LATE, [endless_events(NOTE)], fails("no answer within"))
row("sse-event-without-end", "LLM10", "sends one event that never ends", LIMITED, [endless_events(b"data: " + b"x" * 4000 + b"\n")],
    fails("limits.message_bytes"))
row("sse-line-without-end", "LLM10", "sends a line of an event that never ends", LIMITED, [endless_events(b"data" * 1000)],
    fails("limits.message_bytes"))
row("sse-comments-without-end", "LLM10", "sends comments without end", LATE, [endless_events(b":\n")], fails("no answer within"))
row("sse-logs-without-end", "MCP08", "sends log messages without end", LATE, [endless_events(LOG)], lambda b: b.ends_late())
row("sse-ids-without-end", "LLM10", "sends event ids of 900 KB", LATE, [endless_events(b"id: " + b"i" * 900000 + b"\ndata: {}\n\n")], fails())
row("sse-retry-zero", "LLM10", "ends each stream at once and asks to come back after 0 ms", "five times, then the call fails",
    [events(b"retry: 0\nid: 1\ndata: {}\n\n"), END], fails())
row("sse-retry-years", "LLM10", "asks to come back in years", "the call fails or ends at its time-out",
    [events(b"retry: 99999999999999999999\nid: 1\ndata: {}\n\n"), END], fails())
for _method in ("ping", "sampling/createMessage", "elicitation/create", "roots/list"):
    row(f"sse-{_method.replace('/', '-').lower()}-without-end", "MCP10", f"sends `{_method}` without end, and accepts no answer",
        "1,024 answers are queued, then the call fails", [asks_on(_method.encode())], fails())
row("http-slow-headers", "LLM10", "sends a header line every 50 ms", LATE, [drip(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n")], fails("no answer within"))
row("http-slow-body", "LLM10", "sends a byte of the answer every 50 ms", LATE, [drip(HEAD + b"Content-Length: 9999\r\n\r\n", b" ")],
    fails("no answer within"))
row("http-gzip-bomb", "LLM10", "answers with 64 MB of spaces in 64 KB of gzip", LIMITED,
    [bomb("application/json", b"{", b"}")], fails("limits.message_bytes"))
row("http-gzip-of-nothing", "LLM10", "sends blocks of gzip without content, without end", "the call fails after 1 MB of it",
    [endless(b"\0\0\0\xff\xff" * 13000, HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10], False)], fails("no part of an answer"))
row("http-gzip-bomb-of-events", "LLM10", "sends an event of 64 MB in 64 KB of gzip", LIMITED,
    [bomb("text/event-stream", b"data: {", b"}\n\n")], fails("limits.message_bytes"))

# ---- HTTP that is none, or means two things ----

row("http-length-too-long", "MCP06", "promises more bytes than it sends", "the call fails",
    [HEAD + b"Content-Length: 100000\r\n\r\n" + ANSWER, lambda play: play.wire.close()], fails())
row("http-length-too-short", "MCP06", "sends more bytes than it promised", "the call fails; the rest answers nothing",
    [HEAD + b"Content-Length: 10\r\n\r\n" + ANSWER], fails())
row("http-two-lengths", "MCP06", "sends two different lengths", "the call fails or is answered by its own answer",
    [HEAD + b"Content-Length: 5\r\nContent-Length: 80\r\n\r\n" + body_of(b"smuggled")], lambda b: b.call())
row("http-length-negative", "MCP06", "sends a negative length", "the call fails", [HEAD + b"Content-Length: -1\r\n\r\n" + ANSWER, lambda play: play.wire.close()],
    lambda b: b.call())
row("http-length-and-chunked", "MCP06", "sends a length and chunks", "the call fails or is answered by its own answer",
    [HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", lambda play: play.wire.send(chunk(play.fill(ANSWER)) + b"0\r\n\r\n")],
    lambda b: b.call())
row("http-bad-chunks", "MCP06", "sends chunk sizes that are none", "the call fails",
    [HEAD + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\nffffffffffffffffff\r\n"], fails())


def answers_the_next(play):
    """A second answer, for the request that will come next on this connection."""
    own = play.request.id
    play.wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
    first = play.fill(ANSWER)
    second = body_of(b"smuggled").replace(b"@@", b"%d" % (own + 1))
    play.wire.send(b"Content-Length: %d\r\n\r\n" % len(first) + first + HEAD + b"Content-Length: %d\r\n\r\n" % len(second) + second)


row("http-answer-to-the-next", "MCP06", "sends a second answer on the connection, for the request that will come next",
    "it is not taken for that answer", [answers_the_next], is_not("smuggled"))
row("http-two-preface", "MCP06", "answers with the preface of HTTP/2", "the call fails", [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 100,
    lambda play: play.wire.close()], fails())
row("http-websocket", "MCP06", "switches to WebSocket unasked", "the call fails",
    [b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x05hello", HANG], fails())
row("http-old", "MCP06", "answers without headers, as HTTP/0.9", "the call fails", [body_of(b"smuggled"), lambda play: play.wire.close()], is_not("smuggled"))
row("http-strange-status", "MCP06", "answers with the statuses 000, 999 and -1", "the call fails",
    [b"HTTP/1.1 999 \xff\x1b[2J\r\nContent-Length: 0\r\n\r\n"], fails())

# ---- places ----

METADATA = "http://169.254.169.254/latest/meta-data/"
for _name, _to in (("metadata", METADATA), ("file", "file:///etc/passwd"), ("gopher", "gopher://127.0.0.1:25/_x"),
                   ("decimal-address", "http://2852039166/latest/"), ("credentials", "http://user:pass@127.0.0.1/"),
                   ("javascript", "javascript:alert(1)"), ("escape-sequences", "http://x/\x1b[2J")):
    row(f"redirect-to-{_name}", "MCP07" if _name in ("metadata", "file", "decimal-address", "gopher") else "MCP01",
        f"redirects the call to `{_to}`" if "\x1b" not in _to else "redirects the call to a URL with escape sequences",
        "it is not followed; the call fails", [redirect(307, _to)], lambda b: (b.error(), is_not("\x1b")(b), is_not("root:")(b)))


@attack("redirect-to-other-origin", "MCP01", "HTTP server", "redirects calls with a token to another origin: 301, 302, 303, 307, 308",
        "nothing connects there; the calls fail", beside=True)
def redirect_to_other_origin(scene):
    with Listener() as other:
        def each(b):
            for status in (301, 302, 303, 307, 308):
                b.peer.script = [("tools/call", [redirect(status, other.url + "/mcp")])]
                b.error()
            assert not other.n
        run_peer(scene, [GOOD], each)


@attack("endpoint-at-other-origin", "MCP01", "HTTP server", "gives an endpoint at another origin, over HTTP+SSE", "nothing connects there; the call fails",
        beside=True)
def endpoint_at_other_origin(scene):
    with Listener() as other:
        peer = Peer(SSE, [("GET", [events(f"event: endpoint\ndata: {other.url}/messages\n\n".encode()), HANG])], again=True)
        try:
            with scene.beside() as b:
                from_command(scene, peer, "endpoint")
                b.wait()
            assert not other.n
        finally:
            peer.stop()


def from_command(scene, peer, *words):
    """A command instead of the gateway: servers that attack with the first answer."""
    config = scene.folder / "command.json"
    config.write_text(json.dumps({"mcpServers": {"bad": peer.config(timeout=3)}}))
    config.chmod(0o600)
    done = scene.run("call", "bad.do", "--config", config, "-o", "json", "--timeout", 5)
    assert done.returncode, done.stdout
    for word in words:
        assert word in done.stdout, (word, done.stdout)


# ---- sessions ----

def session_header(value):
    def step(play):
        own = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "b", "version": "1"}}
        body = json.dumps({"jsonrpc": "2.0", "id": play.request.id, "result": own}).encode()
        play.wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: " + value + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return step


def session_row(name, what, value):
    @attack(f"session-id-{name}", "MCP07", "HTTP server", f"gives a session id {what}", "it is not sent back as it is; no header is made of it", beside=True)
    def run(scene):
        peer = Peer(SESSION)
        try:
            with scene.beside(peer.config(timeout=2)) as b:
                b.call()
                peer.again, peer.script = True, [("initialize", [session_header(value)])]
                peer.sessions.clear()
                for _ in range(3):
                    b.call()
                b.wait()
                seen = [r.headers for r in peer.requests]
                assert not any("x-evil" in h for h in seen), seen
                assert all(len(h.get("mcp-session-id", "")) < 40000 for h in seen)
        finally:
            peer.stop()


session_row("with-crlf", "with a bare CR and LF", b"a\rX-Evil: 1\nX-Evil: 2")
session_row("huge", "of 30 KB", b"s" * 30000)
session_row("of-controls", "of control characters and bytes above 127", b"\x01\x1b[2J\xff\xfe")


@attack("session-changes", "MCP07", "HTTP server", "gives another session id with every answer", "the first one counts", beside=True)
def session_changes(scene):
    def other(play):
        play.wire.send(HEAD + b"Mcp-Session-Id: other%d\r\n" % time.monotonic_ns())
        body = play.fill(ANSWER)
        play.wire.send(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    def check(b):
        for _ in range(5):
            assert "fine" in json.dumps(b.call()["result"])
        used = {r.headers.get("mcp-session-id") for r in b.peer.seen("tools/call")}
        assert used == {"1"}, used
    run_peer(scene, [other], check)


row("session-forgotten-for-ever", "LLM10", "says of every session that it does not exist", "one new session for a call, then it fails",
    [http(404, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')], fails("Session not found"))
row("retry-after-for-ever", "LLM10", "answers 429 with `Retry-After: 0` for ever", "a few repetitions, then the call fails",
    [http(429, b"", None, "Retry-After: 0")], lambda b: (b.error(), few(b)))
row("retry-after-years", "LLM10", "answers 503 with `Retry-After: 99999999999`", "the call fails or ends at its time-out",
    [http(503, b"", None, "Retry-After: 99999999999")], fails())
row("cookies", "MCP01", "sets cookies", "none is sent back", [http(200, ANSWER, "application/json", "Set-Cookie: a=b; Path=/")],
    lambda b: (works(b), works(b), no_cookies(b)))
row("http-header-of-megabytes", "LLM10", "sends one header of 200 KB", "the call fails at 32 KB of headers",
    [b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200000 + b"\r\nContent-Length: 0\r\n\r\n", HANG], fails("headers of the answer"))
row("content-type-with-escape-sequences", "MCP05", "puts escape sequences into Content-Type and error pages", "they are harmless in messages",
    [http(500, b"<h1>\x1b]0;x\x07\xc2\x9b31m oops", "text/\x1b[31mhtml")], lambda b: (b.error(), is_not("\\u001b[31m")(b)))
row("answers-of-others", "MCP06", "answers the ids of other requests in the stream of a call", "only the answer with its own id counts",
    [events(b"".join(b'data: {"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"wrong"}]}}\n\n' % i for i in range(100, 400))
            + b"data: " + ANSWER + b"\n\n"), END], lambda b: (is_not("wrong")(b), works(b)))
row("get-stream-without-end", "LLM10", "never pauses on the GET stream", "calls are answered or end at their time-out", [endless_events(NOTE)],
    lambda b: b.call(), at="GET", talks=True)


def few(b):
    n = len(b.peer.seen("tools/call"))
    assert n <= 6, n


def no_cookies(b):
    assert not any("cookie" in r.headers for r in b.peer.requests)


@attack("answers-not-accepted", "LLM10", "HTTP server", "asks 500 questions in a call and never accepts an answer",
        "few connections; the rest waits in a queue; the descriptors come back", beside=True)
def answers_not_accepted(scene):
    def ask(play):
        to = play.stream()
        to.send(b"".join(chunk(QUESTION % (i, b"ping")) for i in range(500)))
        HANG(play)
    peer = Peer(SESSION)
    try:
        with scene.beside(peer.config(timeout=2)) as b:
            b.call()
            peer.again, peer.script = True, [("answer", [HANG]), ("tools/call", [ask])]
            b.error("no answer within")
            n = len(peer.seen("answer"))
            assert 0 < n <= 32, n
            b.wait()
            scene.more_fds = 32  # until MCT_HTTP_NOTICE_MS
    finally:
        peer.stop()


@attack("calls-cancelled", "LLM10", "HTTP server", "is slow to take notifications while clients give up calls", "few connections; others are served",
        beside=True)
def calls_cancelled(scene):
    peer = Peer(SESSION)
    try:
        with scene.beside(peer.config(timeout=1)) as b:
            b.call()
            peer.again, peer.script = True, [("notifications/cancelled", [HANG]), ("tools/call", [HANG])]
            threads = [threading.Thread(target=b.error, kwargs={"session": s}) for s in [b.new_session() for _ in range(scene.scaled(20, 60))]]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            assert len(peer.seen("notifications/cancelled")) <= 32
            scene.more_fds = 32
    finally:
        peer.stop()


@attack("schema-remote", "MCP07", "stdio server", "has schemas with `$ref`, `$schema` and `$id` at other places and files", "nothing is fetched", beside=True)
def schema_remote(scene):
    with Listener() as other:
        with scene.beside(scene.stdio("schema-remote", other.url)) as b:
            b.unleash()
            b.until_attacked()
            until(lambda: "error" not in b.call(), "it is there again")
            b.call(arguments={"x": {"y": 1}})
            done = scene.run("schema", "--for", "openai", "--config", scene.folder / "mcptools.json", "bad")
            assert "root:" not in done.stdout + done.stderr
        assert not other.n
