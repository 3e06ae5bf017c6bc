"""The fault table: what the client side makes of HTTP servers that are broken, and that nobody else notices.

A row is a name, the dialects it is run in, what the server does (see broken.py) at `at` - by default the tool call -
and what `mcptools call` must make of it. Every row also asserts that the call arrived exactly `calls` times, that
every request carried the credentials, and that no sanitizer had a word to say.
"""

import concurrent.futures
import dataclasses
import gzip
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))

# pylint: disable=wrong-import-position
from broken import (ANSWER, AUTO, CLOSE, END, GOOD, HANG, NO_SESSION, RESET, RESULT, SESSION, SHUT, SSE, STATELESS, STREAM_HEAD, TOOL,
                    Gone, Peer, by_turn, chunk, events, flood, forget, http, redirect)
from harness import (MCPTOOLS, WRAPPER, Session, answer, environment, gateway, main, run, server, test, until,
                     write_config)

STREAMABLE = (SESSION, STATELESS)
ALL = (SESSION, STATELESS, SSE)
FIRST = (*ALL, AUTO)  # of rows that go wrong with the first request
HTML = b"<html><body>It works!</body></html>"
DATA = b"data: " + ANSWER + b"\n\n"
MIB = 1 << 20
SMALL = {"limits": {"message_bytes": MIB}}

STATUS = {"auth": 3, "connect": 4, "protocol": 4, "server_error": 5, "limit": 5, "timeout": 6}


@dataclasses.dataclass
class Row:
    name: str
    dialects: tuple
    steps: list                       # at the point, or a whole script: [(point, steps), …]
    kind: str = ""                    # of the error; none: the call must succeed
    says: tuple = ()
    _: dataclasses.KW_ONLY
    at: str = "tools/call"
    again: bool = False               # every time, not only the first
    calls: int = 1                    # how often tools/call must arrive
    timeout: float = 20
    check: typing.Callable = None     # of the peer, at the end
    settings: dict = None
    neighbour: bool = False           # also run beside a good server, in a gateway
    arguments: tuple = ()             # more of them
    told: dict = dataclasses.field(default_factory=dict)  # what the configuration says otherwise
    talks: bool = False               # of the server: it announces changes

    def peer(self, dialect):
        whole = not self.steps or isinstance(self.steps[0], tuple)
        return Peer(dialect, self.steps if whole else [(self.at, self.steps)], self.again, talks=self.talks)


def works(name, dialects, steps, **more):
    return Row(name, dialects, steps, **more)


def fails(name, dialects, steps, kind, *says, **more):
    return Row(name, dialects, steps, kind, says, **more)


# ---- what rows look at afterwards ----

TICK_S = 0.005  # clocks of whole milliseconds on the other side


def other_origin_saw_nothing(peer):
    assert peer.other.n_connections == 0, [(r.verb, r.headers) for r in peer.other.requests]


def asked_to_resume(last_id, pause_s=0.0):
    """A GET with the last id, in the same session, not before the pause is over. Lower bounds only."""
    def check(peer):
        call, again = peer.seen("tools/call")[0], peer.seen("GET")
        assert again, "never resumed"
        assert [r.headers.get("last-event-id") for r in again] == [last_id] * len(again), [r.headers for r in again]
        assert again[0].headers.get("mcp-session-id") == call.headers["mcp-session-id"]
        assert again[0].at - call.at >= pause_s - TICK_S, again[0].at - call.at
    return check


def sessions_were(n):
    def check(peer):
        assert peer.n_sessions == n, peer.n_sessions
        used = [r.headers["mcp-session-id"] for r in peer.seen("tools/call")]
        assert used == [str(i + 1) for i in range(len(used))], used
    return check


def paused(peer):
    first, second = peer.seen("tools/call")
    assert second.at - first.at >= 1 - TICK_S, second.at - first.at


def never_came(*points):
    def check(peer):
        for point in points:
            assert not peer.seen(point), (point, [(r.verb, r.method) for r in peer.requests])
    return check


