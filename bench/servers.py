"""Start the measured servers and see to their end."""

import contextlib
import http.client
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import time
import urllib.parse
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
START_LIMIT_S = 15
STOP_LIMIT_S = 5


@dataclass
class Target:
    """own_pid is the process compared; other_pids work for it."""
    name: str
    url: str
    own_pid: int
    other_pids: list = field(default_factory=list)
    options: list = field(default_factory=list)


def stop_group(process):
    """End the process and what it started; it leads its own process group."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal_number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_LIMIT_S)
            break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def start(stack, command, log_path):
    with open(log_path, "ab") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log, start_new_session=True)
    stack.callback(stop_group, process)
    return process


def answers_http(url):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=2)
    try:
        connection.request("POST", parts.path or "/", '{"jsonrpc":"2.0","id":0,"method":"ping"}',
                           {"Content-Type": "application/json",
                            "Accept": "application/json, text/event-stream"})
        connection.getresponse()
        return True
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def wait_until_up(process, url, log_path):
    """Any HTTP status counts as up."""
    deadline = time.monotonic() + START_LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        if answers_http(url):
            return
        time.sleep(0.05)
    log = pathlib.Path(log_path).read_text(errors="replace")[-2000:]
    raise RuntimeError(f"{process.args} does not answer at {url}:\n{log}")


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for sock in sockets:
            sock.bind(("127.0.0.1", 0))
        return [sock.getsockname()[1] for sock in sockets]


def only_child(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    if len(children) != 1:
        raise RuntimeError(f"process {pid} has {len(children)} children, not 1")
    return int(children[0])


def start_nginx(stack, directory, name, template, port, backend_port=0):
    """Return the url and the worker's pid."""
    prefix = directory / name
    prefix.mkdir()
    text = (HERE / template).read_text()
    for key, value in (("PREFIX", prefix), ("PORT", port), ("BACKEND_PORT", backend_port)):
        text = text.replace(f"@{key}@", str(value))
    config = prefix / "nginx.conf"
    config.write_text(text)
    log = prefix / "error.log"
    process = start(stack, ["nginx", "-p", prefix, "-e", log, "-c", config], log)
    url = f"http://127.0.0.1:{port}/mcp"
    wait_until_up(process, url, log)
    return url, only_child(process.pid)


def start_gateway(stack, arguments, directory):
    log = directory / "gateway.log"
    process = start(stack, shlex.split(arguments.gateway), log)
    wait_until_up(process, arguments.gateway_url, log)
    options = [] if arguments.no_session else ["--session"]
    for header in arguments.gateway_header:
        options += ["--header", header]
    return Target("gateway", arguments.gateway_url, process.pid, [], options)


def start_targets(stack, arguments, directory):
    direct_port, proxy_port, backend_port = free_ports(3)
    direct_url, direct_pid = start_nginx(
        stack, directory, "direct", "nginx-direct.conf.in", direct_port)
    _, backend_pid = start_nginx(
        stack, directory, "backend", "nginx-direct.conf.in", backend_port)
    proxy_url, proxy_pid = start_nginx(
        stack, directory, "proxy", "nginx-proxy.conf.in", proxy_port, backend_port)
    targets = [Target("nginx", direct_url, direct_pid),
               Target("nginx-proxy", proxy_url, proxy_pid, [backend_pid])]
    if arguments.gateway:
        targets.append(start_gateway(stack, arguments, directory))
    return targets
