"""Clients of both eras for the campaigns: over HTTP (JSON and event streams), over stdio, and attached to the control socket.

Every request goes through an Oracle (oracle.py). `ask()` returns the request once it has its outcome and never raises for
what a server or the gateway does wrong.
"""

import asyncio
import contextlib
import itertools
import json
import time

from oracle import CUT, REFUSED
from wire import Connection, Cut

REVISION, STATELESS = "2025-11-25", "2026-07-28"
ACCEPT = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
CAPABILITIES = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
INFO = {"name": "campaign", "version": "1"}
META = "io.modelcontextprotocol/"
ATTACHED_S = 6  # as `--timeout`, for attached clients
ISOLATED = ("own",)  # servers of which each principal has its own process
SLOW = ("delay_ms", "cancel_ms", "tool", "size", "pad", "fault")  # such calls tell nothing of the gateway's speed


def params_of(kind, server, nonce, owner=None, bare=False, tool="echo", **arguments):
    """What a request of that kind says; its answer tells the nonce. `bare`: the names have no server in front."""
    name = (lambda own: own) if bare else (lambda own: f"{server}__{own}")
    if kind == "tools/call":
        return {"name": name(tool), "arguments": {"nonce": nonce, **({"principal": owner} if owner else {}), **arguments}}
    if kind == "resources/read":
        return {"uri": f"{server}://n/{nonce}"}
    if kind == "prompts/get":
        return {"name": name("say"), "arguments": {"nonce": nonce}}
    if kind == "completion/complete":
        return {"ref": {"type": "ref/prompt", "name": name("say")}, "argument": {"name": "nonce", "value": nonce}}
    if kind in ("resources/subscribe", "resources/unsubscribe"):
        return {"uri": f"{server}://one"}
    return {}


def reply_to(question):
    """What a client answers to a question of a server."""
    method = question["method"]
    if method == "elicitation/create":
        return {"action": "accept", "content": {"word": "yes"}}
    if method == "sampling/createMessage":
        return {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}
    return {"roots": []} if method == "roots/list" else {}


class Client:
    bare, cancels, behind_proxy = False, True, False
    arm = None  # called with request, server and the plan of a proxy (proxy.py) before a request is sent

    def __init__(self, oracle, label, owner=None):
        self.oracle, self.label, self.owner = oracle, label, owner
        self.ids, self.n_questions, self.n_notices = itertools.count(1), 0, 0

    def _params(self, kind, server, request, given):
        plan = given.pop("plan", None)
        if plan:
            self.arm(request, server, plan)
        request.slow = any(key in given for key in SLOW)
        return params_of(kind, server, request.nonce, self.owner if server in ISOLATED else None, self.bare, **given)


class HttpClient(Client):
    """What both eras share: one POST for a request, answered by JSON or a stream."""

    def __init__(self, oracle, label, port, token=None, path="/mcp", accept=None):
        super().__init__(oracle, label, token)
        self.port, self.path = port, path
        self.headers = {**ACCEPT, **({"Accept": accept} if accept else {})}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        self.connections, self.under_way = [], set()

    @contextlib.contextmanager
    def _connection(self):
        conn = self.connections.pop() if self.connections else Connection(self.port)
        self.under_way.add(conn)
        done = False
        try:
            yield conn
            done = True
        finally:
            self.under_way.discard(conn)
            if done and conn.writer is not None and len(self.connections) < 4:
                self.connections.append(conn)
            else:
                conn.close()

    async def post(self, message, headers, on_message):
        """Sends one message; every message of the answer goes to `on_message`. Returns the HTTP status."""
        with self._connection() as conn:
            await conn.send("POST", self.path, {**self.headers, **headers}, json.dumps(message).encode())
            if conn.is_stream:
                async for text in conn.events():
                    await on_message(self._parsed(text))
            else:
                body = await conn.body()
                if body[:1] in (b"{", b"["):
                    await on_message(self._parsed(body))
                elif conn.status >= 400:
                    await on_message({"id": None, "error": {"message": body.decode(errors="replace")[:200]}})
            return conn.status

    def _parsed(self, text):
        try:
            return json.loads(text)
        except ValueError:
            if not self.arm or not self.behind_proxy:
                self.oracle.misdirected.append((self.label, "no JSON", "", text[:200]))
            raise Cut("an answer that is no JSON") from None

    async def exchange(self, request, message, headers, on_answer):
        """The outcome of a request, by its POST."""
        async def heard(got):
            if "method" in got:
                await self.told(got)
            elif got.get("id") == message["id"] and "id" in got:
                on_answer(got)
            elif got.get("id") is None and "error" in got:
                self.oracle.settle(request, REFUSED, got["error"].get("message"))
            else:
                self.oracle.stranger(self.label, got)
        try:
            status = await self.post(message, headers, heard)
            return status
        except (Cut, asyncio.TimeoutError) as error:
            if request.outcome is None:
                self.oracle.settle(request, CUT, error)
            return 0

    async def told(self, message):
        self.n_notices += 1

    def cut(self, reset=True):
        """All connections end at once."""
        for conn in [*self.under_way, *self.connections]:
            conn.close(reset)
        self.connections.clear()


