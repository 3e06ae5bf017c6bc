"""Servers that do not take what they are sent: descriptors stay few, callers are told, and nobody else notices.

"Words" are answers and notifications, which nobody waits for.
"""

import concurrent.futures
import os
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))

# pylint: disable=wrong-import-position
from broken import ANSWER, END, HANG, RESULT, SESSION, SSE, STATELESS, Gone, Peer, chunk, events, http
from harness import Session, answer, gateway, main, server, test, until, write_config

FEW = 64      # descriptors that a server may cost
MANY = 400    # that it tries to cost
DO = {"name": "bad__do", "arguments": {}}


def descriptors(g):
    return len(os.listdir(f"/proc/{g.process.pid}/fd"))


class Watch:
    """Notes the largest number of descriptors meanwhile."""

    def __init__(self, g):
        self.g, self.most, self.over = g, 0, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def _look(self):
        while not self.over.wait(0.005):
            self.most = max(self.most, descriptors(self.g))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


class Beside:
    """A gateway with that server and a good one."""

    def __init__(self, folder, peer, limits=None, **more):
        self.folder, self.peer, self.limits, self.more = folder, peer, limits or {}, more

    def __enter__(self):
        config = write_config(self.folder, {"good": server(), "bad": self.peer.config(**self.more)},
                              {"limits": {"drain_s": 1, **self.limits}})
        self.running = gateway(self.folder, "--config", config)
        g = self.running.__enter__()
        s = Session(g.wait_ready())
        until(lambda: len(s.call("tools/list")["tools"]) > 3, "both are there")
        return g, s

    def __exit__(self, *exc):
        self.peer.stop()
        return self.running.__exit__(*exc)


def is_served(s):
    return s.call("tools/call", {"name": "good__tool0", "arguments": {}}, 99)


def pings(n):
    """So many on the stream of the request, which goes on."""
    def step(play):
        to = play.stream()
        for i in range(n):
            to.send(chunk(b'data: {"jsonrpc":"2.0","id":"p%d","method":"ping"}\n\n' % i))
        play.wire.wait_until_gone()
    return step


def pings_beyond_the_queue(folder, dialect):
    """More pings than answers may wait: the connection ends, and says why."""
    peer = Peer(dialect, [("tools/call", [pings(3000)]), ("answer", [HANG])], again=True)
    with Beside(folder, peer) as (g, s), Watch(g) as watch:
        before = descriptors(g)
        error = answer(s.post("tools/call", DO)[2])["error"]["message"]
        assert "does not accept answers" in error, error
        assert is_served(s)
    assert watch.most < before + FEW, (before, watch.most)


def answers_end_with_their_call(folder, dialect):
    """Who called has left: what his call's stream asked is not answered for long."""
    peer = Peer(dialect, [("tools/call", [pings(MANY)]), ("answer", [HANG])], again=True)
    with Beside(folder, peer) as (g, s), concurrent.futures.ThreadPoolExecutor(1) as pool, Watch(g) as watch:
        before = descriptors(g)
        pool.submit(s.post, "tools/call", DO, 7)
        until(lambda: len(peer.seen("answer")) > 10, "the server is answered")
        s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
        until(lambda: descriptors(g) <= before + 4, "the descriptors are free")
        assert is_served(s)
    assert watch.most < before + FEW, (before, watch.most)


def cancelled_calls(folder, dialect):
    """A server that takes notifications slowly is not given one connection for each."""
    peer = Peer(dialect, [("tools/call", [HANG]), ("notifications/cancelled", [HANG])], again=True)
    with Beside(folder, peer) as (g, s), concurrent.futures.ThreadPoolExecutor(MANY // 4) as pool, Watch(g) as watch:
        before, waiting = descriptors(g), []
        for begin in range(0, MANY, MANY // 4):
            ids = range(1000 + begin, 1000 + begin + MANY // 4)
            waiting += [pool.submit(s.post, "tools/call", DO, n) for n in ids]
            until(lambda: len(peer.seen("tools/call")) >= begin + MANY // 4, "the calls have arrived")
            for n in ids:
                s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": n}})
            until(lambda: all(w.done() for w in waiting), "the callers are free")
        assert is_served(s)
        until(lambda: descriptors(g) < before + FEW, "few descriptors are left")
    # each call has two while it runs: the client's and the server's
    assert watch.most < before + 2 * (MANY // 4) + FEW, (before, watch.most)


def requests_wait_for_their_turn(folder, dialect):
    """limits.server_requests: so many at a time, each is answered in the end."""
    go_on = threading.Event()

    def slowly(play):
        if not go_on.wait(20):
            raise Gone
        play.do([events(b"data: " + ANSWER + b"\n\n"), END] if dialect == SESSION else [http(200, ANSWER)])

    peer = Peer(dialect, [("tools/call", [slowly])], again=True)
    with Beside(folder, peer, {"server_requests": 4}) as (_, s), concurrent.futures.ThreadPoolExecutor(40) as pool:
        posts = [pool.submit(s.post, "tools/call", DO, n) for n in range(100, 140)]
        until(lambda: len(peer.seen("tools/call")) == 4, "so many are at the server")
        for _ in range(50):
            assert is_served(s)
        assert len(peer.seen("tools/call")) == 4
        go_on.set()
        bodies = [p.result()[2] for p in posts]
    assert [answer(b).get("result") for b in bodies] == [RESULT] * 40, bodies


def waiting_counts_as_waiting(folder, dialect):
    """Time-outs run for requests that wait for their turn."""
    peer = Peer(dialect, [("tools/call", [HANG])], again=True)
    with Beside(folder, peer, {"server_requests": 2}, timeout=1) as (_, s), concurrent.futures.ThreadPoolExecutor(10) as pool:
        bodies = list(pool.map(lambda n: s.post("tools/call", DO, n)[2], range(100, 110)))
        assert all("no answer within 1.0 s" in answer(b)["error"]["message"] for b in bodies), bodies
        assert is_served(s)


def add(function, dialect):
    def one(folder):
        function(folder, dialect)
    one.__name__ = f"{function.__name__} {dialect}".replace(" ", "_").replace("+", "_")
    test(one)


for _function, _dialects in ((pings_beyond_the_queue, (SESSION, SSE)), (answers_end_with_their_call, (SESSION,)),
                             (cancelled_calls, (SESSION, SSE)), (requests_wait_for_their_turn, (SESSION, STATELESS)),
                             (waiting_counts_as_waiting, (SESSION, STATELESS))):
    for _dialect in _dialects:
        add(_function, _dialect)

main()
