"""HTTP MCP servers that go wrong on purpose: raw sockets, one thread per connection, standard library only.

A `Peer` is a good server of one dialect - SESSION (Streamable HTTP with initialize), STATELESS (2026-07-28), SSE
(HTTP+SSE) or AUTO (SESSION, and the client is told the URL only) - until a request comes to a *point* of its script,
where it does the *steps* written there instead; one that `talks` announces changes of its tools, one with `resources` has
two, on a page each:

    Peer(SESSION, [("tools/call", [b"HTTP/1.1 200 OK\\r\\n", CLOSE])])

Points: a JSON-RPC method, "answer" (to a question of the server), "GET", a path ("/mcp") or "any". Every entry of the
script is used once, in order, or for ever where `again` is set. A step is bytes (sent as they are) or a function of the
`Play`. In all that is sent, "@@" stands for the id of the request.
"""

import atexit
import contextlib
import gzip
import json
import os
import pathlib
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time

SESSION, STATELESS, SSE, AUTO = "session", "stateless", "sse", "auto"
TOOL = {"name": "do", "inputSchema": {"type": "object"}}
RESULT = {"content": [{"type": "text", "text": "fine"}]}
NO_SESSION = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'
ANSWER = b'{"jsonrpc":"2.0","id":@@,"result":{"content":[{"type":"text","text":"fine"}]}}'


class Gone(Exception):
    """The client, or the test, is."""


class Wire:
    """One connection."""

    def __init__(self, sock):
        self.sock, self.chunked, self.rest = sock, False, b""
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        try:
            self.sock.sendall(data)
        except OSError:
            raise Gone from None

    def _more(self):
        try:
            data = self.sock.recv(65536)
        except OSError:
            raise Gone from None
        if not data:
            raise Gone
        self.rest += data

    def read_request(self):
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines)}
        length = int(headers.get("content-length", 0))
        while len(self.rest) < length:
            self._more()
        body, self.rest = self.rest[:length], self.rest[length:]
        return Request(*first.split(" ")[:2], headers, json.loads(body) if body else {})

    def wait_until_gone(self):
        with contextlib.suppress(Gone):
            while True:
                self._more()
        raise Gone

    def close(self):
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)
        self.sock.close()


class Request:
    def __init__(self, verb, path, headers, message):
        self.verb, self.path, self.headers, self.message = verb, path, headers, message
        self.method = message.get("method", "answer" if message else "")
        self.id = message.get("id") if "method" in message else None
        self.at = time.monotonic()

    def is_at(self, point):
        return point in ("any", self.verb, self.path, self.method)


