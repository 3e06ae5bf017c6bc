"""The fault table: what the client side makes of HTTP servers that are broken, and that nobody else notices.

Runs the rows of rows.py, and what takes more than a row: certificates, many calls at once, a terminal, memory, neighbours.
"""

import concurrent.futures
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))

# pylint: disable=wrong-import-position
from broken import (ANSWER, AUTO, CLOSE, END, RESET, RESULT, SESSION, SSE, TOOL, Gone, Peer, certificate, chunk, events, forget,
                    http)
from harness import (MCPTOOLS, WRAPPER, Session, answer, environment, gateway, main, run, server, test, until,
                     write_config)
from rows import ALL, DATA, HEAD, HTML, SMALL, STREAMABLE, TABLE, UNTOLD, arrived, paused

STATUS = {"auth": 3, "connect": 4, "protocol": 4, "server_error": 5, "limit": 5, "timeout": 6}


# ---- running a row ----

def call(folder, peer, timeout=20, settings=None, env=None, arguments=(), told=None):
    config = write_config(folder, {"t": peer.config(**(told or {}))}, settings)
    return run(folder, "call", "t.do", "--config", config, "-o", "json", "--timeout", timeout, *arguments, env=env)


def verify(done, kind, says):
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    shown = json.loads(done.stdout)
    if not kind:
        assert (done.returncode, shown) == (0, RESULT), done
        return
    error = shown.get("error") or {}
    assert (done.returncode, error.get("kind"), error.get("server")) == (STATUS[kind], kind, "t"), done
    for text in says:
        assert text in error["message"], (text, error["message"])


def run_row(row, dialect, folder):
    peer = row.peer(dialect)
    try:
        verify(call(folder, peer, row.timeout, row.settings, arguments=row.arguments, told=row.told), row.kind, row.says)
        if row.check:
            row.check(peer)
        assert len(peer.seen("tools/call")) == row.calls, [(r.verb, r.method) for r in peer.requests]
        assert all(r.headers.get("authorization") == "Bearer s3cret" for r in peer.requests), [r.headers for r in peer.requests]
    finally:
        peer.stop()


def in_a_folder(row, dialect):
    with tempfile.TemporaryDirectory(prefix="mcptools-test-") as folder:
        run_row(row, dialect, pathlib.Path(folder))


def add_test(name, function):
    function.__name__ = name.replace(" ", "_").replace(",", "").replace("+", "_")
    test(function)
    return function.__name__


def add_row(row, dialect):
    """Rows that do little but wait wait side by side, from the beginning."""
    name = add_test(f"{row.name} {dialect}", lambda folder: early[name].result() if name in early else run_row(row, dialect, folder))
    if (row.timeout < 20 or row.check is paused) and row.settings is None and (name in sys.argv[1:] or not sys.argv[1:]):
        early[name] = POOL.submit(in_a_folder, row, dialect)


POOL, early = concurrent.futures.ThreadPoolExecutor(6), {}
for _row in TABLE:
    for _dialect in _row.dialects:
        add_row(_row, _dialect)


# ---- TLS ----

def run_tls(folder, dialect, host, trusted, kind, *says):
    pem, context = certificate(folder, host)
    peer = Peer(dialect, tls=context)
    try:
        verify(call(folder, peer, env={"SSL_CERT_FILE": pem} if trusted else None), kind, says)
        assert bool(peer.requests) == (not kind), "credentials only where the certificate is good"
    finally:
        peer.stop()


CERTIFICATES = [
    ("self-signed certificate", "IP:127.0.0.1", False, "connect", "TLS:", "self-signed certificate", "SSL_CERT_FILE"),
    ("self-signed certificate that is trusted", "IP:127.0.0.1", True, ""),
    ("certificate of another host", "DNS:example.com", True, "connect", "TLS:", "127.0.0.1"),
]
for _name, *_rest in CERTIFICATES:
    for _dialect in ALL:
        add_test(f"{_name} {_dialect}", lambda folder, d=_dialect, r=_rest: run_tls(folder, d, *r))


@test
def tls_server_that_is_none(folder):
    for dialect in ALL:
        for steps in ([b"HTTP/1.1 400 Bad Request\r\n\r\n", CLOSE], [b"\x15\x03\x01\x00\x02\x02\x28", CLOSE], [CLOSE]):
            with_tls = Raw(steps)
            peer = Peer(dialect)
            try:
                config = write_config(folder, {"t": {**peer.config(), "url": f"https://127.0.0.1:{with_tls.port}/mcp"}})
                verify(run(folder, "call", "t.do", "--config", config, "-o", "json"), "connect", ["TLS: "])
            finally:
                with_tls.stop()
                peer.stop()


