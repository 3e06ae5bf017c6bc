"""Starts the measured processes, reads what they use, and sees to their end."""

import contextlib
import http.client
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.parse

START_LIMIT_S = 60
STOP_LIMIT_S = 5
SETTLE_S = 0.02
SETTLED_SHARE = 0.05  # of a core
PROC = pathlib.Path("/proc")


def stop_group(process):
    """Ends the process and what it started; it leads its own process group."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal_number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_LIMIT_S)
            break
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def stop(pid):
    """Ends a process that start() has started, before its time."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGTERM)
    deadline = time.monotonic() + START_LIMIT_S
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)


def is_running(pid):
    """False also for a process that has ended and is not waited for yet."""
    try:
        return (PROC / f"{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def start(stack, command, log_path, environment=None):
    with open(log_path, "ab") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                   env=environment)
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


def wait_for(process, is_up, what, log_path):
    deadline = time.monotonic() + START_LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        if is_up():
            return
        time.sleep(0.002)
    log = pathlib.Path(log_path).read_text(errors="replace")[-2000:]
    raise RuntimeError(f"{process.args} does not answer at {what}:\n{log}")


def wait_until_up(process, url, log_path):
    """Any HTTP status counts as up."""
    wait_for(process, lambda: answers_http(url), url, log_path)


def wait_until_listening(process, port, log_path):
    def is_up():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        return False

    wait_for(process, is_up, f"port {port}", log_path)


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for sock in sockets:
            sock.bind(("127.0.0.1", 0))
        return [sock.getsockname()[1] for sock in sockets]


def only_child(pid):
    children = (PROC / f"{pid}/task/{pid}/children").read_text().split()
    if len(children) != 1:
        raise RuntimeError(f"process {pid} has {len(children)} children, not 1")
    return int(children[0])


def cpu_ns(pid):
    """CPU time of the present threads. A kernel without scheduler statistics shows zeros there: then in ticks."""
    total = 0
    for task in (PROC / f"{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            total += int((task / "schedstat").read_text().split()[0])
    if total:
        return total
    fields = (PROC / f"{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 10**9 // os.sysconf("SC_CLK_TCK")


def settle(pid):
    """Waits until a process has done what is left of the work before, such as closing connections. Returns its CPU time."""
    last = cpu_ns(pid)
    while True:
        time.sleep(SETTLE_S)
        now = cpu_ns(pid)
        if now - last < SETTLED_SHARE * SETTLE_S * 1e9:
            return now
        last = now


def resident_mb(pid):
    return memory_kib(pid)["Rss"] * 1024 / 1e6


def memory_kib(pid):
    """{"Rss": KiB, "Pss": KiB, …}"""
    lines = (PROC / f"{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) for line in lines}


def descendants(pid):
    """The living processes below a process."""
    parents = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                parents.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def set_cores(cores):
    for pid in [os.getpid(), *descendants(os.getpid())]:
        with contextlib.suppress(OSError):
            for task in (PROC / f"{pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), cores)


@contextlib.contextmanager
def on_one_core():
    """Everything started here shares one core, the last one. With one connection at most one process has something to do,
    and which of them wake another core differs from run to run by more than what is measured."""
    cores = os.sched_getaffinity(0)
    set_cores({max(cores)})
    try:
        yield
    finally:
        set_cores(cores)
