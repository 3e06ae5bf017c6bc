"""Peers that never pause: the program still answers others, keeps its time-outs, obeys signals, and does not grow.

Every row is a server that writes without end. The bound on time is one that only a program which is kept from its work
exceeds.
"""

import concurrent.futures
import json
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))

# pylint: disable=wrong-import-position
from broken import ANSWER, END, RESULT, SESSION, SSE, STATELESS, Peer, chunk, http
from harness import MCPTOOLS, PATIENCE_S, WRAPPER, Session, answer, environment, events, gateway, main, run, server, test, until, write_config

LATE_S = PATIENCE_S  # by then a time-out has fired, a limit is reached, a signal has been obeyed
TIMEOUTS_S = {"timeout": 2, "limit": LATE_S}  # of a call at the server that floods, by how it ends
GROWTH_KIB = 200 << 10
NOTHING = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}'

# A stdio server that floods as soon as it is called, in any language.
STDIO = r"""
import json, sys
note = sys.argv[1] + "\n"
for line in sys.stdin:
    m = json.loads(line)
    own = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "f", "version": "1"}}
    results = {"initialize": own, "tools/list": {"tools": [{"name": "do", "inputSchema": {"type": "object"}}]}}
    if m.get("method") == "tools/call":
        while True:
            sys.stdout.write(note * 1000)
    if "id" in m:
        answer = {"result": results[m["method"]]} if m["method"] in results else {"error": {"code": -32601, "message": "?"}}
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **answer}), flush=True)
"""


def endless(data, head=None):
    """The same again and again, as events or behind that head."""
    def step(play):
        many = chunk(data * 1000)
        if head:
            play.wire.send(head)
        to = play.wire if head else play.stream()
        while True:
            to.send(many)
    return step


def hang(play):
    play.wire.wait_until_gone()


EVENT = b"data: " + NOTHING + b"\n\n"
JSON_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

ROWS = [  # name, dialect, script, kind of the call's error
    ("GET stream", SESSION, [("GET", [endless(EVENT)]), ("tools/call", [hang])], "timeout"),
    ("answer of a call", SESSION, [("tools/call", [endless(EVENT)])], "timeout"),
    ("answer of a stateless call", STATELESS, [("tools/call", [endless(EVENT)])], "timeout"),
    ("comments", SESSION, [("tools/call", [endless(b":\n")])], "timeout"),
    ("one event", SESSION, [("tools/call", [endless(b"data: " + b"x" * 4000 + b"\n")])], "limit"),
    ("JSON answer", SESSION, [("tools/call", [endless(b" " * 100, JSON_HEAD)])], "limit"),
    ("HTTP+SSE", SSE, [("tools/call", [endless(EVENT)])], "timeout"),
    ("stdio", None, [], "timeout"),
]


def flooder(dialect, script):
    """(configuration entry, peer or None)"""
    if dialect is None:
        return {"command": sys.executable, "args": ["-c", STDIO, NOTHING.decode()], "protocol": "legacy"}, None
    peer = Peer(dialect, script, again=True, talks=True)
    return peer.config(), peer


