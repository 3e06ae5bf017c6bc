"""HTTP servers of the campaigns, all in one process: usage: peers.py NAME=KIND…

Kinds: "json" and "stream" (a session; answers as JSON, or as an event stream), "stateless" and "stateless-stream"
(2026-07-28), "sse" (HTTP+SSE). Prints {"NAME": URL, …} and ends when stdin does. The argument `fault` of a call asks for
one of FAULTS.
"""

import asyncio
import contextlib
import itertools
import json
import os
import socket
import struct
import sys

EVENTS = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {}, "completions": {}}
LISTS = {
    "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
                             {"name": "ask", "inputSchema": {"type": "object"}}]},
    "resources/templates/list": {"resourceTemplates": []},
    "prompts/list": {"prompts": [{"name": "say", "arguments": [{"name": "nonce", "required": True}]}]},
}
QUESTION = {"method": "elicitation/create", "params": {"mode": "form", "message": "Well?", "requestedSchema": {
    "type": "object", "properties": {"word": {"type": "string"}}}}}


class Gone(Exception):
    pass


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(message):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return chunk(b"event: message\ndata: " + data + b"\n\n")


class Exchange:
    """One request and the way to answer it."""

    def __init__(self, peer, writer, headers, message, path):
        self.peer, self.writer, self.headers, self.message, self.path = peer, writer, headers, message, path
        self.id, self.streams = message.get("id"), False

    def write(self, data):
        if self.writer.is_closing():
            raise Gone
        self.writer.write(data)

    def head(self, status, kind="application/json", length=None, *more):
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", *more]
        if length is not None:
            lines.append(f"Content-Length: {length}")
        self.write("\r\n".join(lines).encode() + b"\r\n\r\n")

    def plain(self, status, body=b"", *more):
        self.head(status, "application/json", len(body), *more)
        self.write(body)

    def begin_stream(self):
        if not self.streams and self.peer.kind != "sse":
            self.write(EVENTS.encode())
        self.streams = True

    def say(self, message):
        """A message on the stream of this request."""
        self.begin_stream()
        if self.peer.kind == "sse":
            self.peer.to_stream(self.path, event(message))
        else:
            self.write(event(message))

    def end(self):
        if self.streams and self.peer.kind != "sse":
            self.write(b"0\r\n\r\n")

    def answer(self, outcome, *more):
        message = {"jsonrpc": "2.0", "id": self.id, **outcome}
        if self.streams or self.peer.kind in ("stream", "stateless-stream", "sse"):
            self.say(message)
            self.end()
        else:
            self.plain(200, json.dumps(message).encode(), *more)

    def reset(self):
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        raise Gone


# ---- faults: what happens instead of the answer `outcome` ----

def reset(x, outcome):
    del outcome
    x.reset()


def close(x, outcome):
    del outcome
    x.writer.close()
    raise Gone


