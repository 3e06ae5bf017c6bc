"""What the tests of the real program share: starting it, talking to it, TAP output. Standard library only.

MCPTOOLS and TEST_SERVER in the environment name the two binaries.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

MCPTOOLS = os.environ["MCPTOOLS"]
TEST_SERVER = os.environ["TEST_SERVER"]
WRAPPER = os.environ.get("MCPTOOLS_WRAPPER", "").split()  # valgrind, in one of the runs
PATIENCE_S = float(os.environ.get("TEST_PATIENCE", "30"))

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def main():
    """Run every test in a folder of its own; TAP on stdout. With --list, print the names only."""
    wanted = sys.argv[1:]
    if wanted == ["--list"]:
        print("\n".join(t.__name__ for t in TESTS))
        return
    chosen = [t for t in TESTS if not wanted or t.__name__ in wanted]
    print(f"1..{len(chosen)}")
    failed = 0
    for number, function in enumerate(chosen, 1):
        with tempfile.TemporaryDirectory(prefix="mcptools-test-") as folder:
            try:
                function(pathlib.Path(folder))
                print(f"ok {number} - {function.__name__}", flush=True)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print(f"not ok {number} - {function.__name__}")
                print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
    sys.exit(1 if failed else 0)


def until(condition, what):
    """Wait for a condition to become true."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"never happened: {what}")


def server(*arguments, **more):
    return {"command": TEST_SERVER, "args": [str(a) for a in arguments], **more}


def write_config(folder, servers, settings=None, name="mcptools.json"):
    path = folder / name
    path.write_text(json.dumps({"mcpServers": servers, **({"mcptools": settings} if settings else {})}))
    path.chmod(0o600)
    return path


ABSENT = re.compile(r"(the environment variable \S+ is not set|program( '.*')? not found|No such file or directory$|no such (file|folder): |\$\{credential:)")


def mistakes(checked):
    """What `config check` found, but for what is only absent on this machine: variables, programs, files."""
    return [line for line in checked.stdout.splitlines() if line.startswith(("error:", "warning:")) and not ABSENT.search(line)]


def environment(folder):
    """No configuration of the person who runs the tests gets in, and no gateway of another test."""
    runtime = pathlib.Path(folder) / ".run"
    runtime.mkdir(mode=0o700, exist_ok=True)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "LC_"))}
    env.update(HOME=str(folder), LANG="C.UTF-8", XDG_RUNTIME_DIR=str(runtime),
               MCPTOOLS_TRUST=tempfile.gettempdir())  # files of the tests need no trust; test_trust.py removes this
    return env


def run(folder, *arguments, stdin=None, env=None, timeout=PATIENCE_S):
    """Run a command to its end; the result has returncode, stdout, stderr."""
    done = subprocess.run([*WRAPPER, MCPTOOLS, *map(str, arguments)], cwd=folder, input=stdin, text=True,
                          stdin=subprocess.DEVNULL if stdin is None else None, capture_output=True,
                          env={**environment(folder), **(env or {})}, timeout=timeout, check=False)
    assert "Sanitizer: " not in done.stderr, done.stderr  # the report, which a failed comparison would hide
    return done