class Play:
    """A request the script has something for, and where its steps write to."""

    def __init__(self, peer, wire, request):
        self.peer, self.wire, self.request, self.to, self.streams = peer, wire, request, wire, False
        if request.id is not None:
            peer.last_id = request.id

    def fill(self, data):
        own = self.request.id if self.request.id is not None else self.peer.last_id
        return data.replace(b"@@", str(own).encode())

    def do(self, steps):
        for step in steps:
            if callable(step):
                step(self)
            else:
                self.to.send(self.fill(step))

    def stream(self):
        """Where events go: the answer to the request, or the one stream of HTTP+SSE."""
        if not self.streams and self.peer.dialect == SSE:
            if self.request.verb == "POST":
                self.wire.send(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
                self.to = self.peer.stream
            else:
                self.peer.open_stream(self.wire)
        elif not self.streams:
            self.wire.send(STREAM_HEAD)
        self.streams = True
        return self.to


STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


# ---- steps ----

def http(status, body=b"", kind="application/json", *headers, coding=None):
    """A whole answer."""
    def step(play):
        data = play.fill(body)
        lines = [f"HTTP/1.1 {status} Some Words", *headers]
        if kind:
            lines.append(f"Content-Type: {kind}")
        if coding:
            data = gzip.compress(data)
            lines.append(f"Content-Encoding: {coding}")
        lines.append(f"Content-Length: {len(data)}")
        play.wire.send("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
    return step


def events(data, size=None):
    """Bytes of an event stream, in chunks of `size`."""
    def step(play):
        text, to = play.fill(data), play.stream()
        n = size or len(text)
        to.send(b"".join(chunk(text[i:i + n]) for i in range(0, len(text), n)))
    return step


def flood(data, times):
    """The same bytes again and again, raw."""
    def step(play):
        for _ in range(times):
            play.to.send(data)
    return step


def redirect(status, to):
    """`to` is a path, or a function of the peer."""
    def step(play):
        where = to(play.peer) if callable(to) else to
        http(status, b"elsewhere", "text/plain", f"Location: {where}")(play)
    return step


def forget(status, body=NO_SESSION):
    """The session of the request is forgotten, and the answer says so."""
    def step(play):
        play.peer.sessions.discard(play.request.headers.get("mcp-session-id"))
        http(status, body)(play)
    return step


def by_turn(point, *turns):
    """The steps for the first request at the point, for the second, …; the last ones for ever."""
    def step(play):
        play.do(turns[min(len(play.peer.seen(point)), len(turns)) - 1])
    return step


def GOOD(play):  # pylint: disable=invalid-name
    """As if nothing were broken."""
    play.peer.answer(play)


def END(play):  # pylint: disable=invalid-name
    """The event stream ends as it should."""
    play.to.send(b"0\r\n\r\n")


def CLOSE(play):  # pylint: disable=invalid-name
    play.to.close()
    raise Gone


def RESET(play):  # pylint: disable=invalid-name
    """CLOSE, and what is on its way is lost."""
    play.to.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    play.to.sock.close()
    raise Gone


def SHUT(play):  # pylint: disable=invalid-name
    """The server has nothing more to say, and goes on listening."""
    with contextlib.suppress(OSError):
        play.to.sock.shutdown(socket.SHUT_WR)
    play.to.wait_until_gone()


def HANG(play):  # pylint: disable=invalid-name
    play.to.wait_until_gone()


# ---- the server ----

BY_LIBCURL = "BY_LIBCURL" in os.environ  # with a URL that the gateway's own client leaves to libcurl
BY_TLS = "BY_TLS" in os.environ  # libcurl makes the first request only


def certificate(folder, host):
    """A self-signed certificate of the host, and what a server needs of it."""
    pem, key = pathlib.Path(folder) / "cert.pem", pathlib.Path(folder) / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    f"/CN={host}", "-addext", f"subjectAltName={host}", "-keyout", key, "-out", pem], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key)
    return str(pem), context


def trusted_tls():
    """TLS with a certificate that all programs started from here on trust."""
    folder = tempfile.TemporaryDirectory(prefix="mcptools-test-")
    atexit.register(folder.cleanup)
    os.environ["SSL_CERT_FILE"], context = certificate(folder.name, "IP:127.0.0.1")
    return context


TLS = trusted_tls() if BY_TLS else None