class Raw(Peer):
    """Says its bytes as soon as something comes."""

    def __init__(self, steps):
        self.steps = steps
        super().__init__(SESSION)

    def _serve(self, sock):
        sock.recv(65536)
        for step in self.steps:
            if isinstance(step, bytes):
                sock.sendall(step)
        sock.close()


@test
def http_to_a_tls_server(folder):
    _, context = certificate(folder, "IP:127.0.0.1")
    for dialect in ALL:
        peer = Peer(dialect, tls=context)
        peer.url = peer.url.replace("https", "http")
        try:
            verify(call(folder, peer), "connect", [])
            assert not peer.requests
        finally:
            peer.stop()


# ---- nobody there ----

@test
def connection_refused(folder):
    for dialect in ALL:
        peer = Peer(dialect)
        peer.stop()
        verify(call(folder, peer), "connect", ["127.0.0.1", str(peer.port), "onnect"])


@test
def connection_refused_later(folder):
    """The server goes away between the list and the call."""
    for dialect in STREAMABLE:
        def leave(play):
            play.peer.listener.shutdown(socket.SHUT_RDWR)
            play.peer.listener.close()
            http(200, b'{"jsonrpc":"2.0","id":@@,"result":{"tools":[%s]}}' % json.dumps(TOOL).encode(), "application/json",
                 "Connection: close")(play)
        peer = Peer(dialect, [("tools/list", [leave])])
        try:
            verify(call(folder, peer), "connect", [str(peer.port)])
        finally:
            peer.stop()


# ---- a stream cut at every byte ----

@test
def every_cut_of_an_answer(folder):
    """The n-th call's answer comes in two parts, cut behind its n-th byte; each call gets its own."""
    text = b'id: 1\rdata: {"jsonrpc":"2.0","id":@@,\r\ndata: "result":{"content":[],"n":@n,"t":"\xc3\xa9\xf0\x9f\x98\x80"}}\n\r\n'
    numbers = iter(range(10000))

    def halves(play):
        n = next(numbers)
        whole = play.fill(text.replace(b"@n", b"%d" % n))
        to, at = play.stream(), n % len(whole)
        to.send(b"".join(chunk(part) for part in (whole[:at], whole[at:]) if part))

    for dialect in ALL:
        numbers = iter(range(10000))
        peer = Peer(dialect, [("tools/call", [halves] if dialect == SSE else [halves, END])], again=True)
        try:
            with gateway(folder, "--config", write_config(folder, {"t": peer.config()})) as g:
                s = Session(g.wait_ready())
                for n in range(len(text) + 4):
                    result = s.call("tools/call", {"name": "do", "arguments": {}})
                    assert (result["n"], result["t"]) == (n, "é😀"), (dialect, n, result)
        finally:
            peer.stop()


# ---- many calls ----

def texts(result):
    return [c["text"] for c in result["content"]]


@test
def doubled_and_unknown_answers_reach_nobody(folder):
    """Every answer comes with answers to other calls around it, those before it among them."""
    def noisy(play):
        own = play.request.id
        one = lambda id, text: b'data: {"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}\n\n' % (id, text)
        numbers = [own - 1, own + 1, own + 2, 4711]
        around = b"".join(one(n, b"not yours") for n in numbers)
        events(around + one(own, b"%d" % play.request.message["params"]["arguments"]["n"]) + one(own, b"twice") + around)(play)
        if play.peer.dialect != SSE:
            END(play)

    for dialect in ALL:
        peer = Peer(dialect, [("tools/call", [noisy])], again=True)
        try:
            with gateway(folder, "--config", write_config(folder, {"t": peer.config()})) as g:
                s = Session(g.wait_ready())
                for n in range(30):
                    assert texts(s.call("tools/call", {"name": "do", "arguments": {"n": n}})) == [str(n)], (dialect, n)
        finally:
            peer.stop()


