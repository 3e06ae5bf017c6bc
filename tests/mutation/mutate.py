"""Changes recorded traffic at random and plays it to the program, most usefully to a sanitizer build: as servers behind a
gateway (over stdio and over HTTP) and as clients in front of it. After each round, a well-behaved client must get right
answers from a well-behaved server, and at the end the gateway must end by itself, without a report of a sanitizer.

    mutate.py MCPTOOLS TEST_SERVER [--seconds N] [--seed S] [--rounds N] [--round N] [--write]

A round is made of its number and the seed alone; `--round N` plays one again. traffic.json was made by record.py.
"""

import argparse
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "campaign"))
import machine  # pylint: disable=wrong-import-position
import report  # pylint: disable=wrong-import-position

TRAFFIC = json.loads((pathlib.Path(__file__).parent / "traffic.json").read_text())
DEADLINE_S = 120
STDIO_SERVERS, HTTP_SERVERS, CLIENTS = 6, 3, 60
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "mutation", "version": "1"}}
# A server over stdio that is a connection to this program.
BRIDGE = 'exec 3<>/dev/tcp/127.0.0.1/"$0"; cat <&0 >&3 & exec cat <&3'
REPORT = re.compile(r"ERROR: \w+Sanitizer|runtime error:|SUMMARY: ")

# ---- mutations ----

VALUES = ["null", "true", "-1", "0", "1e400", "-0", "9007199254740993", "18446744073709551616", '""', '"\\u0000"', '"\\ud800"', "{}", "[]",
          "[[]]", '{"a":{"a":{}}}', '"x"', '"2026-07-28"', '"2024-11-05"', '"__proto__"', "1.5", '"\\u202e"', '{"":0}']
JSON_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?|true|false|null|\{\}|\[\]')
JSON_MEMBER = re.compile(rb'"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+|true|false|null|\{\}|\[\])')


def flip(r, data):
    at = r.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << r.randrange(8))]) + data[at + 1:]


def insert(r, data):
    at = r.randrange(len(data) + 1)
    return data[:at] + r.choice([bytes([r.randrange(256)]), b"\r", b"\n", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"{", b"]"]) + data[at:]


def remove(r, data):
    at = r.randrange(len(data))
    return data[:at] + data[at + r.randrange(1, 20):]


def repeat(r, data):
    at, n = r.randrange(len(data)), r.randrange(1, 200)
    return data[:at] + data[at:at + n] * r.choice([2, 2, 3, 50, 1000]) + data[at + n:]


def cut(r, data):
    return data[:r.randrange(len(data))]


def splice(r, data):
    other = r.choice(TRAFFIC[r.choice(list(TRAFFIC))])
    other = (other if isinstance(other, str) else other[1]).encode("latin-1", "replace")
    return data[:r.randrange(len(data))] + other[r.randrange(len(other)):]


def value(r, data):
    found = list(JSON_VALUE.finditer(data))
    if not found:
        return insert(r, data)
    one = r.choice(found)
    return data[:one.start()] + r.choice(VALUES).encode() + data[one.end():]


def member(r, data):
    found = list(JSON_MEMBER.finditer(data))
    if not found:
        return remove(r, data)
    one = r.choice(found)
    return r.choice([data[:one.end()] + b"," + one[0] + data[one.end():],  # twice
                     data[:one.start()] + b'"x":1' + data[one.end():],  # another
                     data[:one.end()] + b',"' + b"k" * r.choice([1, 5000]) + b'":' + r.choice(VALUES).encode() + data[one.end():]])


def nest(r, data):
    found = list(JSON_VALUE.finditer(data))
    if not found:
        return data * 2
    one, depth = r.choice(found), r.choice([10, 513, 5000])
    return data[:one.start()] + b"[" * depth + one[0] + b"]" * depth + data[one.end():]


def number(r, data):
    found = list(re.finditer(rb"\d+", data))
    if not found:
        return flip(r, data)
    one = r.choice(found)
    return data[:one.start()] + r.choice([b"0", b"-1", b"4294967296", b"99999999999999999999", b"1e9", b"0x10", b" 7"]) + data[one.end():]


MUTATIONS = [flip, insert, remove, repeat, cut, splice, value, value, value, member, member, nest, number]


class Counted:
    changed = 0


def mutate(r, data):
    for _ in range(r.choice([1, 1, 1, 2, 4])):
        if data:
            data = r.choice(MUTATIONS)(r, data)
            Counted.changed += 1
    return data


# ---- hostile servers ----

class Answers:
    """Recorded lines of servers, by the method that they answered."""

    def __init__(self):
        self.by_method, self.others = {}, []
        for method, line in TRAFFIC["server lines"]:
            (self.by_method.setdefault(method, []) if method else self.others).append(line)

    def of(self, r, method, identity):
        lines = self.by_method.get(method)
        if not lines:
            return [json.dumps({"jsonrpc": "2.0", "id": identity, "error": {"code": -32601, "message": "unknown"}}) + "\n"]
        line = re.sub(r'("id"\s*:\s*)("(?:[^"\\]|\\.)*"|\d+)', lambda m: m[1] + json.dumps(identity), r.choice(lines), count=1)
        more = [r.choice(self.others)] if self.others and r.random() < 0.2 else []
        return more + [line]