class Gateway:
    """`mcptools serve --http` on a free port."""

    def __init__(self, folder, *arguments, env=None, before=None):
        self.log = open(folder / "serve.log", "w+b")
        self.process = subprocess.Popen(
            [*WRAPPER, MCPTOOLS, "serve", "--http", "127.0.0.1:0", *map(str, arguments)], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**environment(folder), **(env or {})}, preexec_fn=before)
        self.port = until(self._port, "serve prints its endpoint")

    def text(self):
        return pathlib.Path(self.log.name).read_text(errors="replace")

    def _port(self):
        if self.process.poll() is not None:
            raise AssertionError("serve ended: " + self.text())
        for line in self.text().splitlines():
            if " serves http://" in line:
                return int(line.rsplit(":", 1)[1].split("/")[0])
        return None

    def wait_ready(self):
        until(lambda: self.request("GET", "/readyz")[0] == 200, "readyz says 200")
        return self

    def request(self, method, path, body=None, headers=None):
        """One request on its own connection: (status, headers, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def raw(self, data, half_close=False):
        """Bytes in, all bytes out until the gateway closes or goes quiet."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as s:
            s.sendall(data)
            if half_close:
                s.shutdown(socket.SHUT_WR)
            out = b""
            while select.select([s], [], [], 0.5 if out else PATIENCE_S)[0]:
                chunk = s.recv(65536)
                if not chunk:
                    break
                out += chunk
            return out

    def stop(self, signal_number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        status = self.process.wait(PATIENCE_S)
        self.log.close()
        return status


@contextlib.contextmanager
def gateway(folder, *arguments, env=None, before=None):
    """`before` runs in its process first."""
    g = Gateway(folder, *arguments, env=env, before=before)
    try:
        yield g
    finally:
        ended = g.process.poll()
        status = g.stop() if ended is None else ended
        log = g.text()
        assert status in (0, -signal.SIGKILL) and "Sanitizer" not in log and "runtime error" not in log, (status, log)


JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Session:
    """A handshake client over Streamable HTTP."""

    def __init__(self, g, path="/mcp", revision="2025-11-25", headers=None, capabilities=None):
        self.g, self.path, self.headers = g, path, {**JSON, **(headers or {})}
        status, headers, body = self.post("initialize", {
            "protocolVersion": revision, "capabilities": capabilities or {}, "clientInfo": {"name": "t", "version": "1"}})
        assert status == 200, (status, body)
        self.headers["Mcp-Session-Id"] = headers["Mcp-Session-Id"]
        self.headers["MCP-Protocol-Version"] = revision
        self.info = json.loads(body)["result"]
        status, _, body = self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (status, body) == (202, b""), (status, body)

    def send(self, message):
        return self.g.request("POST", self.path, json.dumps(message), self.headers)

    def post(self, method, params=None, id=1):
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        return self.send({**message, "params": params} if params is not None else message)

    def call(self, method, params=None, id=1):
        """The result; fails on anything else."""
        status, _, body = self.post(method, params, id)
        assert status == 200, (status, body)
        return answer(body)["result"]


def answer(body):
    """The response among what came, JSON or event stream."""
    messages = [json.loads(body)] if body.startswith(b"{") else events(body)
    return next(m for m in messages if "id" in m)


def events(body):
    out = []
    for block in body.decode().split("\n\n"):
        data = "\n".join(line[5:].lstrip() for line in block.splitlines() if line.startswith("data:"))
        if data:
            out.append(json.loads(data))
    return out


class Stream:
    """One exchange on a connection of its own, read as it comes."""

    def __init__(self, g, method, path, headers, body=None):
        self.socket = socket.create_connection(("127.0.0.1", g.port), timeout=PATIENCE_S)
        head = "".join(f"{k}: {v}\r\n" for k, v in {"Host": "localhost", **headers}.items())
        if body is not None:
            head += f"Content-Length: {len(body.encode())}\r\n"
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n{body or ''}".encode())
        self.bytes = b""

    def until(self, text):
        """Everything so far, once it holds the text."""
        while text not in self.bytes:
            chunk = self.socket.recv(65536)
            assert chunk, (text, self.bytes)
            self.bytes += chunk
        return self.bytes

    def rest(self):
        """Everything, once the stream is over."""
        while not self.bytes.endswith(b"\r\n0\r\n\r\n"):
            chunk = self.socket.recv(65536)
            if not chunk:
                break
            self.bytes += chunk
        return self.bytes

    def events(self):
        """(id, message) of the events so far; a primer's message is None."""
        out = []
        for block in self.bytes.decode().replace("\r\n", "\n").split("\n\n"):
            lines = [line.partition(":") for line in block.splitlines()]
            fields = {name: value.strip() for name, colon, value in lines if colon and name in ("id", "data", "retry")}
            if "data" in fields:
                out.append((fields.get("id"), json.loads(fields["data"]) if fields["data"] else None))
        return out

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def metric(g, name, headers=None):
    """The value of one line of /metrics; 0 where there is none."""
    for line in g.request("GET", "/metrics", None, headers)[2].decode().splitlines():
        if line.rsplit(" ", 1)[0] == "mcptools_" + name:
            return float(line.rsplit(" ", 1)[1])
    return 0


def stateless(method, params=None, version="2026-07-28", id=1):
    """Body and headers of a 2026-07-28 request."""
    params = dict(params or {})
    params["_meta"] = {"io.modelcontextprotocol/protocolVersion": version,
                       "io.modelcontextprotocol/clientCapabilities": {}, **params.get("_meta", {})}
    headers = {**JSON, "MCP-Protocol-Version": version, "Mcp-Method": method}
    name = params.get("name") or params.get("uri") or params.get("taskId")
    if name and method != "completion/complete":
        headers["Mcp-Name"] = name
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}), headers


def processes_with(mark):
    """Living processes whose command line holds the text."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except (OSError, IndexError):
            continue
        if mark in command and state not in "ZX" and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found
