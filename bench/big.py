#!/usr/bin/env python3
"""Measures how much memory one long message costs on each way through mcptools: the peak of the process minus what it
holds idle, divided by the length of the message. Counts bytes, not time.

    python3 bench/big.py build/mcptools [--mib 100] [--max 1.3] [--only WORD]

With --max, exits with 1 if a way needs more. The server at the other end is this file.
"""
import argparse
import gzip
import http.client
import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20


# ---- the server ----

def text_of(n):
    line = "0123456789 abcdefghijklmnopqrstuvwxyz äöü\\n"
    unit = line.encode()
    return (unit * (n // len(unit) + 1))[: n // len(unit) * len(unit)]


def result_of(n):
    return b'{"content":[{"type":"text","text":"' + text_of(n) + b'"}]}'


TOOL = {"name": "big", "description": "Returns n bytes of text.",
        "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}, "text": {"type": "string"}}}}


def answer(message):
    """Returns the answer to a message as bytes, or None."""
    if "id" not in message:
        return None
    method, ident = message["method"], json.dumps(message["id"]).encode()
    if method == "initialize":
        result = json.dumps({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                             "serverInfo": {"name": "big", "version": "1"}}).encode()
    elif method == "tools/list":
        result = json.dumps({"tools": [TOOL]}).encode()
    elif method == "tools/call":
        arguments = message["params"].get("arguments", {})
        if arguments.get("events"):
            time.sleep(1.5)  # the gateway makes a silent answer a stream
        if "text" in arguments:
            said = '{"content":[{"type":"text","text":"%d"}]}' % len(arguments["text"])
            result = said.encode()
        else:
            result = result_of(arguments["n"])
    elif method == "ping":
        result = b"{}"
    else:
        return b'{"jsonrpc":"2.0","id":' + ident + b',"error":{"code":-32601,"message":"unknown method"}}'
    return b'{"jsonrpc":"2.0","id":' + ident + b',"result":' + result + b"}"


def serve_stdio():
    for line in sys.stdin.buffer:
        said = answer(json.loads(line))
        if said:
            sys.stdout.buffer.write(said + b"\n")
            sys.stdout.buffer.flush()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    way = "json"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = answer(message)
        if said is None:
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if self.way == "sse":
            said = b"event: message\ndata: " + said + b"\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if self.way == "sse" else "application/json")
        if self.way == "gzip":
            said = gzip.compress(said, 1)
            self.send_header("Content-Encoding", "gzip")
        if self.way == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for at in range(0, len(said), 100000):
                part = said[at: at + 100000]
                self.wfile.write(b"%x\r\n" % len(part) + part + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")
            return
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)


def serve_http(way):
    Handler.way = way
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


# ---- measuring ----

def status_kib(pid, name):
    with open(f"/proc/{pid}/status") as f:
        for line in f:
            if line.startswith(name + ":"):
                return int(line.split()[1])
    raise KeyError(name)


class Gateway:
    def __init__(self, program, servers, more=()):
        self.folder = tempfile.TemporaryDirectory(prefix="mcptools-big-")
        config = {"mcpServers": servers,
                  "mcptools": {"limits": {"message_bytes": 128 * MIB, "memory_bytes": 4096 * MIB},
                               "serve": {"legacy_sse": True}}}
        self.path = os.path.join(self.folder.name, "mcptools.json")
        with open(self.path, "w") as f:
            json.dump(config, f)
        self.program = program
        self.process = None

    def run(self, *args, **kinds):
        env = dict(os.environ, HOME=self.folder.name, XDG_RUNTIME_DIR=self.folder.name, XDG_CACHE_HOME=self.folder.name,
                   XDG_STATE_HOME=self.folder.name, XDG_CONFIG_HOME=self.folder.name)
        return subprocess.Popen([self.program, "--config", self.path, *args], env=env, stderr=subprocess.DEVNULL, **kinds)

    def start(self, *args, **kinds):
        self.process = self.run(*args, **kinds)
        return self.process

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.folder.cleanup()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class HttpClient:
    def __init__(self, port):
        self.port, self.session = port, None
        for _ in range(400):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        self.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                 "clientInfo": {"name": "big", "version": "1"}})
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.call("tools/list", {})

    def post(self, message):
        c = http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        c.request("POST", "/mcp", json.dumps(message), headers)
        r = c.getresponse()
        self.session = r.getheader("Mcp-Session-Id") or self.session
        n, tail, whole = 0, b"", []
        while True:
            part = r.read(1 << 16)
            if not part:
                break
            n += len(part)
            tail = (tail + part)[-64:]
            if n < MIB:
                whole.append(part)
        self.kind = r.getheader("Content-Type")
        c.close()
        if r.status >= 400:
            raise RuntimeError(f"{r.status} {b''.join(whole)[:300]}")
        return n, b"".join(whole)

    def call(self, method, params):
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


class StdioClient:
    def __init__(self, process):
        self.process = process
        self.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                 "clientInfo": {"name": "big", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.call("tools/list", {})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, method, params):
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the program has ended")
            if len(line) > MIB or b'"id":1' in line:
                return len(line), line[:MIB]


def measure(client, process, n, up):
    """Returns the length of the message and the peak during its call."""
    time.sleep(0.3)
    with open(f"/proc/{process.pid}/clear_refs", "w") as f:
        f.write("5")  # resets the peak
    idle = status_kib(process.pid, "VmRSS")
    arguments = {"text": "x" * n} if up else {"n": n}
    length, said = client.call("tools/call", {"name": "big__big", "arguments": arguments})
    if not up and length < n:
        raise RuntimeError(f"short answer: {said[:300]}")
    if up and str(n).encode() not in said:
        raise RuntimeError(f"wrong answer: {said[:300]}")
    return (n if up else length), (status_kib(process.pid, "VmHWM") - idle) * 1024


def http_server(way):
    p = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--serve", way], stdout=subprocess.PIPE)
    return p, int(p.stdout.readline())


STDIO = {"command": sys.executable, "args": [os.path.abspath(__file__), "--serve", "stdio"], "timeout": 600}


def ways():
    for source in ("stdio", "json", "chunked", "gzip", "sse"):
        for front in ("http", "event", "stdio", "command raw", "command json", "command attached"):
            yield source, front, False
    for source in ("stdio", "json"):
        for front in ("http", "stdio"):
            yield source, front, True


def run_way(program, source, front, up, n):
    peer, server = None, dict(STDIO)
    if source != "stdio":
        peer, port = http_server(source)
        server = {"url": f"http://127.0.0.1:{port}/mcp", "type": "streamable-http", "timeout": 600}
    g = Gateway(program, {"big": server})
    try:
        if front in ("http", "event"):
            return by_http(g, front, up, n)
        if front == "stdio":
            p = g.start("serve", "--stdio", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            return measure(StdioClient(p), p, n, up)
        return by_command(g, front, n)
    finally:
        g.close()
        if peer:
            peer.kill()
            peer.wait()


def by_http(g, front, up, n):
    port = free_port()
    p = g.start("serve", "--http", f"127.0.0.1:{port}")
    client = HttpClient(port)
    if front == "event":
        client = EventClient(client)
    return measure(client, p, n, up)


class EventClient:
    """Lets the answer come as an event: the server waits until the gateway has made it a stream."""

    def __init__(self, inner):
        self.inner = inner

    def call(self, method, params):
        params = dict(params, arguments=dict(params["arguments"], events=True))
        said = self.inner.call(method, params)
        if self.inner.kind != "text/event-stream":
            raise RuntimeError(f"the answer is no stream: {self.inner.kind}")
        return said


def by_command(g, front, n):
    if front == "command attached":
        port = free_port()
        g.start("serve", "--http", f"127.0.0.1:{port}")
        HttpClient(port)  # the server has been listed
    form = "json" if front == "command json" else "raw"
    p = g.run("call", "big.big", f"n={n}", "-o", form, stdout=subprocess.PIPE)
    idle = 0
    while not idle:  # the program has started, the answer is not there yet
        time.sleep(0.1)
        idle = status_kib(p.pid, "VmRSS")
    length = 0
    while length < n * 0.97:
        part = p.stdout.read(1 << 16)
        if not part:
            raise RuntimeError(f"short answer: {length}")
        length += len(part)
    peak = status_kib(p.pid, "VmHWM") - idle  # it cannot end before the rest is read
    p.stdout.read()
    p.wait()
    if front == "command attached":
        peak = max(peak, status_kib(g.process.pid, "VmHWM") - idle)
    return n, peak * 1024


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program", nargs="?")
    p.add_argument("--serve")
    p.add_argument("--mib", type=int, default=100)
    p.add_argument("--max", type=float)
    p.add_argument("--only", default="")
    o = p.parse_args()
    if o.serve:
        return serve_stdio() if o.serve == "stdio" else serve_http(o.serve)
    failed = False
    print(f"{'server':9}{'client':19}{'direction':10}{'message MiB':>12}{'peak MiB':>10}{'factor':>8}")
    for source, front, up in ways():
        direction = "up" if up else "down"
        if o.only not in f"{source} {front} {direction}":
            continue
        n = min(o.mib, 60) * MIB if up else o.mib * MIB
        try:
            length, peak = run_way(os.path.abspath(o.program), source, front, up, n)
        except RuntimeError as e:
            print(f"{source:9}{front:19}{direction:10} {e}", flush=True)
            failed = True
            continue
        over = o.max and peak > o.max * length
        failed |= bool(over)
        print(f"{source:9}{front:19}{direction:10}{length / MIB:12.1f}{peak / MIB:10.1f}{peak / length:8.2f}"
              f"{'  too much' if over else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
