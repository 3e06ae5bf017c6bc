"""The faults of the campaign, as a table: what each one does to a running gateway, and what must come of its call.

A fault is a coroutine (campaign, random, victim): it makes the fault and one call or more that meet it. `must` is the
outcome that its own call must have where the fault leaves no choice.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import time

from clients import ACCEPT, Lines, params_of
from oracle import CUT, ERROR, RESULT
from peers import FAULTS as HTTP_FAULTS
from proxy import PLANS
from wire import Connection, Cut

TABLE = {}  # name: (function, weight, kind of victim)


def fault(name, weight, victim=None):
    def add(function):
        TABLE[name] = (function, weight, victim)
        return function
    return add


def verb_of(name):
    return name.split(" ")[-1]


PAUSE_S = 10  # a server that asked for a pause of a second has gone through the calls that waited for it


def check(campaign, name, request, must):
    waited = "for its turn" in str(request.message) and time.monotonic() - campaign.paused.get(request.server, -PAUSE_S) < PAUSE_S
    if must == RESULT and (waited or "no answer within" in str(request.message)):
        campaign.late += 1  # the machine is slow, or another fault made the server ask for a pause
        return
    if verb_of(name) == "close-stdin" and request.outcome == RESULT:
        return  # it answered before
    if must == ERROR and request.outcome == CUT and "cancelled" in str(request.message):
        return  # an attached client has the time limit itself
    if must and request.outcome != must:
        campaign.wrong.append((name, request.nonce, request.outcome, str(request.message)[:200]))


# ---- servers over stdio: what the call itself orders ----

ANSWERED = ("twice", "unknown-ids", "stderr", "storm", "pings", "progress", "logs", "long-line", "bytewise", "answer-die",
            "answer-hang", "stubborn", "strays")
REFUSED = ("half", "both", "neither", "array", "utf8", "deep")
DEADLY = ("die", "exit", "fail", "abort", "answer-die", "half-die", "close-stdout", "strays-die", "answer-hang", "half-hang", "hang", "stop",
          "close-stdin", "mute", "stubborn")
TIMED = ("silent",)
UNCLEAR = ("garbage",)  # a line that looks like a broken answer fails the only call that is open


def stdio_fault(verb):
    async def run(campaign, random, victim):
        client = await campaign.client(random, victim)
        beside = asyncio.ensure_future(campaign.call_beside(random, victim)) if random.random() < 0.3 else None
        request = await client.ask("tools/call", victim, fault=verb, n=random.choice((0, 3, 50)) if verb != "long-line" else 0,
                                   progress=random.choice((0, 0, 2)), size=random.choice((0, 0, 5000)))
        check(campaign, f"stdio {verb}", request, campaign.armed and (RESULT if verb in ANSWERED else ERROR if verb in REFUSED + DEADLY + TIMED else None))
        if beside:
            await beside
        if verb in DEADLY or "strays" in verb or (campaign.armed and request.outcome != RESULT and verb not in REFUSED + TIMED + UNCLEAR):
            await campaign.repair(victim)
    return run


for _verb in ANSWERED + REFUSED + UNCLEAR:
    if _verb not in DEADLY:
        fault(f"stdio: {_verb}", 3, "stdio")(stdio_fault(_verb))
for _verb in DEADLY:
    fault(f"stdio: {_verb}", 0.5, "stdio")(stdio_fault(_verb))
for _verb in TIMED:
    fault(f"stdio: {_verb}", 0.5, "stdio")(stdio_fault(_verb))


@fault("stdio: SIGKILL in a call", 1, "stdio")
async def killed(campaign, random, victim):
    client = await campaign.client(random, victim)
    call = asyncio.ensure_future(client.ask("tools/call", victim, delay_ms=2000))
    await asyncio.sleep(random.random() * 0.05)
    campaign.signal(victim, signal.SIGKILL)
    check(campaign, "SIGKILL", await call, None)
    await campaign.repair(victim)


@fault("stdio: SIGKILL when idle", 1, "stdio")
async def killed_idle(campaign, random, victim):
    campaign.signal(victim, signal.SIGKILL)
    client = await campaign.client(random, victim)
    await client.ask(random.choice(("tools/call", "resources/read", "prompts/get")), victim)
    await campaign.repair(victim)


@fault("stdio: SIGSTOP and SIGCONT", 2, "stdio")
async def stopped(campaign, random, victim):
    client = await campaign.client(random, victim)
    pids = campaign.signal(victim, signal.SIGSTOP)
    call = asyncio.ensure_future(client.ask("tools/call", victim, size=random.choice((0, 100000))))
    await asyncio.sleep(random.random() * 0.2)
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGCONT)
    check(campaign, "SIGSTOP", await call, None)


@fault("stdio: full pipe", 1, "stdio")
async def full_pipe(campaign, random, victim):
    """A server that does not read: more calls than its pipe takes, some of them cancelled."""
    client = await campaign.client(random, victim)
    campaign.signal(victim, signal.SIGSTOP)
    calls = [asyncio.ensure_future(client.ask("tools/call", victim, pad="x" * 60000, **({"cancel_ms": 50} if client.cancels and k % 2 else {})))
             for k in range(6)]
    await asyncio.sleep(0.2)
    campaign.signal(victim, random.choice((signal.SIGCONT, signal.SIGKILL)))
    await asyncio.gather(*calls)
    await campaign.repair(victim)


def ordered(verb):
    """What the control socket of the server orders, in no call."""
    async def run(campaign, random, victim):
        campaign.order(victim, verb)
        client = await campaign.client(random, victim)
        await client.ask("tools/call", victim)
        if verb in DEADLY:
            await campaign.repair(victim)
    return run


for _verb in ("garbage", "storm 100", "pings 50", "logs 100", "progress 100", "stderr 300000", "long-line 300000"):
    fault(f"stdio unasked: {_verb.split()[0]}", 2, "stdio")(ordered(_verb))
for _verb in ("die", "exit", "close-stdout", "hang"):
    fault(f"stdio unasked: {_verb}", 0.5, "stdio")(ordered(_verb))


# ---- servers behind a URL ----

def http_fault(name):
    async def run(campaign, random, victim):
        client = await campaign.client(random, victim)
        if name == "503":  # it has a Retry-After
            campaign.paused[victim] = time.monotonic()
        request = await client.ask("tools/call", victim, fault=name)
        must = RESULT if name in ("twice", "unknown-ids", "comments", "bytewise") else None
        check(campaign, f"http {name}", request, campaign.armed and victim != "old" and must)  # all share one stream of "old"
    return run


for _name in HTTP_FAULTS:
    fault(f"http: {_name}", 0.3 if "hang" in _name else 2, "http")(http_fault(_name))


def wire_fault(plan):
    """The connection of the gateway to the server breaks at any byte."""
    async def run(campaign, random, victim):
        client, kind = await campaign.client(random, victim), random.choice(("tools/call",) * 4 + ("resources/read", "prompts/get"))
        request = await client.ask(kind, victim, plan=(plan, random.randrange(0, 700)))
        must = None  # one byte at a time may take longer than a call may
        check(campaign, f"wire {plan}", request, campaign.armed and must)
        seen = campaign.proxies[victim].seen.get(request.nonce, 0)
        if seen > 1 and kind == "tools/call":
            campaign.wrong.append((f"wire {plan}", request.nonce, f"sent {seen} times to {victim}", ""))
    return run


for _plan in PLANS:
    fault(f"to a server: {_plan}", 1 if _plan in ("stall", "swallow", "stall-request", "half-close", "slow") else 14, "proxied")(wire_fault(_plan))


# ---- clients ----

def client_wire_fault(plan):
    async def run(campaign, random, victim):
        client = await campaign.client(random, victim, through_proxy=True)
        call = asyncio.ensure_future(client.ask("tools/call", victim, plan=(plan, random.randrange(0, 900)), size=random.choice((0, 3000))))
        await asyncio.wait([call], timeout=3)
        while not call.done():
            client.cut()
            await asyncio.wait([call], timeout=0.1)
        client.cut()
    return run


for _plan in PLANS:
    fault(f"from a client: {_plan}", 0.5 if _plan in ("stall", "swallow", "stall-request", "half-close", "slow") else 8, "any")(client_wire_fault(_plan))

JUNK = [b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n", b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n", b"{\"jsonrpc\":\"2.0\"}\n" * 50, b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"A" * 70000]


@fault("from a client: garbage for HTTP", 6)
async def junk(campaign, random, victim):
    del victim
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", campaign.p.port)
        writer.write(random.choice(JUNK) if random.random() < 0.5 else random.randbytes(random.randrange(1, 2000)))
        if random.random() < 0.3:
            writer.write_eof()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(reader.read(), 0.1)
        writer.transport.abort()
    except OSError:
        pass


BODIES = [b"{", b"[]", b"null", b"{\"jsonrpc\":\"2.0\",\"id\":1}", b"\xff\xfe", b"[" * 5000, b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", b"",
          b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[]}", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
          b"{\"jsonrpc\":\"2.0\",\"id\":1e400,\"method\":\"ping\"}", b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
          b"{\"jsonrpc\":\"2.0\",\"id\":987654,\"result\":{}}"]


@fault("from a client: garbage for JSON-RPC", 6)
async def bad_body(campaign, random, victim):
    del victim
    conn = Connection(campaign.p.port)
    headers = {**ACCEPT, "Authorization": f"Bearer {campaign.token(random)}", **random.choice(({}, {"Mcp-Session-Id": "x"}, {"MCP-Protocol-Version": "2026-07-28"}))}
    body = random.choice(BODIES)
    try:
        await conn.send(random.choice(("POST", "POST", "DELETE", "GET", "PUT")), "/mcp", headers, body)
        if not conn.is_stream:
            await conn.body()
    except Cut:
        pass
    conn.close(True)


@fault("from a client: reads nothing", 1, "any")
async def reads_nothing(campaign, random, victim):
    """Stopped in the middle of a big answer; goes on, or is gone."""
    request, token = campaign.oracle.expect("tools/call", victim, "stopped client"), campaign.token(random)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params_of("tools/call", victim, request.nonce, size=3 << 20)}
    message["params"]["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    body = json.dumps(message).encode()
    head = (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nConnection: close\r\n"
            "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
            f"Mcp-Name: {victim}__echo\r\nContent-Length: {len(body)}\r\n\r\n").encode()
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setblocking(False)
    loop = asyncio.get_running_loop()
    try:
        await loop.sock_connect(sock, ("127.0.0.1", campaign.p.port))
        await loop.sock_sendall(sock, head + body)
        await asyncio.sleep(random.random() * 0.3)
        got = b""
        if random.random() < 0.5:
            while data := await asyncio.wait_for(loop.sock_recv(sock, 1 << 20), 60):
                got += data
        if got and got.count(request.nonce.encode()) > 2:
            campaign.wrong.append(("reads nothing", request.nonce, "nonce too often", got[-100:]))
    except (OSError, asyncio.TimeoutError):
        pass
    sock.close()
    campaign.oracle.settle(request, CUT, "gone")


@fault("from a client: slow request", 1, "any")
async def slow_request(campaign, random, victim):
    conn_reader, writer = await asyncio.open_connection("127.0.0.1", campaign.p.port)
    data = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\n{\"jsonrpc\":"
    for k in range(random.randrange(5, len(data))):
        writer.write(data[k:k + 1])
        await asyncio.sleep(0.003)
    writer.transport.abort()
    del conn_reader, victim


@fault("control socket: garbage, cut greetings", 3)
async def control_junk(campaign, random, victim):
    del victim
    greeting = json.dumps({"mcptools": 1, "want": random.choice(("control", "server", "x")), "server": "good", "waitMs": 10}).encode() + b"\n"
    with contextlib.suppress(OSError):
        reader, writer = await asyncio.open_unix_connection(campaign.p.socket_path())
        choice = random.randrange(4)
        if choice == 0:
            writer.write(random.randbytes(random.randrange(1, 5000)))
        elif choice == 1:
            writer.write(greeting[:random.randrange(len(greeting))])
        else:
            writer.write(greeting + random.choice((b"{\n", b"[]\n", b"\xff\n", b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')))
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(reader.read(1000), 0.1)
        writer.transport.abort()


@fault("attached: ends in a call", 2, "any")
async def attached_ends(campaign, random, victim):
    client = Lines(campaign.oracle, "attached", server=victim)
    if not await client.attach(campaign.p.socket_path()):
        return
    call = asyncio.ensure_future(client.ask("tools/call", victim, delay_ms=500))
    await asyncio.sleep(random.random() * 0.05)
    await client.leave("reset")
    await call


@fault("session: ends in a call", 2, "any")
async def session_ends(campaign, random, victim):
    client = await campaign.new_session(random)
    if not client.session:
        return
    call = asyncio.ensure_future(client.ask("tools/call", victim, delay_ms=500, may_end=True))
    await asyncio.sleep(random.random() * 0.05)
    other = await campaign.client(random, victim, kind="session")
    with contextlib.suppress(Cut):
        conn = Connection(campaign.p.port)
        await conn.send("DELETE", "/mcp", {**client.headers, **client.session})
        await conn.body()
        conn.close()
    await call
    await other.ask("tools/call", "good")


@fault("reload with changed servers", 1)
async def reload(campaign, random, victim):
    del victim
    changing = campaign.p.servers["changing"]
    changing["env"]["ROUND"] = str(random.randrange(1000000))
    if "coming" in campaign.p.servers:
        del campaign.p.servers["coming"]
    else:
        campaign.p.servers["coming"] = campaign.p.stdio("coming")
    campaign.p.write_config()
    campaign.p.process.send_signal(signal.SIGHUP)
    client = await campaign.client(random, "changing")
    await asyncio.gather(*(client.ask("tools/call", server) for server in ("changing", "coming", "changing")))