class Handshake(HttpClient):
    """A client with a session."""

    def __init__(self, oracle, label, port, token=None, revision=REVISION, **more):
        super().__init__(oracle, label, port, token, **more)
        self.revision, self.session, self.getting = revision, None, None

    async def start(self):
        """True once the session is there."""
        request = self.oracle.expect("initialize", "", self.label)
        self.session = None
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": self.revision, "capabilities": CAPABILITIES, "clientInfo": INFO}}
        try:
            with self._connection() as conn:
                await conn.send("POST", self.path, self.headers, json.dumps(message).encode())
                session = conn.headers.get("mcp-session-id")
                body = await conn.body() if not conn.is_stream else b"".join([t async for t in conn.events() if b'"id":0' in t])
        except Cut as error:
            self.oracle.settle(request, CUT, error)
            return False
        if not session or conn.status != 200:
            self.oracle.settle(request, REFUSED, body[:200])
            return False
        self.oracle.answered(request, json.loads(body))
        self.session = {"Mcp-Session-Id": session, "MCP-Protocol-Version": self.revision}
        return await self.notify("notifications/initialized")

    async def notify(self, method, params=None):
        async def nothing(message):
            del message
        try:
            message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}
            return await self.post(message, self.session, nothing) == 202
        except Cut:
            return False

    async def ask(self, kind, server, cancel_ms=None, may_end=False, **given):
        """`cancel_ms`: the request is cancelled after that time. `may_end`: the client itself ends its session meanwhile."""
        request, id = self.oracle.expect(kind, server, self.label), next(self.ids)
        message = {"jsonrpc": "2.0", "id": id, "method": kind, "params": self._params(kind, server, request, given)}
        if given.get("progress"):
            message["params"]["_meta"] = {"progressToken": request.nonce}
        canceller = asyncio.ensure_future(self._cancel(id, cancel_ms)) if cancel_ms is not None else None
        status = await self.exchange(request, message, self.session, lambda got: self.oracle.answered(request, got, self.owner))
        if canceller:
            await canceller
        if request.outcome is None and status:
            if canceller or may_end or self.behind_proxy:  # which may have made garbage of the answer
                self.oracle.settle(request, CUT, "cancelled")
            else:
                self.oracle.lost.append((self.label, server, kind, f"{request.nonce}: HTTP {status} and no answer"))
                self.oracle.open.pop(request.nonce, None)
        return request

    async def _cancel(self, id, ms):
        await asyncio.sleep(ms / 1000)
        await self.notify("notifications/cancelled", {"requestId": id, "reason": "enough"})

    async def told(self, message):
        await super().told(message)
        if "id" in message:
            self.n_questions += 1

            async def nothing(got):
                del got
            with contextlib.suppress(Cut):
                await self.post({"jsonrpc": "2.0", "id": message["id"], "result": reply_to(message)}, self.session, nothing)

    def listen(self):
        """Opens the GET stream; no answer may come there."""
        self.getting = asyncio.ensure_future(self._listen())

    async def _listen(self):
        conn = Connection(self.port)
        self.under_way.add(conn)
        with contextlib.suppress(Cut, asyncio.CancelledError):
            await conn.send("GET", self.path, {**self.headers, "Accept": "text/event-stream", **self.session})
            if conn.is_stream:
                async for text in conn.events():
                    message = json.loads(text)
                    if "method" in message:
                        await self.told(message)
                    else:
                        self.oracle.stranger(self.label, message)
        self.under_way.discard(conn)
        conn.close()

    async def leave(self, how="delete"):
        """`how`: "delete" ends the session, "close" and "reset" only its connections."""
        if how == "delete" and self.session:
            with contextlib.suppress(Cut):
                with self._connection() as conn:
                    await conn.send("DELETE", self.path, {**self.headers, **self.session})
                    await conn.body()
        self.cut(how == "reset")
        if self.getting:
            self.getting.cancel()
            await asyncio.wait([self.getting])
            self.getting = None


