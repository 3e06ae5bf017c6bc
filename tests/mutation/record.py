"""Records traffic of real programs for mutate.py: servers from npm behind the gateway, and clients from npm in front of it.

    record.py MCPTOOLS FILE

Needs tests/interop/node_modules. Folders and ports of the machine are replaced by fixed words.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

MODULES = pathlib.Path(__file__).resolve().parent.parent / "interop/node_modules"
INTEROP = MODULES.parent
NODE = next(iter(MODULES.glob("node-linux-*/bin/node")), "node")
MOST_BYTES = 16384  # of one message

# Passes lines between its own stdin and stdout and a server, and writes down those of the server.
TEE = """
import json, subprocess, sys, threading
log = open(sys.argv[1], "a")
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
asked = {}
def answers():
    for line in server.stdout:
        try:
            message = json.loads(line)
        except ValueError:
            message = {}
        log.write(json.dumps([asked.get(json.dumps(message.get("id"))) if "method" not in message else None, line.decode()]) + "\\n")
        log.flush()
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    sys.stdout.buffer.close()
threading.Thread(target=answers, daemon=True).start()
for line in sys.stdin.buffer:
    message = json.loads(line)
    asked[json.dumps(message.get("id"))] = message.get("method")
    server.stdin.write(line)
    server.stdin.flush()
server.stdin.close()
server.wait(5)
"""


class Tee:
    """A TCP port in front of another one; keeps the bytes of both directions of each connection."""

    def __init__(self, port):
        self.target, self.sent, self.came = port, [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            for here, there, kept in ((client, server, self.sent), (server, client, self.came)):
                kept.append(bytearray())
                threading.Thread(target=self._copy, args=(here, there, kept[-1]), daemon=True).start()

    @staticmethod
    def _copy(here, there, kept):
        try:
            while data := here.recv(65536):
                kept += data
                there.sendall(data)
            there.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"nothing listens on {port}")


def node(script, *more):
    return [str(NODE), str(script), *more]


def package(name, entry="dist/index.js"):
    return MODULES / "@modelcontextprotocol" / name / entry


def scrub(text, folder, ports):
    for port in ports:
        text = text.replace(f":{port}", ":8931")
    return text.replace(str(folder), "/work/dir").replace(str(INTEROP.parent.parent), "/work/src")


def play(binary, config, env, port):
    """Real clients and our own, in both eras, at the port of a gateway."""
    url = f"http://127.0.0.1:{port}/mcp"
    inspector = [*node(MODULES / ".bin/mcp-inspector"), "--cli", url, "--transport", "http", "--method"]
    mcporter = [*node(MODULES / ".bin/mcporter"), "--config", str(config.parent / "mcporter.json")]
    for command in (
            [*inspector, "tools/list"], [*inspector, "resources/list"], [*inspector, "prompts/list"],
            [*inspector, "tools/call", "--tool-name", "everything__echo", "--tool-arg", "message=hi"],
            [*mcporter, "list", url, "--schema"], [*mcporter, "call", f"{url}.everything__get-sum", "a=2", "b=40"],
            [binary, "list", url], [binary, "call", url + ".everything__get-sum", "a=2", "b=40"],
            [binary, "resources", url], [binary, "prompts", url], [binary, "templates", url]):
        subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=False)


def record(binary, folder):
    log = folder / "servers.jsonl"
    everything_port, gateway_port = free_port(), free_port()
    servers = {
        "everything": node(package("server-everything"), "stdio"), "memory": node(package("server-memory")),
        "files": node(package("server-filesystem"), str(folder)), "modern": node(INTEROP / "modern-server.mjs"),
    }
    everything = subprocess.Popen(node(package("server-everything"), "streamableHttp"), env={**os.environ, "PORT": str(everything_port)},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(everything_port)
    behind = Tee(everything_port)
    config = folder / "conf.json"
    entries = {name: {"command": sys.executable, "args": ["-c", TEE, str(log), *command]} for name, command in servers.items()}
    entries["web"] = {"url": f"http://127.0.0.1:{behind.port}/mcp"}
    config.write_text(json.dumps({"mcpServers": entries}))
    config.chmod(0o600)
    (folder / "mcporter.json").write_text('{"mcpServers":{},"imports":[]}')
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": str(folder)}
    gateway = subprocess.Popen([binary, "--config", str(config), "serve", "--http", f"127.0.0.1:{gateway_port}"], env=env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(gateway_port)
    front = Tee(gateway_port)
    time.sleep(3)
    play(binary, config, env, front.port)
    play(binary, config, env, front.port)
    for process in (gateway, everything):
        process.terminate()
        process.wait()
    ports = (everything_port, gateway_port, behind.port, front.port)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return {
        "server lines": unique([[method, scrub(line, folder, ports)] for method, line in lines if len(line) <= MOST_BYTES]),
        "client bytes": unique([scrub(b.decode("latin-1"), folder, ports) for b in front.sent if 0 < len(b) <= MOST_BYTES]),
        "server bytes": unique([scrub(b.decode("latin-1"), folder, ports) for b in behind.came if 0 < len(b) <= 4 * MOST_BYTES]),
    }


def unique(rows):
    return [json.loads(text) for text in dict.fromkeys(map(json.dumps, rows))]


def main():
    binary, target = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="mcptools-record-") as name:
        traffic = record(os.path.abspath(binary), pathlib.Path(name))
    target.write_text(json.dumps(traffic, indent=0) + "\n")
    print({kind: len(rows) for kind, rows in traffic.items()}, target.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
