"""Connections with TLS that the gateway uses itself: libcurl makes the first request of a server, they make the others."""

import contextlib
import gzip
import json
import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))

# pylint: disable=wrong-import-position
from broken import RESULT, SESSION, STATELESS, Peer, certificate, http
from harness import Session, gateway, main, test, until, write_config

LONG = "x" * (3 << 20)


@contextlib.contextmanager
def served(folder, dialect=SESSION, script=()):
    """A server with TLS behind a gateway: the server, and a client's session. Settings go to the server's process only."""
    pem, context = certificate(folder, "IP:127.0.0.1")
    peer = Peer(dialect, script, tls=context)
    try:
        config = write_config(folder, {"t": peer.config()}, {"limits": {"message_bytes": 16 << 20}})
        with gateway(folder, "--config", config, env={"SSL_CERT_FILE": pem}) as g:
            until(lambda: b'"t","state":"connected"' in g.request("GET", "/readyz")[2], "the server is connected")
            yield peer, Session(g)
    finally:
        peer.stop()


def call(session, number=1, **arguments):
    return session.post("tools/call", {"name": "t__do", "arguments": arguments}, id=number)[2]


def works(session, number=1, **arguments):
    answer = json.loads(call(session, number, **arguments))
    assert (answer["id"], answer.get("result")) == (number, RESULT), answer


def close_all(peer):
    """Closes what is open, and keeps listening."""
    with peer.lock:
        wires, peer.wires = peer.wires, []
    for wire in wires:
        wire.close()


@test
def connections_are_kept(folder):
    for dialect in (SESSION, STATELESS):
        with served(folder, dialect) as (peer, session):
            works(session)
            before = peer.n_connections
            for n in range(20):
                works(session, n)
            assert peer.n_connections == before, (before, peer.n_connections)
            codings = [r.headers.get("accept-encoding") for r in peer.seen("tools/call")]
            assert set(codings) == {"gzip"}, codings  # libcurl names more


@test
def sessions_of_tls_are_resumed(folder):
    with served(folder) as (peer, session):
        for n in range(3):
            works(session, n)
            close_all(peer)
        assert peer.tls.session_stats()["hits"] >= 2, peer.tls.session_stats()


@test
def a_certificate_is_checked_on_each_connection(folder):
    for number, host in enumerate(("IP:127.0.0.1", "DNS:example.com")):
        other = folder / str(number)
        other.mkdir()
        with served(folder) as (peer, session):
            works(session)
            seen = len(peer.requests)
            _, peer.tls = certificate(other, host)
            close_all(peer)
            answer = json.loads(call(session))
            assert "TLS: " in answer["error"]["message"], answer
            assert len(peer.requests) == seen, "no request, and no credentials, to another"


def followed_by(data):
    """An answer, and with its last segment more that nobody has asked for."""
    def step(play):
        play.wire.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        http(200, json.dumps({"jsonrpc": "2.0", "id": play.request.id, "result": RESULT}).encode())(play)
        play.wire.send(data)
        play.wire.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
    return step


@test
def what_follows_an_answer_is_no_answer(folder):
    forged = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"forged"}]}}'
    for_all = b"".join(forged % n for n in range(1))
    more = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(for_all), for_all)
    with served(folder, script=[("tools/call", [followed_by(more)]) for _ in range(3)]) as (peer, session):
        for n in range(6):
            works(session, n)
        assert peer.n_connections >= 4, peer.n_connections


@test
def a_kept_connection_that_was_closed_is_not_used(folder):
    with served(folder) as (peer, session):
        for n in range(5):
            works(session, n)
            close_all(peer)
        assert len(peer.seen("tools/call")) == 5


def packed(body):
    def step(play):
        data = gzip.compress(play.fill(body))
        play.wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(data))
        for i in range(0, len(data), 5):
            play.wire.send(data[i:i + 5])
    return step


@test
def long_messages_and_short_records(folder):
    result = json.dumps({"content": [{"type": "text", "text": LONG}]}).encode()
    body = b'{"jsonrpc":"2.0","id":@@,"result":%s}' % result
    with served(folder, script=[("tools/call", [http(200, body)]), ("tools/call", [packed(body)])]) as (peer, session):
        for n in range(2):
            answer = json.loads(call(session, n, text=LONG))
            assert answer["result"]["content"][0]["text"] == LONG
        works(session, 2, text=LONG)
        sent = [r.message["params"]["arguments"] for r in peer.seen("tools/call")]
        assert sent == [{"text": LONG}] * 3


if __name__ == "__main__":
    main()