def rss_kib(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def ends(process, signal_number):
    """Seconds until the process has obeyed."""
    begin = time.monotonic()
    process.send_signal(signal_number)
    process.wait(LATE_S)
    return time.monotonic() - begin


def run_gateway(folder, dialect, script, kind):
    told, peer = flooder(dialect, script)
    config = write_config(folder, {"good": server(), "bad": {**told, "timeout": TIMEOUTS_S[kind]}}, {"limits": {"drain_s": 1}})
    try:
        with gateway(folder, "--config", config) as g, concurrent.futures.ThreadPoolExecutor(1) as pool:
            s = Session(g.wait_ready())
            before, begin = rss_kib(g.process), time.monotonic()
            call = pool.submit(s.post, "tools/call", {"name": "bad__do", "arguments": {}}, 7)
            n = 0
            while not call.done() or n < 20:
                assert g.request("GET", "/healthz")[0] == 200
                assert s.call("tools/call", {"name": "good__tool0", "arguments": {}}, 100 + n)
                assert time.monotonic() - begin < 2 * LATE_S, n
                n += 1
            error = answer(call.result()[2])["error"]["message"]
            assert ("no answer within" if kind == "timeout" else "limits.message_bytes") in error, error
            assert rss_kib(g.process) - before < GROWTH_KIB, (before, rss_kib(g.process))
            ends(g.process, signal.SIGTERM)
    finally:
        if peer:
            peer.stop()


def run_command(folder, dialect, script, kind):
    """`call` with a time-out, and with Ctrl-C."""
    told, peer = flooder(dialect, script)
    config = write_config(folder, {"bad": told})
    command = ["call", "bad.do", "--config", config, "-o", "json"]
    try:
        done = run(folder, *command, "--timeout", TIMEOUTS_S[kind], timeout=2 * LATE_S)
        assert json.loads(done.stdout)["error"]["kind"] == kind, done
        process = subprocess.Popen([*WRAPPER, MCPTOOLS, *map(str, command), "--timeout", str(10 * LATE_S)], cwd=folder, env=environment(folder),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if peer:
            until(lambda: len(peer.seen("tools/call")) > 1, "the call has arrived")
        ends(process, signal.SIGINT)
    finally:
        if peer:
            peer.stop()


def add(name, function, row):
    function_name = f"{name} {row[0]}".replace(" ", "_").replace("+", "_")

    def one(folder):
        function(folder, *row[1:])
    one.__name__ = function_name
    test(one)


for _row in ROWS:
    add("gateway beside", run_gateway, _row)
    add("command at", run_command, _row)


# ---- what is put off is not lost ----

def progress(n):
    """So much progress, one event each, and the answer."""
    one = b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":@@,"progress":%d}}\n\n'
    return [one % i for i in range(1, n + 1)] + [b"data: " + ANSWER + b"\n\n"]


def in_chunks(play):
    to = play.stream()
    to.send(b"".join(chunk(play.fill(event)) for event in progress(3000)))
    if play.peer.dialect != SSE:
        END(play)


def packed(play):
    http(200, b"".join(progress(3000)), "text/event-stream", coding="gzip")(play)


def run_all_in_order(folder, dialect, step):
    peer = Peer(dialect, [("tools/call", [step])], again=True)
    try:
        with gateway(folder, "--config", write_config(folder, {"bad": peer.config()})) as g:
            s = Session(g.wait_ready())
            for n in range(3):
                status, _, body = s.post("tools/call", {"name": "do", "arguments": {}, "_meta": {"progressToken": "p"}}, n)
                told = [m["params"]["progress"] for m in events(body) if m.get("method") == "notifications/progress"]
                assert (status, told) == (200, list(range(1, 3001))), (status, len(told))
                assert answer(body).get("result") == RESULT
    finally:
        peer.stop()


for _dialect in (SESSION, STATELESS, SSE):
    add("all arrive in order", lambda folder, d=_dialect: run_all_in_order(folder, d, in_chunks), (f"in chunks {_dialect}",))
for _dialect in (SESSION, STATELESS):
    add("all arrive in order", lambda folder, d=_dialect: run_all_in_order(folder, d, packed), (f"packed {_dialect}",))


# ---- those in front ----

@test
def stdin_that_never_ends(folder):
    """A file is always readable: no pause at all."""
    config = write_config(folder, {"good": server()})
    with open("/dev/zero", "rb") as zero:
        process = subprocess.Popen([*WRAPPER, MCPTOOLS, "serve", "--stdio", "--config", str(config)], cwd=folder,
                                   env=environment(folder), stdin=zero, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: zero_was_read(process), "it reads")
        ends(process, signal.SIGTERM)


def zero_was_read(process):
    text = pathlib.Path(f"/proc/{process.pid}/io").read_text()
    return int(text.split("rchar:")[1].split()[0]) > 1 << 20


@test
def requests_without_end_on_stdin(folder):
    """A client that neither pauses nor reads; SIGTERM ends it all the same."""
    config = write_config(folder, {"good": server()})
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 1000
    process = subprocess.Popen([*WRAPPER, MCPTOOLS, "serve", "--stdio", "--config", str(config)], cwd=folder,
                               env=environment(folder), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)

    def write():
        try:
            while True:
                process.stdin.write(ping)
        except (BrokenPipeError, ValueError):
            pass
    threading.Thread(target=write, daemon=True).start()
    until(lambda: zero_was_read(process), "it reads")
    ends(process, signal.SIGTERM)


@test
def pipelined_requests_without_end(folder):
    """Clients that send request after request and read all answers."""
    def pipeline(port):
        with socket.create_connection(("127.0.0.1", port)) as s:
            def read():
                try:
                    while s.recv(1 << 20):
                        pass
                except OSError:
                    pass
            threading.Thread(target=read, daemon=True).start()
            many = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
            try:
                while True:
                    s.sendall(many)
            except OSError:
                pass

    config = write_config(folder, {"good": server()}, {"limits": {"drain_s": 1}})
    with gateway(folder, "--config", config) as g:
        s = Session(g.wait_ready())
        for _ in range(3):
            threading.Thread(target=pipeline, args=(g.port,), daemon=True).start()
        begin = time.monotonic()
        for n in range(50):
            assert s.call("tools/call", {"name": "tool0", "arguments": {}}, n)
        assert time.monotonic() - begin < LATE_S
        ends(g.process, signal.SIGTERM)


main()