class Stateless(HttpClient):
    """A client of 2026-07-28."""

    async def start(self):
        return (await self.ask("server/discover", "")).outcome == "result"

    def _wrap(self, id, kind, params):
        meta = {META + "protocolVersion": STATELESS, META + "clientCapabilities": {"elicitation": {"form": {}}}, META + "clientInfo": INFO}
        params = {**params, "_meta": {**meta, **params.get("_meta", {})}}
        headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": kind}
        if kind in NAMED:
            headers["Mcp-Name"] = params[NAMED[kind]]
        return {"jsonrpc": "2.0", "id": id, "method": kind, "params": params}, headers

    async def ask(self, kind, server, cancel_ms=None, **given):
        """`cancel_ms`: the connection is cut after that time, which cancels the request."""
        request = self.oracle.expect(kind, server, self.label)
        params, rounds = self._params(kind, server, request, given), 0
        if given.get("progress"):
            params["_meta"] = {"progressToken": request.nonce}
        status = 200
        while request.outcome is None and status and rounds < 4:
            rounds, again = rounds + 1, {}

            def answered(got, again=again):
                result = got.get("result", {})
                if result.get("resultType") == "input_required" and not again:
                    asked = result["inputRequests"]
                    again["inputResponses"] = {key: reply_to(question) for key, question in asked.items()}
                    if "requestState" in result:
                        again["requestState"] = result["requestState"]
                else:
                    self.oracle.answered(request, got, self.owner)
            message, headers = self._wrap(next(self.ids), kind, params)
            going = self.exchange(request, message, headers, answered)
            if cancel_ms is not None:
                try:
                    await asyncio.wait_for(going, cancel_ms / 1000)
                except asyncio.TimeoutError:
                    self.oracle.settle(request, CUT, "cancelled")
                break
            status = await going
            if not again:
                break
            self.n_questions += 1
            params = {**params, **again}
        if request.outcome is None and self.behind_proxy:
            self.oracle.settle(request, CUT, "garbage of the proxy")
        elif request.outcome is None:
            self.oracle.lost.append((self.label, server, kind, f"{request.nonce}: HTTP {status} and no answer"))
            self.oracle.open.pop(request.nonce, None)
        return request

    async def subscribe(self, uris, seconds):
        """Holds a subscriptions/listen stream for a while, then cuts it."""
        message, headers = self._wrap(next(self.ids), "subscriptions/listen", {
            "notifications": {"toolsListChanged": True, "resourceSubscriptions": uris}})

        async def heard(got):
            await self.told(got)
        with contextlib.suppress(Cut, asyncio.TimeoutError):
            await asyncio.wait_for(self.post(message, headers, heard), seconds)

    async def leave(self, how="close"):
        self.cut(how == "reset")