class Peer:
    def __init__(self, dialect, script=(), again=False, tls=None, host="127.0.0.1", talks=False, resources=False):
        tls = tls or TLS
        self.dialect, self.script, self.again, self.tls, self.talks = dialect, list(script), again, tls, talks
        self.resources = resources
        self.requests, self.sessions, self.last_id = [], set(), None
        self.n_connections = self.n_sessions = 0
        self.stream = self._other = None
        self.lock, self.wires = threading.Lock(), []
        self.listener = socket.create_server((host, 0))
        self.port = self.listener.getsockname()[1]
        told = "127.1" if BY_LIBCURL and not tls else host
        self.url = f"{'https' if tls else 'http'}://{told}:{self.port}/{'sse' if dialect == SSE else 'mcp'}"
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def other(self):
        """A good server at another origin."""
        if not self._other:
            self._other = Peer(self.dialect)
        return self._other

    def config(self, **more):
        """What the client is told; None: it is not."""
        told = {SESSION: {"type": "streamable-http", "protocol": "2025-11-25"}, SSE: {"type": "sse"},
                STATELESS: {"type": "streamable-http", "protocol": "2026-07-28"}, AUTO: {}}[self.dialect]
        told = {"url": self.url, "auth": {"type": "bearer", "token": "s3cret"}, **told, **more}
        return {key: value for key, value in told.items() if value is not None}

    def seen(self, point):
        with self.lock:
            return [r for r in self.requests if r.is_at(point)]

    def stop(self):
        if self._other:
            self._other.stop()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            wires = list(self.wires)
        for wire in wires:
            wire.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                sock = self.listener.accept()[0]
                threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock):
        with self.lock:
            self.n_connections += 1
        wire = None
        try:
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_side=True)
            wire = Wire(sock)
            with self.lock:
                self.wires.append(wire)
            while True:
                request = wire.read_request()
                steps = self._steps_for(request)
                play = Play(self, wire, request)
                if steps is None:
                    self.answer(play)
                else:
                    play.do(steps)
        except (Gone, OSError, ssl.SSLError):
            if wire:
                wire.close()
            else:
                sock.close()

    def _steps_for(self, request):
        with self.lock:
            self.requests.append(request)
            for at, (point, steps) in enumerate(self.script):
                if request.is_at(point):
                    if not self.again:
                        del self.script[at]
                    return steps
                if not self.again:
                    return None
        return None

    # ---- how a good one answers ----

    def open_stream(self, wire):
        self.stream = wire
        wire.send(STREAM_HEAD)

    def answer(self, play):
        request, own = play.request, self.dialect
        if own == SSE and request.verb == "GET":
            self.open_stream(play.wire)
            play.wire.send(chunk(b"event: endpoint\ndata: /messages?session=1\n\n"))
        elif request.verb != "POST":
            http(405 if request.verb == "GET" else 200)(play)
        elif own == SSE and not self.stream:
            http(405)(play)
        elif own in (SESSION, AUTO) and not self._is_of_a_session(play):
            pass
        elif request.id is None:
            http(202, kind=None)(play)
        else:
            body = json.dumps({"jsonrpc": "2.0", "id": request.id, **self._outcome(request)}).encode()
            if own == SSE:
                events(b"event: message\ndata: %s\n\n" % body)(play)
            elif own != STATELESS and request.method == "initialize":
                http(200, body, "application/json", f"Mcp-Session-Id: {self.n_sessions}")(play)
            else:
                http(200, body)(play)

    def _is_of_a_session(self, play):
        given = play.request.headers.get("mcp-session-id")
        if play.request.method == "initialize":
            self.n_sessions += 1
            self.sessions.add(str(self.n_sessions))
        elif given not in self.sessions:
            http(404 if given else 400, NO_SESSION)(play)
            return False
        return True

    def _outcome(self, request):
        own = {"capabilities": {"tools": {"listChanged": self.talks}}, "serverInfo": {"name": "broken", "version": "1"}}
        results = {"tools/list": {"tools": [TOOL]}, "tools/call": RESULT, "ping": {}}
        if self.resources:
            own["capabilities"]["resources"] = {}
            second = request.message.get("params", {}).get("cursor")
            page = {"resources": [{"uri": f"x://{2 if second else 1}", "name": "r"}]}
            results.update({"resources/list": page if second else {**page, "nextCursor": "2"},
                            "resources/templates/list": {"resourceTemplates": []},
                            "resources/read": {"contents": [{"uri": "x://1", "text": "fine"}]}})
        if self.dialect == STATELESS:
            results["server/discover"] = {**own, "supportedVersions": ["2026-07-28"]}
        else:
            results["initialize"] = {**own, "protocolVersion": request.message.get("params", {}).get("protocolVersion")}
        result = results.get(request.method)
        return {"result": result} if result else {"error": {"code": -32601, "message": "Method not found"}}