def came(least, most, point):
    def check(peer):
        assert least <= len(peer.seen(point)) <= most, (point, len(peer.seen(point)))
    return check


def in_sessions(**wanted):
    """The session of every request at each of the points, in order."""
    def check(peer):
        used = {point: [r.headers.get("mcp-session-id") for r in peer.seen(point.replace("_", "/"))] for point in wanted}
        assert used == wanted, used
    return check


def stayed_in_session(peer):
    """Everything but initialize and what was asked before it names the one session there is."""
    rest = [r for r in peer.requests if r.method not in ("server/discover", "initialize")]
    assert [r.headers.get("mcp-session-id") for r in rest] == ["1"] * len(rest), [(r.verb, r.method, r.headers) for r in rest]
    assert len(peer.seen("initialize")) == 1


def asked_for_streams(n):
    def check(peer):
        stayed_in_session(peer)
        assert len(peer.seen("GET")) == n, len(peer.seen("GET"))
    return check


def event_lines(end, bom=b"", size=None):
    text = b"data: " + ANSWER.replace(b",", b",@edata: ", 1) + b"@e: comment@eevent: message@eretry: 10@eid: 7@e@e"
    return [events(bom + text.replace(b"@e", end), size), END]


VERSION, ID = ANSWER.index(b'"2.0"'), ANSWER.index(b'"id"')
MIXED = b"data: " + ANSWER[:VERSION] + b"\rdata: " + ANSWER[VERSION:ID] + b"\r\ndata: " + ANSWER[ID:] + b"\n\r\n"
NOBODYS = b'data: {"jsonrpc":"2.0","id":4711,"result":{"content":[{"type":"text","text":"not yours"}]}}\n\n'
STRINGY = b'data: {"jsonrpc":"2.0","id":"@@","result":{"content":[{"type":"text","text":"not yours"}]}}\n\n'
SECOND = DATA.replace(b"fine", b"once more")
ENDED = "ended the stream before it answered"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
NOT_REPEATED = "the tool may have run, so the call was not repeated"
LARGE = "larger than limits.message_bytes (1048576)"
SPACES = b" " * MIB

REFUSED = b'{"jsonrpc":"2.0","id":@@,"error":{"code":-32602,"message":"go away"}}'
OPENED = b'{"jsonrpc":"2.0","id":@@,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"b"}}}'
UNKNOWN = OPENED.replace(b"2025-11-25", b"2099-01-01")
QUESTION = b'data: {"jsonrpc":"2.0","id":"q1","method":"roots/list"}\n\n'
ROOT = ("--root", "/tmp")  # we can be asked something: the GET stream is wanted, and calls wait until it is answered
UNTOLD = {"type": None, "protocol": None}
SPIN = [events(b"retry: 0\nid: 1\ndata: {}\n\n"), END]


def arrived(point, number=1):
    """The server waits for the client to come to another point."""
    return lambda play: until(lambda: len(play.peer.seen(point)) >= number, f"{point} has arrived")


def begun_in_pieces(play):
    """The answer to initialize is to be fetched; the session is there at once."""
    play.peer.sessions.add("1")
    play.wire.send(STREAM_HEAD.replace(b"\r\n\r\n", b"\r\nMcp-Session-Id: 1\r\n\r\n") + chunk(b"id: p1\nretry: 1\ndata:\n\n"))


def stream_comes_back(name, *first):
    """The first GET goes wrong; the next is a stream that asks something, and the call waits for our answer."""
    return works(name, (SESSION,), [("GET", [by_turn("GET", first, [events(QUESTION), HANG])]), ("tools/call", [arrived("answer"), GOOD])],
                 again=True, arguments=ROOT, timeout=10, check=asked_for_streams(2))