class Lines(Client):
    """A client that speaks lines: to `serve --stdio`, or to one server over the control socket (`bare`)."""

    cancels = False

    def __init__(self, oracle, label, era="legacy", server=None):
        super().__init__(oracle, label)
        self.era, self.server, self.bare = era, server, server is not None
        self.reader = self.writer = self.process = self.loop = None
        self.waiting, self.cancelled = {}, set()

    async def spawn(self, command, cwd, env):
        self.process = await asyncio.create_subprocess_exec(*command, cwd=cwd, env=env, stdin=asyncio.subprocess.PIPE, limit=1 << 26,
                                                            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
        self.reader, self.writer = self.process.stdout, self.process.stdin
        return await self._begin()

    async def attach(self, path):
        """Greets the control socket as a command does. False if the gateway refuses."""
        try:
            self.reader, self.writer = await asyncio.open_unix_connection(path, limit=1 << 26)
            self.writer.write(json.dumps({"mcptools": 1, "want": "server", "server": self.server, "waitMs": 20000}).encode() + b"\n")
            greeting = json.loads(await self.reader.readline() or b'{"error":1}')
        except (OSError, ValueError):
            greeting = {"error": 1}
        if "error" in greeting:
            if self.writer:
                self.writer.close()
            self.writer = None
            return False
        return await self._begin()

    async def _begin(self):
        self.loop = asyncio.ensure_future(self._read())
        if self.era != "legacy":
            return True
        done = await self._send("initialize", "", {"protocolVersion": REVISION, "capabilities": CAPABILITIES, "clientInfo": INFO})
        await self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return done.outcome == "result"

    async def _write(self, message):
        with contextlib.suppress(OSError):
            self.writer.write(json.dumps(message).encode() + b"\n")
            await self.writer.drain()

    async def _read(self):
        try:
            while line := await self.reader.readline():
                await self._heard(json.loads(line))
        except (OSError, ValueError) as error:
            self.oracle.misdirected.append((self.label, "no message", repr(error), ""))
        for request, future in self.waiting.values():
            self.oracle.settle(request, CUT, "the connection ended")
            future.cancel()
        self.waiting.clear()

    async def _heard(self, message):
        if "method" in message:
            self.n_notices += 1
            if "id" in message:
                self.n_questions += 1
                await self._write({"jsonrpc": "2.0", "id": message["id"], "result": reply_to(message)})
        elif message.get("id") in self.waiting:
            request, future = self.waiting.pop(message["id"])
            if message.get("result", {}).get("resultType") != "input_required":
                self.oracle.answered(request, message, self.owner)
            future.set_result(message)
        elif message.get("id") in self.cancelled:
            self.cancelled.discard(message["id"])  # it was on its way already
        elif message.get("id") is None and "error" in message:
            self.n_notices += 1  # of a line that was no request
        else:
            self.oracle.stranger(self.label, message)

    async def _send(self, kind, server, params, request=None):
        request, id = request or self.oracle.expect(kind, server, self.label), next(self.ids)
        future = asyncio.get_running_loop().create_future()
        if self.loop.done():
            self.oracle.settle(request, CUT, "the connection ended")
            return request
        self.waiting[id] = request, future
        await self._write({"jsonrpc": "2.0", "id": id, "method": kind, "params": params})
        with contextlib.suppress(asyncio.CancelledError):
            if self.bare:  # the time limit is the command's own: it cancels
                await asyncio.wait([future], timeout=ATTACHED_S)
                if not future.done():
                    self.waiting.pop(id)
                    self.cancelled.add(id)
                    await self._write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
                    self.oracle.settle(request, CUT, "cancelled: no answer in time")
                    return request
            message = await future
            result = message.get("result", {})
            if result.get("resultType") == "input_required":
                more = {"inputResponses": {key: reply_to(q) for key, q in result["inputRequests"].items()}}
                if "requestState" in result:
                    more["requestState"] = result["requestState"]
                return await self._send(kind, server, {**params, **more}, request)
        return request

    async def ask(self, kind, server, **given):
        server = self.server or server
        request = self.oracle.expect(kind, server, self.label)
        params = self._params(kind, server, request, given)
        if self.era != "legacy":
            params["_meta"] = {META + "protocolVersion": STATELESS, META + "clientCapabilities": {"elicitation": {"form": {}}},
                               META + "clientInfo": INFO}
        return await self._send(kind, server, params, request)

    async def leave(self, how="close"):
        if self.writer:
            if how == "reset":
                self.writer.transport.abort()
            else:
                self.writer.close()
        if self.loop:
            with contextlib.suppress(asyncio.TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(self.loop, 30)
        if self.process:
            try:
                return await asyncio.wait_for(self.process.wait(), 30)
            except asyncio.TimeoutError:
                self.process.kill()
                await self.process.wait()
                return "did not end"
        return 0


def wait_until(condition, what, patience=60):
    """A coroutine that polls."""
    async def wait():
        end = time.monotonic() + patience
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            await asyncio.sleep(0.05)
        raise AssertionError(f"never happened: {what}")
    return wait()