def half(x, outcome):
    body = json.dumps({"jsonrpc": "2.0", "id": x.id, **outcome}).encode()
    x.head(200, "application/json", len(body))
    x.write(body[:len(body) // 2])
    x.writer.close()
    raise Gone


async def half_and_hang(x, outcome):
    body = json.dumps({"jsonrpc": "2.0", "id": x.id, **outcome}).encode()
    x.head(200, "application/json", len(body))
    x.write(body[:len(body) // 2])
    await hang(x, outcome)


async def hang(x, outcome):
    del outcome
    while not x.writer.is_closing():
        await asyncio.sleep(0.2)
        if x.writer not in x.peer.readers or x.peer.readers[x.writer].at_eof():
            break
    x.writer.close()
    raise Gone


def status(code, *more):
    def fault(x, outcome):
        del outcome
        x.plain(code, b"no", *more)
    return fault


def text(body, kind="application/json"):
    def fault(x, outcome):
        del outcome
        data = body.replace(b"@@", json.dumps(x.id).encode())
        x.head(200, kind, len(data))
        x.write(data)
    return fault


def twice(x, outcome):
    x.begin_stream()
    for _ in range(2):
        x.say({"jsonrpc": "2.0", "id": x.id, **outcome})
    x.end()


def unknown_ids(x, outcome):
    x.begin_stream()
    for id in (987654321, "987654321", -1, 0, str(x.id)):
        x.say({"jsonrpc": "2.0", "id": id, "result": {"content": []}})
    x.say({"jsonrpc": "2.0", "id": x.id, **outcome})
    x.end()


def comments(x, outcome):
    x.begin_stream()
    if x.peer.kind != "sse":
        for _ in range(500):
            x.write(chunk(b":\n\n"))
    x.say({"jsonrpc": "2.0", "id": x.id, **outcome})
    x.end()


def bad_chunks(x, outcome):
    del outcome
    x.write(EVENTS.encode() + b"zz\r\nnonsense\r\n")
    x.writer.close()
    raise Gone


async def bytewise(x, outcome):
    body = json.dumps({"jsonrpc": "2.0", "id": x.id, **outcome}).encode()
    data = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    for k in range(0, len(data), 1 + len(data) // 400):
        x.write(data[k:k + 1 + len(data) // 400])
        await x.writer.drain()


def stream_cut(x, outcome):
    """The stream ends properly, without the answer."""
    del outcome
    x.begin_stream()
    x.say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "nobody", "progress": 1}})
    x.end()


FAULTS = {
    "reset": reset, "close": close, "half": half, "half-hang": half_and_hang, "hang": hang, "500": status(500),
    "503": status(503, "Retry-After: 1"), "429": status(429, "Retry-After: 0"), "401": status(401), "404": status(404), "204": status(204),
    "302": status(302, "Location: /mcp"), "html": text(b"<html>no</html>", "text/html"), "garbage": text(b"\0\xff{{{["),
    "empty": text(b""), "array": text(b'{"jsonrpc":"2.0","id":@@,"result":[1]}'), "neither": text(b'{"jsonrpc":"2.0","id":@@}'),
    "both": text(b'{"jsonrpc":"2.0","id":@@,"result":{},"error":{"code":1,"message":"both"}}'),
    "deep": text(b'{"jsonrpc":"2.0","id":@@,"result":{"x":' + b"[" * 100000 + b"]" * 100000 + b"}}"),
    "twice": twice, "unknown-ids": unknown_ids, "comments": comments, "bad-chunks": bad_chunks, "bytewise": bytewise,
    "stream-cut": stream_cut,
}
ON_ANY_STREAM = {"twice", "unknown-ids", "comments", "stream-cut", "hang"}  # make sense for HTTP+SSE, too


class Peer:
    def __init__(self, name, kind):
        self.name, self.kind, self.sessions, self.numbers = name, kind, set(), itertools.count(1)
        self.streams, self.answers, self.readers, self.asked, self.owner = {}, {}, {}, itertools.count(1), ""
        self.server, self.tasks = None, set()

    @property
    def is_stateless(self):
        return self.kind.startswith("stateless")

    async def open(self, port=0):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=1 << 26)
        port = self.server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/{'sse' if self.kind == 'sse' else 'mcp'}"

    async def _serve(self, reader, writer):
        self.readers[writer] = reader
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.split("\r\n")
                headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines if line)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                verb, path = first.split(" ")[:2]
                await self._request(Exchange(self, writer, headers, json.loads(body) if body else {}, path), verb)
                await writer.drain()
        except (Gone, OSError, asyncio.IncompleteReadError, ValueError):
            pass
        finally:
            del self.readers[writer]
            with contextlib.suppress(Exception):
                writer.close()

    async def _request(self, x, verb):
        if verb == "GET" and self.kind == "sse":
            await self._hold_stream(x)
        elif verb != "POST":
            x.plain(405 if verb == "GET" else 200)
        elif self.kind == "sse" and x.path.split("=")[-1] not in self.streams:
            x.plain(404)
        elif not self.is_stateless and self.kind != "sse" and not self._is_of_a_session(x):
            x.plain(404, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')
        elif "method" not in x.message or x.id is None:
            if x.id in self.answers:
                self.answers.pop(x.id).set_result(x.message)
            x.plain(202)
        else:
            if self.kind == "sse":  # further requests may come on this connection before the answer
                x.plain(202)
                self.tasks.add(task := asyncio.ensure_future(self._answer_aside(x)))
                task.add_done_callback(self.tasks.discard)
            else:
                await self._answer(x)

    async def _answer_aside(self, x):
        with contextlib.suppress(Gone, OSError):
            await self._answer(x)

    def _is_of_a_session(self, x):
        return x.message.get("method") == "initialize" or x.headers.get("mcp-session-id") in self.sessions

    def to_stream(self, path, data):
        writer = self.streams.get(path.split("=")[-1])
        if writer is None or writer.is_closing():
            raise Gone
        writer.write(data)

    async def _hold_stream(self, x):
        name = str(next(self.numbers))
        self.streams[name] = x.writer
        x.write(EVENTS.encode() + chunk(f"event: endpoint\ndata: /messages?session={name}\n\n".encode()))
        try:
            await self.readers[x.writer].read(1)
        finally:
            del self.streams[name]
        raise Gone

    async def _answer(self, x):
        method, params = x.message["method"], x.message.get("params", {})
        if method == "subscriptions/listen":
            await self._listen(x, params)
            return
        if method == "tools/call":
            await self._call(x, params)
            return
        result, more = self._result(method, params), ()
        if method == "initialize" and self.kind in ("json", "stream"):
            session = str(next(self.numbers))
            self.sessions.add(session)
            if len(self.sessions) > 10000:
                self.sessions.clear()
            more = (f"Mcp-Session-Id: {session}",)
        if result is None:
            x.answer({"error": {"code": -32601, "message": "Method not found"}})
        elif more:
            x.plain(200, json.dumps({"jsonrpc": "2.0", "id": x.id, "result": result}).encode(), *more)
        else:
            x.answer({"result": self._complete(result)})

    def _complete(self, result):
        return {**result, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if self.is_stateless else result

    def _result(self, method, params):
        if method == "initialize" and not self.is_stateless:
            return {"protocolVersion": params.get("protocolVersion"), "capabilities": CAPABILITIES, "serverInfo": {"name": self.name, "version": "1"}}
        if method == "server/discover" and self.is_stateless:
            return {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES}
        if method == "resources/list":
            return {"resources": [{"uri": f"{self.name}://one", "name": "one"}]}
        if method == "resources/read":
            return {"contents": [{"uri": params["uri"], "text": params["uri"]}]}
        if method == "prompts/get":
            return {"messages": [{"role": "user", "content": {"type": "text", "text": params["arguments"]["nonce"]}}]}
        if method == "completion/complete":
            return {"completion": {"values": [params["argument"]["value"]]}}
        if method in ("ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"):
            return {}
        return LISTS.get(method)

    async def _listen(self, x, params):
        x.begin_stream()
        meta = {"io.modelcontextprotocol/subscriptionId": x.id}
        x.say({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
            "notifications": params.get("notifications", {}), "_meta": meta}})
        await self.readers[x.writer].read(1)
        raise Gone

    async def _call(self, x, params):
        given = params.get("arguments", {})
        self.owner = self.owner or given.get("principal", "")
        outcome = {"result": self._complete({
            "structuredContent": {"nonce": given.get("nonce"), "server": self.name, "pid": os.getpid()},
            "content": [{"type": "text", "text": given.get("nonce", "") + " " + "0123456789abcdef" * (given.get("size", 0) // 16)}]})}
        token = params.get("_meta", {}).get("progressToken")
        for n in range(given.get("progress", 0) if token is not None else 0):
            x.say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": n + 1}})
        if given.get("delay_ms"):
            await asyncio.sleep(given["delay_ms"] / 1000)
        if params.get("name") == "ask" and "inputResponses" not in params:
            if self.is_stateless:
                x.answer({"result": {"resultType": "input_required", "inputRequests": {"q": QUESTION}, "requestState": "s",
                                     "ttlMs": 0, "cacheScope": "private"}})
                return
            await self._ask(x)
        fault = FAULTS.get(given.get("fault"))
        if not fault or (self.kind == "sse" and given["fault"] not in ON_ANY_STREAM):
            x.answer(outcome)
        elif (going := fault(x, outcome)) is not None:
            await going

    async def _ask(self, x):
        id = f"q{next(self.asked)}"
        self.answers[id] = asyncio.get_running_loop().create_future()
        x.say({"jsonrpc": "2.0", "id": id, **QUESTION})
        try:
            await asyncio.wait_for(self.answers[id], 30)
        except asyncio.TimeoutError:
            self.answers.pop(id, None)


async def main():
    urls = {}
    for argument in sys.argv[1:]:
        name, kind = argument.split("=")
        urls[name] = await Peer(name, kind).open()
    print(json.dumps(urls), flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()


if __name__ == "__main__":
    asyncio.run(main())
