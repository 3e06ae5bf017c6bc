"""The rows of the fault table.

A row is a name, the dialects it is run in, what the server does (see broken.py) at `at` - by default the tool call -
and what `mcptools call` must make of it. Every row also asserts that the call arrived exactly `calls` times, that
every request carried the credentials, and that no sanitizer had a word to say (see test_fault.py).
"""

import dataclasses
import gzip
import time
import typing

from broken import (ANSWER, AUTO, BY_LIBCURL, CLOSE, END, GOOD, HANG, NO_SESSION, RESET, SESSION, SHUT, SSE, STATELESS, STREAM_HEAD, Peer, by_turn,
                    chunk, events, flood, forget, http, redirect)
from harness import until

STREAMABLE = (SESSION, STATELESS)
ALL = (SESSION, STATELESS, SSE)
FIRST = (*ALL, AUTO)  # of rows that go wrong with the first request
HTML = b"<html><body>It works!</body></html>"
DATA = b"data: " + ANSWER + b"\n\n"
MIB = 1 << 20
SMALL = {"limits": {"message_bytes": MIB}}


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
ENDED = "closed the stream before its answer"
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
          "connect", "lost the session, and the answer with it", check=asked_to_resume("1")),
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
    fails("one header of 200 KB", ALL, [b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200000 + b"\r\nContent-Length: 0\r\n\r\n", HANG],
          "limit", "headers of the answer are larger than 32768 bytes"),
    fails("one header without end", STREAMABLE, [b"HTTP/1.1 200 OK\r\nX-Long: ", flood(b"x" * 1000, 1000), HANG],
          "limit", "headers of the answer are larger than 32768 bytes"),
    fails("a trailer of 200 KB", STREAMABLE,
          [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Long: " + b"x" * 200000 +
           b"\r\n\r\n", HANG], "limit", "trailers of the answer"),
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
    fails("JSON that is cut", STREAMABLE, [http(200, ANSWER[:-1])], "protocol", "its answer cannot be used", "not valid JSON at byte"),
    fails("JSON that is cut before its id", STREAMABLE, [http(200, b'{"jsonrpc":')], "protocol", "not valid JSON at byte 11"),
    fails("an answer that is no UTF-8", ALL, [events(b"data: " + ANSWER.replace(b"fine", b"\xff") + b"\n\n"), HANG], "protocol",
          "its answer cannot be used", "not valid JSON at byte"),
    fails("an answer without an id that can be read", STREAMABLE, [events(b'data: {"jsonrpc":"2.0","id":,"result":{}}\n\n'), HANG],
          "protocol", "its answer cannot be used", "not valid JSON at byte 22"),
    fails("JSON of a string", STREAMABLE, [http(200, b'"hello"')], "protocol", "does not answer the request"),
    works("gzip", STREAMABLE, [http(200, ANSWER, coding="gzip")]),
    works("gzip of events", STREAMABLE, [http(200, b"id: 1\n" + DATA, "text/event-stream", coding="gzip")]),
    fails("gzip that is none", STREAMABLE, [http(200, ANSWER, "application/json", "Content-Encoding: gzip")], "connect", "encoding",
          neighbour=True),
    fails("gzip that is cut", STREAMABLE,
          [HEAD + b"Content-Encoding: gzip\r\n\r\n", lambda play: play.wire.send(gzip.compress(play.fill(ANSWER))[:30]), CLOSE],
          "protocol", "its answer cannot be used"),
    # ---- sockets ----
    fails("closed at once", ALL, [CLOSE], "connect", NOT_REPEATED, neighbour=True),
    fails("reset at once", ALL, [RESET], "connect", NOT_REPEATED),
    fails("closed at once by the first request", FIRST, [CLOSE], "connect", "", at="any", again=True, calls=0),
    fails("half-closed after the headers", STREAMABLE, [HEAD + b"Content-Length: 100\r\n\r\n", SHUT], "connect", NOT_REPEATED),
    fails("half-closed in the middle of the headers", STREAMABLE, [HEAD, SHUT],
          *(("protocol", "HTTP 200 without an answer") if BY_LIBCURL else ("connect", NOT_REPEATED))),
    fails("half-closed in the middle of the body", STREAMABLE, [HEAD + b"Content-Length: 100\r\n\r\n" + ANSWER, SHUT],
          "connect", NOT_REPEATED),
    fails("half-closed in the middle of a chunk", STREAMABLE,
          [HEAD + b"Transfer-Encoding: chunked\r\n\r\n200\r\n" + ANSWER, SHUT], "connect", NOT_REPEATED, neighbour=True),
    fails("half-closed in the middle of a chunk of events", STREAMABLE,
          [STREAM_HEAD + b"200\r\n" + DATA[:30], SHUT], "connect", ENDED),
    fails("a chunk size that is none", STREAMABLE, [HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"], "connect", NOT_REPEATED),
    fails("not HTTP", STREAMABLE, [b"SSH-2.0-OpenSSH_9.9\r\n", CLOSE], "connect", "HTTP"),
    fails("never answers", ALL, [HANG], "timeout", "no answer within 1.0 s", timeout=1, neighbour=True),
    fails("never answers from the first request on", FIRST, [HANG], "timeout", "raise start_timeout", at="any", again=True, calls=0,
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
          "auth", "HTTP 401", "requires credentials", "invalid_token"),
    fails("401 from the first request on", FIRST, [http(401, kind=None)], "auth", "HTTP 401", "requires credentials", at="any", again=True,
          calls=0),
    fails("403", ALL, [http(403, b"Forbidden", "text/plain")], "auth", "HTTP 403", "does not allow this request (Forbidden)"),
    fails("404 from the first request on", FIRST, [http(404, HTML, "text/html")], "connect", "HTTP 404", "no MCP endpoint at this URL",
          at="any", again=True, calls=0),
    fails("413", ALL, [http(413, kind=None)], "limit", "HTTP 413", "message is too large"),
    works("429 with Retry-After, then it works", STREAMABLE, [http(429, b"slow down", "text/plain", "Retry-After: 1")],
          calls=2, check=paused),
    works("503 with Retry-After, then it works", STREAMABLE, [http(503, b"", "text/plain", "Retry-After: 1")], calls=2, check=paused),
    fails("429 without Retry-After", ALL, [http(429, kind=None)], "connect", "HTTP 429", "accepts no more requests"),
    fails("503 without Retry-After", ALL, [http(503, b"maintenance", "text/plain")], "connect", "HTTP 503",
          "temporarily unavailable (maintenance)"),
    # ---- redirects ----
    works("307 to the same origin", ALL, [redirect(307, "/moved")], calls=2),
    works("308 to the same origin, whole URL", ALL, [redirect(308, lambda peer: peer.url.rpartition("/")[0] + "/moved")], calls=2),
    works("308 from the first request on", STREAMABLE, [redirect(308, "/moved")], at="/mcp", again=True, calls=2),
    works("308 of the stream", (SSE,), [redirect(308, "/moved")], at="/sse"),
    fails("307 to another origin", ALL, [redirect(307, lambda peer: peer.other.url)], "connect", "redirected (HTTP 307)", "another origin",
          check=other_origin_saw_nothing),
    fails("308 to another origin from the first request on", FIRST, [redirect(308, lambda peer: peer.other.url)], "connect",
          "redirected (HTTP 308)", "another origin", at="any", again=True, calls=0, check=other_origin_saw_nothing, neighbour=True),
    fails("307 to another name of the same machine", ALL, [redirect(307, lambda peer: f"http://localhost:{peer.port}/mcp")],
          "connect", "another origin"),
    fails("307 to another scheme", ALL, [redirect(307, lambda peer: f"{'http' if peer.tls else 'https'}://127.0.0.1:{peer.port}/mcp")], "connect", "another origin"),
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
          "lost the session and did not start a new one", "HTTP 500"),
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
    fails("a revision nobody knows", (SESSION, AUTO), [http(200, UNKNOWN)], "protocol", "'2099-01-01'", "unsupported protocol version",
          at="initialize", again=True, calls=0),
    fails("a revision nobody knows, in an event", (SESSION, AUTO, SSE), [events(b"data: " + UNKNOWN + b"\n\n"), END], "protocol",
          "'2099-01-01'", "unsupported protocol version", at="initialize", again=True, calls=0),
    works("the answer to initialize is fetched", (SESSION,),
          [("initialize", [begun_in_pieces, END]), ("GET", [events(b"id: p2\ndata: " + OPENED + b"\n\n"), END])],
          check=stayed_in_session),
    fails("the session is forgotten as soon as it is there", (SESSION, AUTO), [http(404, NO_SESSION)], "connect",
          "has lost the session that it has just started", at="notifications/initialized", again=True, calls=0, timeout=5,
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
          "endpoint of the event stream", "another origin", at="GET", again=True, calls=0, check=other_origin_saw_nothing, neighbour=True),
    fails("the endpoint is no URL", (SSE,), [events(b"event: endpoint\ndata: http://[\n\n"), HANG], "connect", "endpoint of the event stream",
          at="GET", again=True, calls=0),
    fails("the stream ends before the endpoint", (SSE,), [events(b": hello\n\n"), END], "connect",
          "the event stream ended before its endpoint event", at="GET", again=True, calls=0),
    fails("the endpoint never comes", (SSE,), [events(b": hello\n\n"), HANG], "timeout", "raise start_timeout", at="GET", again=True, calls=0,
          timeout=1),
    fails("the stream ends in a call", (SSE,), [events(DATA[:30]), END], "connect", "closed the event stream and thereby the session",
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