TABLE = [
    # ---- event streams that must work ----
    works("nothing is broken", FIRST, []),
    works("lines end in LF", ALL, event_lines(b"\n")),
    works("lines end in CRLF", ALL, event_lines(b"\r\n")),
    works("lines end in CR", ALL, event_lines(b"\r")),
    works("lines end in all three ways", ALL, [events(MIXED), END]),
    works("a chunk for every byte, LF", ALL, event_lines(b"\n", size=1)),
    works("a chunk for every byte, CRLF", ALL, event_lines(b"\r\n", size=1)),
    works("a chunk for every byte, CR", ALL, event_lines(b"\r", size=1)),
    works("byte order mark", STREAMABLE, event_lines(b"\n", b"\xef\xbb\xbf")),
    works("byte order mark in pieces", STREAMABLE, event_lines(b"\r\n", b"\xef\xbb\xbf", size=1)),
    works("byte order mark before the endpoint", (SSE,),
          [events(b"\xef\xbb\xbfevent: endpoint\r\ndata: /messages\r\n\r\n", size=1)], at="GET"),
    works("comments and empty events", ALL, [events(b":\n\n: ping\n\ndata:\n\nevent: x\n\n" + DATA), END]),
    works("another type of event, and unknown fields", ALL,
          [events(b"event: ping\ndata: " + ANSWER.replace(b"fine", b"not this") + b"\n\nnonsense: 1\nmore\n" + DATA), END]),
    works("data that is no JSON in between", ALL, [events(b"data: hello\n\ndata: {oops\n\ndata: [1,\n\n" + DATA), END]),
    works("a stream that goes on after the answer", ALL, [events(DATA), HANG]),
    works("a stream that breaks after the answer", ALL, [events(DATA), CLOSE], neighbour=True),
    # ---- ids ----
    works("answers nobody asked for", ALL, [events(NOBODYS + STRINGY + NOBODYS + DATA + NOBODYS), END]),
    works("the answer twice", ALL, [events(DATA + SECOND), END]),
    fails("an answer for another id only, as events", STREAMABLE, [events(NOBODYS + STRINGY), END], "connect", ENDED),
    fails("an answer for another id only, over HTTP+SSE", (SSE,), [events(NOBODYS + STRINGY)],
          "timeout", "no answer within 1.0 s", timeout=1),
    fails("an answer for another id only, as JSON", STREAMABLE, [http(200, ANSWER.replace(b"@@", b"4711"))],
          "protocol", "does not answer the request"),
    fails("an error without an id is the answer", STREAMABLE,
          [http(400, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"bad mood"}}')], "server_error", "bad mood"),
    # ---- event streams that are cut ----
    fails("cut in the middle of an event, no id", STREAMABLE, [events(DATA[:40]), END], "connect", ENDED, NOT_REPEATED),
    fails("cut in the middle of an event and of the transfer", STREAMABLE, [events(DATA[:40]), CLOSE],
          "connect", ENDED, NOT_REPEATED, neighbour=True),
    fails("cut before the blank line", STREAMABLE, [events(DATA[:-1]), END], "connect", ENDED),
    fails("cut with an id, in an era without resuming", (STATELESS,), [events(b"id: 7\nretry: 1\ndata:\n\n" + DATA[:40]), END],
          "connect", ENDED, check=lambda peer: no_gets(peer)),
    works("cut with an id, and resumed", (SESSION,),
          [("tools/call", [events(b"id: 7\nretry: 1\ndata:\n\nid: 8\n" + DATA[:40]), CLOSE]), ("GET", [events(DATA), END])],
          check=asked_to_resume("7")),
    works("resumed after the pause that was asked for", (SESSION,),
          [("tools/call", [events(b"id: a b\nretry: 400\ndata:\n\n"), END]), ("GET", [events(DATA), END])],
          check=asked_to_resume("a b", 0.4)),
    works("resumed twice, with the newest id", (SESSION,),
          [("tools/call", [events(b"id: 1\nretry: 1\ndata:\n\n"), END]), ("GET", [events(b"id: 2\ndata:\n\n"), CLOSE]),
           ("GET", [events(DATA), END])],
          check=lambda peer: ids_were(peer, "1", "2")),
    works("resumed after a refusal of the connection", (SESSION,),
          [("tools/call", [events(b"id: 1\nretry: 1\ndata:\n\n"), END]), ("GET", [CLOSE]), ("GET", [events(DATA), END])],
          check=asked_to_resume("1")),
    fails("cannot be resumed", (SESSION,),
          [("tools/call", [events(b"id: 1\nretry: 1\ndata:\n\n"), END]), ("GET", [http(404, HTML, "text/html")])],
          "connect", "forgotten the session, and the answer with it", check=asked_to_resume("1")),
    fails("resumed for ever without an answer", (SESSION,),
          [("tools/call", [events(b"id: 1\nretry: 1\ndata:\n\n"), END]), ("GET", [events(b": nothing\n\n"), END])],
          "connect", ENDED, again=True, check=asked_to_resume("1")),
    # ---- too much ----
    fails("an event of 64 MiB without end", ALL, [events(b"data: {"), flood(chunk(SPACES), 64), HANG], "limit", LARGE,
          settings=SMALL, timeout=2, neighbour=True),
    fails("an event of 64 MiB of many lines", ALL,
          [events(b"data: {\n"), flood(chunk(b"data: " + SPACES[:1017] + b"\n"), 65536), events(b"\n"), END], "limit", LARGE,
          settings=SMALL),
    fails("an event of 64 MiB with an end", ALL, [events(b"data: {"), flood(chunk(SPACES), 64), events(b"\n\n"), END],
          "limit", LARGE, settings=SMALL),
    fails("a JSON body of 64 MiB", STREAMABLE, [HEAD + b"Content-Length: 67108864\r\n\r\n{", flood(SPACES, 63), HANG],
          "limit", LARGE, settings=SMALL, neighbour=True),
    fails("a gzip bomb", STREAMABLE, [http(200, b'{"jsonrpc":"2.0","id":@@,"result":"' + SPACES * 64 + b'"}', coding="gzip")],
          "limit", LARGE, settings=SMALL),
    fails("a gzip bomb of events", STREAMABLE, [http(200, b"data: {" + SPACES * 64 + b"}\n\n", "text/event-stream", coding="gzip")],
          "limit", LARGE, settings=SMALL),
    fails("an HTML page of 64 MiB", STREAMABLE, [b"HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\n\r\n<h1>", flood(SPACES, 64), CLOSE],
          "connect", "HTTP 500", settings=SMALL),
    fails("endless headers", STREAMABLE, [b"HTTP/1.1 200 OK\r\n", flood(b"X-More: " + b"x" * 1000 + b"\r\n", 2000), HANG],
          "limit", "headers of the answer are larger than 32768 bytes"),
    # ---- answers that are none ----
    fails("wrong content type", STREAMABLE, [http(200, ANSWER, "text/plain")],
          "protocol", "HTTP 200 with 'text/plain' instead of JSON or an event stream"),
    fails("no content type", STREAMABLE, [http(200, ANSWER, None)], "protocol", "HTTP 200", '"text":"fine"'),
    works("content type with a parameter", STREAMABLE, [http(200, ANSWER, "Application/JSON; charset=utf-8")]),
    fails("an HTML page", STREAMABLE, [http(200, HTML, "text/html; charset=utf-8")],
          "protocol", "with 'text/html; charset=utf-8' instead of JSON", "is this the URL of an MCP server? (<html>"),
    fails("an HTML page from the first request on", FIRST, [http(200, HTML, "text/html")], "protocol", "with 'text/html' instead of",
          at="any", again=True, calls=0, neighbour=True),
    fails("an empty body", STREAMABLE, [http(200)], "protocol", "HTTP 200 without an answer"),
    fails("an empty body without a content type", STREAMABLE, [http(200, kind=None)], "protocol", "HTTP 200 without an answer"),
    fails("an empty stream of events", STREAMABLE, [events(b": \n\n"), END], "connect", ENDED),
    fails("202 to a request", STREAMABLE, [http(202, kind=None)], "protocol", "HTTP 202 without an answer"),
    fails("204 to a request", STREAMABLE, [b"HTTP/1.1 204 No Content\r\n\r\n"], "protocol", "HTTP 204 without an answer"),
    fails("JSON that is no JSON-RPC", STREAMABLE, [http(200, b'{"hello":1}')], "protocol", "does not answer the request", '{"hello":1}'),
    fails("JSON that is cut", STREAMABLE, [http(200, ANSWER[:-1])], "protocol", "does not answer the request"),
    fails("JSON of a string", STREAMABLE, [http(200, b'"hello"')], "protocol", "does not answer the request"),
    works("gzip", STREAMABLE, [http(200, ANSWER, coding="gzip")]),
    works("gzip of events", STREAMABLE, [http(200, b"id: 1\n" + DATA, "text/event-stream", coding="gzip")]),
    fails("gzip that is none", STREAMABLE, [http(200, ANSWER, "application/json", "Content-Encoding: gzip")], "connect", "encoding",
          neighbour=True),
    fails("gzip that is cut", STREAMABLE,
          [HEAD + b"Content-Encoding: gzip\r\n\r\n", lambda play: play.wire.send(gzip.compress(play.fill(ANSWER))[:30]), CLOSE],
          "protocol", "does not answer the request"),
    # ---- sockets ----
    fails("closed at once", ALL, [CLOSE], "connect", NOT_REPEATED, neighbour=True),
    fails("reset at once", ALL, [RESET], "connect", NOT_REPEATED),
    fails("closed at once by the first request", FIRST, [CLOSE], "connect", "", at="any", again=True, calls=0),
    fails("half-closed after the headers", STREAMABLE, [HEAD + b"Content-Length: 100\r\n\r\n", SHUT], "connect", NOT_REPEATED),
    fails("half-closed in the middle of the headers", STREAMABLE, [HEAD, SHUT], "protocol", "HTTP 200 without an answer"),
    fails("half-closed in the middle of the body", STREAMABLE, [HEAD + b"Content-Length: 100\r\n\r\n" + ANSWER, SHUT],
          "connect", NOT_REPEATED),
    fails("half-closed in the middle of a chunk", STREAMABLE,
          [HEAD + b"Transfer-Encoding: chunked\r\n\r\n200\r\n" + ANSWER, SHUT], "connect", NOT_REPEATED, neighbour=True),
    fails("half-closed in the middle of a chunk of events", STREAMABLE,
          [STREAM_HEAD + b"200\r\n" + DATA[:30], SHUT], "connect", ENDED),
    fails("a chunk size that is none", STREAMABLE, [HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"], "connect", NOT_REPEATED),
    fails("not HTTP", STREAMABLE, [b"SSH-2.0-OpenSSH_9.9\r\n", CLOSE], "connect", "HTTP"),
    fails("never answers", ALL, [HANG], "timeout", "no answer within 1.0 s", timeout=1, neighbour=True),
    fails("never answers from the first request on", FIRST, [HANG], "timeout", "no answer within", at="any", again=True, calls=0,
          timeout=1, neighbour=True),
    fails("never ends its headers", STREAMABLE, [HEAD, HANG], "timeout", "no answer within 1.0 s", timeout=1),
    fails("never ends its body", STREAMABLE, [HEAD + b"Content-Length: 1000\r\n\r\n" + ANSWER, HANG],
          "timeout", "no answer within 1.0 s", timeout=1),
    fails("never ends its stream", STREAMABLE, [events(b": hello\n\n"), HANG], "timeout", "no answer within 1.0 s", timeout=1),
    # ---- statuses ----
    fails("500 with HTML", ALL, [http(500, HTML, "text/html")], "connect", "HTTP 500", "It works!"),
    fails("502 with HTML from the first request on", FIRST, [http(502, HTML, "text/html")], "connect", "HTTP 502", at="any", again=True,
          calls=0, neighbour=True),
    fails("401", ALL, [http(401, b'{"error":"invalid_token"}', "application/json", "WWW-Authenticate: Bearer")],
          "auth", "HTTP 401", "wants credentials", "invalid_token"),
    fails("401 from the first request on", FIRST, [http(401, kind=None)], "auth", "HTTP 401", "wants credentials", at="any", again=True,
          calls=0),
    fails("403", ALL, [http(403, b"Forbidden", "text/plain")], "auth", "HTTP 403", "does not allow this (Forbidden)"),
    fails("404 from the first request on", FIRST, [http(404, HTML, "text/html")], "connect", "HTTP 404", "no MCP endpoint at this URL",
          at="any", again=True, calls=0),
    fails("413", ALL, [http(413, kind=None)], "limit", "HTTP 413", "message of this size"),
    works("429 with Retry-After, then it works", STREAMABLE, [http(429, b"slow down", "text/plain", "Retry-After: 1")],
          calls=2, check=paused),
    works("503 with Retry-After, then it works", STREAMABLE, [http(503, b"", "text/plain", "Retry-After: 1")], calls=2, check=paused),
    fails("429 without Retry-After", ALL, [http(429, kind=None)], "connect", "HTTP 429", "takes no more requests for now"),
    fails("503 without Retry-After", ALL, [http(503, b"maintenance", "text/plain")], "connect", "HTTP 503",
          "not available for now (maintenance)"),
    # ---- redirects ----
    works("307 to the same origin", ALL, [redirect(307, "/moved")], calls=2),
    works("308 to the same origin, whole URL", ALL, [redirect(308, lambda peer: f"http://127.0.0.1:{peer.port}/moved")], calls=2),
    works("308 from the first request on", STREAMABLE, [redirect(308, "/moved")], at="/mcp", again=True, calls=2),
    works("308 of the stream", (SSE,), [redirect(308, "/moved")], at="/sse"),
    fails("307 to another origin", ALL, [redirect(307, lambda peer: peer.other.url)], "connect", "redirected (HTTP 307)", "another origin",
          check=other_origin_saw_nothing),
    fails("308 to another origin from the first request on", FIRST, [redirect(308, lambda peer: peer.other.url)], "connect",
          "redirected (HTTP 308)", "another origin", at="any", again=True, calls=0, check=other_origin_saw_nothing, neighbour=True),
    fails("307 to another name of the same machine", ALL, [redirect(307, lambda peer: f"http://localhost:{peer.port}/mcp")],
          "connect", "another origin"),
    fails("307 to another scheme", ALL, [redirect(307, lambda peer: f"https://127.0.0.1:{peer.port}/mcp")], "connect", "another origin"),
    fails("307 to a file", ALL, [redirect(307, "file:///etc/passwd")], "connect", "HTTP 307"),
    fails("a redirect loop", ALL, [redirect(307, "/mcp")], "connect", "redirected more than 5 times", at="tools/call", again=True, calls=6),
    # ---- sessions ----
    works("session forgotten once, 404", (SESSION,), [forget(404)], calls=2, check=sessions_were(2), neighbour=True),
    works("session forgotten once, 404 with HTML", (SESSION,), [forget(404, HTML)], calls=2, check=sessions_were(2)),
    works("session forgotten once, 400 that says so", (SESSION,),
          [forget(400, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}')],
          calls=2, check=sessions_were(2)),
    fails("session forgotten for ever", (SESSION,), [forget(404)], "server_error", "Session not found", again=True, calls=2,
          check=sessions_were(2)),
    fails("session forgotten for ever, 404 with HTML", (SESSION,), [forget(404, HTML)], "connect", "HTTP 404", "session", again=True,
          calls=2, check=sessions_were(2)),
    fails("session forgotten, and no other given", (SESSION,),
          [("tools/call", [forget(404)]), ("initialize", [http(500, HTML, "text/html")])], "connect",
          "forgotten the session and gives no other", "HTTP 500"),
    fails("400 that is not about the session", (SESSION,),
          [http(400, b'{"jsonrpc":"2.0","id":@@,"error":{"code":-32602,"message":"bad arguments"}}')], "server_error", "bad arguments",
          check=sessions_were(1)),
    fails("400 of an expression, in answer to the call", (SESSION,),
          [http(400, b'{"jsonrpc":"2.0","id":@@,"error":{"code":-32602,"message":"Invalid expression in argument x"}}')], "server_error",
          "Invalid expression in argument x", check=sessions_were(1)),
    fails("400 of an expression, in answer to nothing", (SESSION,),
          [http(400, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: invalid expression"}}')], "server_error",
          "invalid expression", check=sessions_were(1)),
    fails("400 of an expression, in words", (SESSION,), [http(400, b"invalid expression", "text/plain")], "connect", "HTTP 400",
          "invalid expression", check=sessions_were(1)),
    works("a question of a session that is forgotten", (SESSION,),
          [("GET", [events(b": hello\n\n"), HANG]), ("answer", [forget(404)]),
           ("tools/call", [events(QUESTION), arrived("GET", 2), events(DATA), END])],
          again=True, arguments=ROOT, timeout=10, check=in_sessions(GET=["1", "2"], answer=["1"], tools_call=["1"])),
    # ---- the first words ----
    fails("initialize refused", (SESSION, AUTO), [http(200, REFUSED)], "server_error", "initialize was refused", "go away",
          at="initialize", again=True, calls=0),
    fails("initialize refused in an event", (SESSION, AUTO, SSE), [events(b"data: " + REFUSED + b"\n\n"), END], "server_error",
          "initialize was refused", "go away", at="initialize", again=True, calls=0),
    fails("initialize refused with 400", (SESSION, AUTO), [http(400, REFUSED)], "server_error", "initialize was refused", "go away",
          at="initialize", again=True, calls=0),
    fails("a revision nobody knows", (SESSION, AUTO), [http(200, UNKNOWN)], "protocol", "'2099-01-01'", "does not speak",
          at="initialize", again=True, calls=0),
    fails("a revision nobody knows, in an event", (SESSION, AUTO, SSE), [events(b"data: " + UNKNOWN + b"\n\n"), END], "protocol",
          "'2099-01-01'", "does not speak", at="initialize", again=True, calls=0),
    works("the answer to initialize is fetched", (SESSION,),
          [("initialize", [begun_in_pieces, END]), ("GET", [events(b"id: p2\ndata: " + OPENED + b"\n\n"), END])],
          check=stayed_in_session),
    fails("the session is forgotten as soon as it is there", (SESSION, AUTO), [http(404, NO_SESSION)], "connect",
          "has forgotten the session it has just begun", at="notifications/initialized", again=True, calls=0, timeout=5,
          check=came(1, 1, "initialize")),
    works("the answer to a notification never ends", (SESSION, AUTO), [events(b": hello\n\n"), HANG], at="notifications/initialized",
          timeout=5, check=stayed_in_session),
    works("503 with Retry-After to a notification", (SESSION, AUTO), [http(503, b"", None, "Retry-After: 20")],
          at="notifications/initialized", timeout=5, check=stayed_in_session),
    fails("500 to the first question is no verdict", (AUTO,),
          [http(500, b'{"jsonrpc":"2.0","id":@@,"error":{"code":-32603,"message":"bad mood"}}')], "connect", "server/discover", "HTTP 500",
          "bad mood", at="server/discover", again=True, calls=0, check=never_came("initialize")),
    works("the first answer takes its time", (STATELESS,), [lambda play: time.sleep(3.5), GOOD], at="server/discover", told=UNTOLD,
          timeout=15, check=never_came("initialize", "GET")),
    fails("another era than the configuration wants, over HTTP+SSE", (SSE,), [], "connect", "HTTP 405",
          told={**UNTOLD, "protocol": "2026-07-28"}, calls=0, check=never_came("initialize", "GET")),
    # ---- the stream nobody has to have ----
    works("404 instead of a stream", (SESSION,), [http(404, b"Cannot GET /mcp", "text/html")], at="GET", again=True, arguments=ROOT,
          check=asked_for_streams(1)),
    works("400 instead of a stream", (SESSION,), [http(400, NO_SESSION)], at="GET", again=True, arguments=ROOT,
          check=asked_for_streams(1)),
    works("500 with many words instead of a stream", (SESSION,), [http(500, b"x" * 200000, "text/html")], at="GET", again=True,
          arguments=ROOT, timeout=10, check=stayed_in_session),
    stream_comes_back("409, and then a stream", http(409, b"Conflict: Only one SSE stream is allowed per session", "text/plain")),
    stream_comes_back("500 with many words, and then a stream", http(500, b"x" * 200000, "text/html")),
    fails("a stream that is over at once, for ever", (SESSION,), [("GET", SPIN), ("tools/call", [HANG])], "timeout", again=True,
          arguments=ROOT, timeout=2, check=came(3, 39, "GET")),
    fails("an answer that is to be fetched at once, for ever", (SESSION,), [("GET", SPIN), ("tools/call", SPIN)], "timeout", again=True,
          timeout=2, check=came(3, 39, "GET")),
    works("no subscriptions, 404", (STATELESS,),
          [("subscriptions/listen", [http(404, kind=None)]),
           ("tools/call", [arrived("subscriptions/listen"),
                           by_turn("tools/call", [http(429, b"", None, "Retry-After: 2")], [GOOD])])],
          again=True, talks=True, timeout=10, calls=2, check=came(1, 1, "subscriptions/listen")),
    # ---- HTTP+SSE ----
    fails("the endpoint is at another origin", (SSE,),
          [lambda play: events(b"event: endpoint\ndata: %s\n\n" % play.peer.other.url.encode())(play), HANG], "connect",
          "the endpoint it names", "another origin", at="GET", again=True, calls=0, check=other_origin_saw_nothing, neighbour=True),
    fails("the endpoint is no URL", (SSE,), [events(b"event: endpoint\ndata: http://[\n\n"), HANG], "connect", "the endpoint it names",
          at="GET", again=True, calls=0),
    fails("the stream ends before the endpoint", (SSE,), [events(b": hello\n\n"), END], "connect",
          "the event stream ended before it named an endpoint", at="GET", again=True, calls=0),
    fails("the endpoint never comes", (SSE,), [events(b": hello\n\n"), HANG], "timeout", "no answer within", at="GET", again=True, calls=0,
          timeout=1),
    fails("the stream ends in a call", (SSE,), [events(DATA[:30]), END], "connect", "ended the event stream, and the session with it",
          NOT_REPEATED, neighbour=True),
    fails("the stream breaks in a call", (SSE,), [events(DATA[:30]), CLOSE], "connect", NOT_REPEATED),
    fails("the stream is no stream", (SSE,), [http(200, b"{}")], "protocol", "with 'application/json' instead of", at="GET", again=True,
          calls=0),
    works("the POST is closed at once, the answer comes all the same", (SSE,),
          [lambda play: play.peer.stream.send(chunk(play.fill(DATA))), http(202, kind=None)]),
]


def no_gets(peer):
    assert not peer.seen("GET")


def ids_were(peer, *ids):
    assert [r.headers.get("last-event-id") for r in peer.seen("GET")] == list(ids), [r.headers for r in peer.seen("GET")]


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

def certificate(folder, host):
    """A self-signed certificate of the host, and what a server needs of it."""
    pem, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    f"/CN={host}", "-addext", f"subjectAltName={host}", "-keyout", key, "-out", pem], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key)
    return str(pem), context


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
                              cwd=folder, env={**environment(folder), "TERM": "xterm"}, capture_output=True, check=False)
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