ANSWERS = Answers()


class StdioServer(socketserver.StreamRequestHandler):
    """A connection of BRIDGE: answers as recorded, and from some message on with changes."""

    def handle(self):
        r = random.Random(f"{self.server.seed} {self.server.next_number()}")
        calm = r.randrange(8)
        try:
            for n, line in enumerate(self.rfile):
                request = json.loads(line)
                if "id" not in request or "method" not in request:
                    continue
                for text in ANSWERS.of(r, request["method"], request["id"]):
                    data = text.encode("utf-8", "surrogatepass")
                    if n >= calm and r.random() < 0.7:
                        data = mutate(r, data.rstrip(b"\n")) + (b"\n" if r.random() < 0.95 else b"")
                    self.wfile.write(data)
                if r.random() < 0.02:
                    return
        except (OSError, ValueError):
            return


class HttpServer(socketserver.StreamRequestHandler):
    """Answers of a server over HTTP as recorded, with the right id most of the time, and with changes."""

    def handle(self):
        r = random.Random(f"{self.server.seed} http {self.server.next_number()}")
        self.connection.settimeout(10)
        try:
            while True:
                head = b""
                while b"\r\n\r\n" not in head:
                    got = self.connection.recv(65536)
                    if not got:
                        return
                    head += got
                head, body = head.split(b"\r\n\r\n", 1)
                length = int((re.search(rb"(?i)content-length: *(\d+)", head) or [0, 0])[1])
                while len(body) < length:
                    body += self.connection.recv(65536)
                self._answer(r, body)
        except (OSError, ValueError):
            return

    def _answer(self, r, body):
        recorded = r.choice(TRAFFIC["server bytes"]).encode("latin-1")
        answers = [b"HTTP/1.1 " + a for a in recorded.split(b"HTTP/1.1 ")[1:]]
        request = json.loads(body) if body.startswith(b"{") else {}
        if "id" in request and "method" in request and r.random() < 0.8:
            text = ANSWERS.of(r, request["method"], request["id"])[-1].strip().encode("utf-8", "surrogatepass")
            if r.random() < 0.6:
                text = mutate(r, text)
            if r.random() < 0.5:
                text, kind = b"event: message\ndata: " + text + b"\n\n", b"text/event-stream"
            else:
                kind = b"application/json"
            answer = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\nContent-Length: " + str(len(text)).encode() + b"\r\n\r\n" + text
        else:
            answer = r.choice(answers)
        if r.random() < 0.5:
            answer = mutate(r, answer)
        self.connection.sendall(answer)
        if r.random() < 0.1:
            self.connection.close()


class Threads(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, handler, seed):
        super().__init__(("127.0.0.1", 0), handler)
        self.seed, self.lock, self.number = seed, threading.Lock(), 0
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def next_number(self):
        with self.lock:
            self.number += 1
            return self.number

    def handle_error(self, request, client_address):
        pass


# ---- hostile clients ----

def hostile_client(r, port):
    data = r.choice(TRAFFIC["client bytes"]).encode("latin-1").replace(b":8931", f":{port}".encode())
    data = mutate(r, data)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
            for at in range(0, len(data), size := r.choice([1 << 20, 1 << 20, 700, 50])):
                s.sendall(data[at:at + size])
            s.settimeout(r.choice([0.02, 0.3]))
            if r.random() < 0.5:
                s.shutdown(socket.SHUT_WR)
            while s.recv(65536):
                pass
    except OSError:
        pass


# ---- the well-behaved client ----

def ask(port, method, params, session=None, number=1):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if session:
        headers["Mcp-Session-Id"] = session
    try:
        connection.request("POST", "/mcp/good", json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}), headers)
        answer = connection.getresponse()
        return answer.getheader("Mcp-Session-Id"), answer.read().decode()
    finally:
        connection.close()


def is_well(port, nonce):
    """Returns what is wrong with calls of a well-behaved client at the good server, or None."""
    try:
        session, hello = ask(port, "initialize", HELLO)
        if '"result"' not in hello:
            return f"initialize: {hello[:300]}"
        _, called = ask(port, "tools/call", {"name": "tool0", "arguments": {"text": nonce}}, session, 2)
        return None if nonce in called and '"id":2' in called.replace(" ", "") else f"tools/call: {called[:300]}"
    except (OSError, http.client.HTTPException) as e:
        return repr(e)


# ---- a round ----

