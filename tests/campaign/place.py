"""One installation under test: a folder, servers of every kind, a configuration, and the gateway in front of them.

MCPTOOLS and FAULT_SERVER in the environment name the two binaries.
"""

import asyncio
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import machine
from clients import wait_until

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
MCPTOOLS = os.environ.get("MCPTOOLS", str(TOP / "build-check" / "mcptools"))
FAULT_SERVER = os.environ.get("FAULT_SERVER", str(TOP / "build-check" / "tests" / "fault-server"))
MARK = "MCPTOOLS_CAMPAIGN"


class Peers:
    """The HTTP servers, in a process of their own."""

    def __init__(self, kinds):
        self.process = subprocess.Popen([sys.executable, str(HERE / "peers.py"), *(f"{n}={k}" for n, k in kinds.items())],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.urls = json.loads(self.process.stdout.readline())

    def ports(self):
        return {int(url.split(":")[2].split("/")[0]) for url in self.urls.values()}

    def stop(self):
        self.process.stdin.close()
        self.process.wait(30)


class Place:
    def __init__(self, name, servers, settings=None, arguments=(), env=None):
        """`servers` maps names to entries of the configuration; stdio servers get the mark in their environment."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"mcptools-{name}-"))
        self.control = self.folder / "c"
        self.control.mkdir()
        self.mark = f"{MARK}={self.folder.name}"
        self.servers, self.settings, self.arguments, self.more_env = servers, settings or {}, arguments, env or {}
        self.process, self.port, self.n_starts = None, None, 0
        self.config = self.folder / "mcptools.json"
        (self.folder / "run").mkdir(mode=0o700)

    def stdio(self, name, era="legacy", **more):
        key, value = self.mark.split("=")
        return {"command": FAULT_SERVER, "args": [name, era, str(self.control)], "env": {key: value, **more.pop("env", {})}, **more}

    def write_config(self, servers=None):
        new = self.config.with_suffix(".new")
        new.write_text(json.dumps({"mcpServers": servers or self.servers, "mcptools": self.settings}))
        new.chmod(0o600)
        new.rename(self.config)

    def environment(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "LC_", "MALLOC_"))}
        key, value = self.mark.split("=")
        env.update({"HOME": str(self.folder), "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": str(self.folder / "run"), key: value}, **self.more_env)
        return env

    def log(self):
        return self.folder / f"serve{self.n_starts}.log"

    async def start(self, *wrapper, before=None):
        """Starts the gateway; returns once it is ready for its servers."""
        self.n_starts += 1
        if not self.config.exists():
            self.write_config()
        with open(self.log(), "wb") as log:
            self.process = subprocess.Popen([*wrapper, MCPTOOLS, "serve", "--http", "127.0.0.1:0", "--config", str(self.config), *self.arguments],
                                            cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=before)
        self.port = await wait_until(self._port, "serve prints its endpoint")
        await wait_until(lambda: b"HTTP/1.1 200" in self.get("/readyz") or b" 401 " in self.get("/readyz"), "readyz says 200")
        return self

    def _port(self):
        text = self.log().read_text(errors="replace")
        if self.process.poll() is not None:
            raise AssertionError("serve ended: " + text)
        for line in text.splitlines():
            if " serves http://" in line:
                return int(line.rsplit(":", 1)[1].split("/")[0])
        return None

    def get(self, path, token=None):
        """One request with HTTP/1.0 manners: everything that comes, b"" where nothing does."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=10) as s:
                more = f"Authorization: Bearer {token}\r\n" if token else ""
                s.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{more}Connection: close\r\n\r\n".encode())
                out = b""
                while data := s.recv(65536):
                    out += data
                return out
        except OSError:
            return b""

    def socket_path(self):
        found = list((self.folder / "run" / "mcptools").glob("*.sock"))
        return str(found[0]) if found else None

    def processes_of(self, name):
        """The living processes of a server over stdio."""
        out = []
        for pid in machine.marked(self.mark):
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if len(words) > 1 and words[0] == FAULT_SERVER.encode() and words[1] == name.encode():
                out.append(pid)
        return out

    def order(self, pid, name, verb):
        """Orders a fault through the control socket of a server. False if it does not listen."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            try:
                s.sendto(verb.encode(), str(self.control / f"{name}.{pid}"))
                return True
            except OSError:
                return False

    def left(self):
        """Processes that carry the mark."""
        return machine.marked(self.mark)

    async def stop(self, signal_number=signal.SIGTERM, patience=60):
        """Ends the gateway; returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, self.process.wait, patience)

    async def none_left(self, patience=60):
        await wait_until(lambda: not self.left(), f"no process is left: {self.left()}", patience)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