@test
def session_forgotten_with_many_calls_in_flight(folder):
    """One new session for all of them, and every call arrives on it once."""
    many = 8

    def all_here(play):
        until(lambda: len(play.peer.seen("tools/call")) >= many, "all calls have arrived")

    peer = Peer(SESSION, [("tools/call", [all_here, forget(404)])] * many)
    try:
        with gateway(folder, "--config", write_config(folder, {"t": peer.config()})) as g:
            s = Session(g.wait_ready())
            with concurrent.futures.ThreadPoolExecutor(many) as pool:
                bodies = list(pool.map(lambda n: s.post("tools/call", {"name": "do", "arguments": {"n": n}}, n)[2], range(many)))
            assert [answer(b).get("result") for b in bodies] == [RESULT] * many, bodies
        assert peer.n_sessions == 2, peer.n_sessions
        arrived = sorted((r.headers["mcp-session-id"], r.message["params"]["arguments"]["n"]) for r in peer.seen("tools/call"))
        assert arrived == [(session, n) for session in "12" for n in range(many)], arrived
    finally:
        peer.stop()


@test
def one_broken_answer_takes_no_other_along(folder):
    """Requests over HTTP are independent: while one waits, another's answer breaks off, or never begins."""
    def first_or_second(play):
        if play.request.message["params"]["arguments"]["n"] == 2:
            play.do(breaks)
        if not broken.wait(10):
            raise Gone
        http(200, ANSWER)(play)

    ways = ([HEAD + b"Content-Length: 100\r\n\r\n{", CLOSE], [RESET])
    for dialect, breaks in ((d, w) for d in STREAMABLE for w in ways):
        broken = threading.Event()
        peer = Peer(dialect, [("tools/call", [first_or_second])], again=True)
        try:
            with (gateway(folder, "--config", write_config(folder, {"t": peer.config()})) as g,
                  concurrent.futures.ThreadPoolExecutor(1) as pool):
                s = Session(g.wait_ready())
                waiting = pool.submit(s.post, "tools/call", {"name": "do", "arguments": {"n": 1}}, 1)
                until(lambda: peer.seen("tools/call"), "the first call has arrived")
                assert "error" in answer(s.post("tools/call", {"name": "do", "arguments": {"n": 2}}, 2)[2])
                broken.set()
                message = answer(waiting.result()[2])
                assert message.get("result") == RESULT, (dialect, message)
                assert len(peer.seen("tools/call")) == 2
        finally:
            broken.set()
            peer.stop()


@test
def the_stream_of_http_sse_is_opened_again(folder):
    peer = Peer(SSE, [("tools/call", [events(DATA[:30]), END])])
    try:
        with gateway(folder, "--config", write_config(folder, {"t": peer.config()})) as g:
            s = Session(g.wait_ready())
            assert "error" in answer(s.post("tools/call", {"name": "do", "arguments": {}})[2])
            until(lambda: "result" in answer(s.post("tools/call", {"name": "do", "arguments": {}})[2]), "it is back")
            assert len(peer.seen("GET")) == len(peer.seen("initialize")) == 2
    finally:
        peer.stop()


# ---- what was remembered ----

@test
def a_server_that_has_learned_another_transport(folder):
    """What was found out at the first time is dropped when it does not hold any more."""
    peer = Peer(SSE)
    try:
        verify(call(folder, peer, told=UNTOLD), "", [])
        n = len(peer.requests)
        assert peer.seen("GET") and peer.requests[0].method == "server/discover"
        peer.dialect = AUTO
        verify(call(folder, peer, told=UNTOLD), "", [])
        assert peer.requests[n].verb == "GET", "nothing was remembered"
        n = len(peer.requests)
        verify(call(folder, peer, told=UNTOLD), "", [])
        assert peer.requests[n].verb == "POST", "nothing was learned"
        assert len(peer.seen("tools/call")) == 3
    finally:
        peer.stop()


# ---- a terminal ----

TERMINAL = pathlib.Path(__file__).resolve().parent.parent / "interop" / "terminal.py"
EVIL = "be\u009b31mg\u202ein\x1b]0;x\x07n\u2066er"
QUOTED = json.dumps(EVIL).encode()
EVIL_ANSWER = ANSWER.replace(b'"fine"', QUOTED)
EVIL_QUESTION = (b'data: {"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":@@,"requestedSchema":'
                 b'{"type":"object","properties":{"a":{"type":"string","title":@@,"description":@@,"enum":[@@]}}}}}\n\n'
                 ).replace(b"@@", QUOTED)

ON_A_TERMINAL = [  # what the call is answered with; what is typed when; what must be seen, so that we know it was shown
    ("a content type", STREAMABLE, [http(200, HTML, "text/x-" + EVIL)], [], "text/x-be"),
    ("a page", STREAMABLE, [http(500, EVIL.encode(), "text/html")], [], "HTTP 500"),
    ("an error", STREAMABLE, [http(200, b'{"jsonrpc":"2.0","id":@@,"error":{"code":1,"message":%s}}' % QUOTED)], [], "code 1"),
    ("a text", STREAMABLE, [http(200, EVIL_ANSWER)], [], "be"),
    ("a question", (SESSION,), [events(EVIL_QUESTION), arrived("answer"), events(b"data: " + EVIL_ANSWER + b"\n\n"), END],
     [["answer?", "y\n"], ["1) be", "1\n"]], "be"),
]