class Round:
    def __init__(self, opts, number, folder):
        self.opts, self.number, self.folder = opts, number, folder
        self.seed = f"{opts.seed} {number}"
        self.log = folder / "log"
        self.stdio, self.http = Threads(StdioServer, self.seed), Threads(HttpServer, self.seed)

    def _start(self):
        bridge = {"command": "bash", "args": ["-c", BRIDGE, str(self.stdio.server_address[1])]}
        servers = {f"s{i}": bridge for i in range(STDIO_SERVERS)}
        servers |= {f"h{i}": {"url": f"http://127.0.0.1:{self.http.server_address[1]}/mcp"} for i in range(HTTP_SERVERS)}
        servers["good"] = {"command": self.opts.server, "args": ["--tools", "1"]}
        config = self.folder / "conf.json"
        config.write_text(json.dumps({"mcpServers": servers, "mcptools": {"limits": {"call_timeout_s": 5, "start_timeout_s": 20}}}))
        config.chmod(0o600)
        run = self.folder / "run"
        run.mkdir(mode=0o700)
        env = {**os.environ, "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(run), "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
        with open(self.log, "wb") as log:
            return subprocess.Popen([self.opts.mcptools, "--config", str(config), "serve", "--http", "127.0.0.1:0"], env=env, stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=log)

    def _port(self, process):
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end and process.poll() is None:
            found = re.search(r" serves http://[^:]+:(\d+)/", self.log.read_text(errors="replace"))
            if found:
                return int(found[1])
            time.sleep(0.02)
        return None

    def _play(self, port):
        r = random.Random(f"{self.seed} clients")
        for _ in range(CLIENTS):
            hostile_client(r, port)
        for method in ("tools/list", "resources/list", "prompts/list"):  # all servers are asked
            try:
                session, _ = ask(port, "initialize", HELLO)
                ask(port, method, {}, session)
            except (OSError, http.client.HTTPException):
                pass
        for i in range(STDIO_SERVERS + HTTP_SERVERS):
            name = f"s{i}" if i < STDIO_SERVERS else f"h{i - STDIO_SERVERS}"
            for method, params in (("tools/call", {"name": f"{name}__echo", "arguments": {"message": "x"}}), ("resources/read", {"uri": "demo://resource/static/document/features.md"})):
                body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": method, "params": params})
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
                    connection.request("POST", "/mcp", body, {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
                    connection.getresponse().read()
                except (OSError, http.client.HTTPException):
                    pass
                finally:
                    connection.close()

    def run(self):
        """Returns what went wrong, or None."""
        process = self._start()
        wrong = None
        try:
            port = self._port(process)
            if port:
                self._play(port)
                wrong = is_well(port, f"nonce-{self.number}")
            else:
                wrong = "the gateway does not start"
            process.send_signal(signal.SIGTERM)
            status = process.wait(DEADLINE_S)
            wrong = wrong or (None if status == 0 else f"exit status {status}")
        except subprocess.TimeoutExpired:
            wrong = wrong or "SIGTERM did not end it"
        finally:
            process.kill()
            process.wait()
            for server in (self.stdio, self.http):
                server.shutdown()
                server.server_close()
        text = self.log.read_text(errors="replace")
        if REPORT.search(text):
            wrong = "a sanitizer reports"
        return f"{wrong}\n{text[-6000:]}" if wrong else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mcptools")
    parser.add_argument("server")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(1 << 32)))
    parser.add_argument("--rounds", type=int, default=1 << 30)
    parser.add_argument("--round", type=int)
    parser.add_argument("--write", action="store_true")
    opts = parser.parse_args()
    opts.mcptools, opts.server = os.path.abspath(opts.mcptools), os.path.abspath(opts.server)
    print(f"# seed {opts.seed}", flush=True)
    end, failed, number = time.monotonic() + opts.seconds, 0, 0
    rounds = [opts.round] if opts.round else range(1, opts.rounds + 1)
    for number in rounds:
        with tempfile.TemporaryDirectory(prefix="mcptools-mutation-") as name:
            wrong = Round(opts, number, pathlib.Path(name)).run()
        if wrong:
            failed += 1
            print(f"not ok {number} - round {number}, --seed {opts.seed} --round {number}\n# " + wrong.replace("\n", "\n# "), flush=True)
        else:
            print(f"ok {number} - round {number}", flush=True)
        if time.monotonic() > end:
            break
    print(f"1..{number if not opts.round else 1}\n# {Counted.changed} changes in {number} rounds, {failed} rounds failed, seed {opts.seed}")
    if opts.write:
        report.put("mutation", title="Changed traffic against the sanitizer build", command="make mutate SECONDS=n WRITE=1",
                   machine=machine.described(), date=time.strftime("%Y-%m-%d"), order=60,
                   columns=["seed", "rounds", "changes", "rounds that failed"], rows=[[opts.seed, str(number), Counted.changed, failed]],
                   text=["Recorded traffic of real servers and clients from npm, changed at random and played to the gateway "
                         f"(AddressSanitizer, UBSan): in each round {STDIO_SERVERS} servers over stdio, {HTTP_SERVERS} over HTTP and "
                         f"{CLIENTS} clients (`tests/mutation/mutate.py`). A round fails at a report, a crash, a hang, or a wrong answer to a "
                         "well-behaved client."])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
