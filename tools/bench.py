"""Build for speed and measure: latency and CPU against nginx, lists of many servers, memory, start-up. Options as bench/run.py."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
BUILD = TOP / "build-bench"
BODY = ('{"jsonrpc":"2.0","id":@ID@,"method":"tools/call","params":{"name":"tool1","arguments":{"text":"'
        + "about as long as a small real call is, which is some three hundred bytes in all. " * 2 + '"}}}')
DISCOVER = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}


def build():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, "--buildtype=release"], cwd=TOP, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["ninja", "-C", BUILD, "mcptools", "tests/test-server", "bench/loadgen"],
                   stdout=subprocess.DEVNULL, check=True)


def config(folder, count):
    path = folder / f"{count}.json"
    server = {"command": str(BUILD / "tests/test-server"), "args": ["--tools", "10"]}
    path.write_text(json.dumps({"mcpServers": {f"s{i}": server for i in range(count)}}))
    return path


def start_ms(folder):
    """From starting `serve --stdio` to the first byte of the answer to server/discover."""
    times = []
    (folder / "none.json").write_text('{"mcpServers":{}}')
    for _ in range(21):
        begin = time.perf_counter()
        with subprocess.Popen([BUILD / "mcptools", "serve", "--stdio", "--config", folder / "none.json"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
            p.stdin.write(json.dumps(DISCOVER).encode() + b"\n")
            p.stdin.flush()
            os.read(p.stdout.fileno(), 1)
            times.append((time.perf_counter() - begin) * 1000)
            p.stdin.close()
    return sorted(times)[len(times) // 2]


def idle_kib(folder):
    """Resident memory of an idle gateway with three servers, theirs not counted."""
    with subprocess.Popen([BUILD / "mcptools", "serve", "--http", "127.0.0.1:0", "--config", config(folder, 3)],
                          stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
        time.sleep(2)
        lines = pathlib.Path(f"/proc/{p.pid}/smaps_rollup").read_text().splitlines()
        p.terminate()
        return {line.split(":")[0]: int(line.split()[1]) for line in lines[1:] if line.startswith(("Rss", "Pss:"))}


def idle_clients(folder):
    """Idle event-stream clients: what each costs, and what they cost others."""
    short = ["--clients", "500", "--requests", "1000", "--rounds", "3"] if "--short" in sys.argv else []
    gateway = f"{BUILD / 'mcptools'} serve --http 127.0.0.1:@PORT@ --config {config(folder, 1)}"
    status = subprocess.run([sys.executable, TOP / "bench/idle.py", "--gateway", gateway, "--loadgen",
                             BUILD / "bench/loadgen", "--body", BODY, *short], check=False).returncode
    print(flush=True)
    return status


def listing():
    """One resource tool over a hundred servers."""
    short = ["--rounds", "5"] if "--short" in sys.argv else []
    status = subprocess.run([sys.executable, TOP / "bench/listing.py", "--mcptools", BUILD / "mcptools", "--server",
                             BUILD / "tests/test-server", *short], check=False).returncode
    print(flush=True)
    return status


def main():
    build()
    with tempfile.TemporaryDirectory(prefix="mcptools-bench-") as name:
        folder = pathlib.Path(name)
        print(f"start to first answer of server/discover, no servers: {start_ms(folder):.1f} ms (median of 21)")
        memory = idle_kib(folder)
        print(f"idle with 3 servers: Rss {memory['Rss']} KiB, Pss {memory['Pss']} KiB\n", flush=True)
        over = listing() | idle_clients(folder)
        port = 18931
        gateway = f"{BUILD / 'mcptools'} serve --http 127.0.0.1:{port} --config {config(folder, 1)}"
        return over or subprocess.run([sys.executable, TOP / "bench/run.py", "--loadgen", BUILD / "bench/loadgen",
                               "--gateway", gateway, "--gateway-url", f"http://127.0.0.1:{port}/mcp",
                               "--body", BODY, *sys.argv[1:]], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