def is_command(c):
    return c not in "\n\r\t" and unicodedata.category(c) in ("Cc", "Cf") or c == "\ufffd"


def run_on_a_terminal(folder, dialect, steps, typed, seen):
    peer = Peer(dialect, [("tools/call", steps)], again=True)
    try:
        config = write_config(folder, {"t": peer.config()})
        done = subprocess.run([sys.executable, TERMINAL, json.dumps(typed), *WRAPPER, MCPTOOLS, "call", "t.do", "--config", config],
                              cwd=folder, env={**environment(folder), "TERM": "dumb"}, capture_output=True, check=False)
        screen = done.stdout.decode(errors="replace")
        assert not done.stderr and "Sanitizer" not in screen and "runtime error" not in screen, (done.stderr, screen)
        assert seen in screen and not [c for c in screen if is_command(c)], screen
        assert len(peer.seen("tools/call")) == 1 and len(peer.seen("answer")) == bool(typed)
    finally:
        peer.stop()


for _name, _dialects, *_rest in ON_A_TERMINAL:
    for _dialect in _dialects:
        add_test(f"{_name} commands no terminal {_dialect}", lambda folder, d=_dialect, r=_rest: run_on_a_terminal(folder, d, *r))


# ---- memory ----

def peak_kib(g):
    status = pathlib.Path(f"/proc/{g.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))


@test
def too_much_costs_little_memory(folder):
    """What comes is 64 MiB each time; what it may cost is a few messages of 1 MiB."""
    wrong = {}
    for row in (r for r in TABLE if r.settings is SMALL):
        for dialect in row.dialects:
            good, peer = Peer(dialect), row.peer(dialect)
            config = write_config(folder, {"good": good.config(), "t": peer.config(timeout=2)}, SMALL)
            try:
                with gateway(folder, "--config", config) as g:
                    s = Session(g.wait_ready())
                    s.call("tools/call", {"name": "good__do", "arguments": {}})
                    before = peak_kib(g)
                    s.post("tools/call", {"name": "t__do", "arguments": {}})
                    cost = peak_kib(g) - before
                    if cost > 16 << 10:
                        wrong[f"{row.name}, {dialect}"] = f"{cost} KiB"
            finally:
                good.stop()
                peer.stop()
    assert not wrong, wrong


# ---- the others do not notice ----

def run_beside_a_good_server(row, dialect, folder):
    peer = row.peer(dialect)
    settings = {"limits": {**(row.settings or {}).get("limits", {}), "list_wait_s": 1, "start_timeout_s": 1}}
    config = write_config(folder, {"good": server("--tools", 2), "bad": peer.config(timeout=1)}, settings)
    arguments = {"n": 1}

    def ask_good(s, number):
        for n in range(number):
            result = s.call("tools/call", {"name": "good__tool0", "arguments": arguments}, id=n + 10)
            assert result["structuredContent"]["arguments"] == arguments, result

    try:
        with gateway(folder, "--config", config) as g, concurrent.futures.ThreadPoolExecutor(1) as beside:
            s = Session(g)
            until(lambda: b'"good","state":"connected"' in g.request("GET", "/readyz")[2], "the good one is connected")
            if row.calls:
                until(lambda: b'"bad","state":"connected"' in g.request("GET", "/readyz")[2], "the broken one is connected")
            else:
                until(lambda: peer.n_connections, "the broken one was asked")
            for _ in range(2):
                broken = beside.submit(s.post, "tools/call", {"name": "bad__do", "arguments": {}}, "b")
                ask_good(s, 20)
                status, _, body = broken.result()
                assert status == 200 and answer(body)["id"] == "b", (status, body)
                names = [t["name"] for t in s.call("tools/list")["tools"]]
                assert names[:2] == ["good__tool0", "good__tool1"], names
            ask_good(s, 1)
            assert len(peer.seen("tools/call")) >= row.calls
    finally:
        peer.stop()


for _row in TABLE:
    if _row.neighbour:
        add_test(f"beside {_row.name}", lambda folder, r=_row: run_beside_a_good_server(r, r.dialects[0], folder))


if __name__ == "__main__":
    main()
