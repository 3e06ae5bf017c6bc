"""Torture by system calls: each scene runs once under strace to count its system calls, and then once for each of them,
which then fails with an error that the kernel can return there. After each run: the program ended by itself and was not
killed by a signal, what it printed is whole (the same as without the failure, or an error with its exit status), files
are the old or the new ones, and no process is left. A gateway answers the next client.

    syscalls.py [--sample N] [--seed S] [--jobs N] [--only SCENE[:CALL[:NUMBER]]] [--write]

MCPTOOLS and TEST_SERVER in the environment name the two binaries. Without strace, or where it cannot trace, all is skipped.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "program"), str(TESTS / "campaign")]
import harness  # pylint: disable=wrong-import-position
import machine  # pylint: disable=wrong-import-position
import report  # pylint: disable=wrong-import-position

# The errors of each call, by the kind of descriptor where it has one. A kind that is not listed is left alone: reads of
# an eventfd, for example, cannot fail, and libuv ends the program if they do.
FILES = {"file": "EIO"}
STREAM = {"socket": "ECONNRESET", "pipe": "EPIPE", "file": "ENOSPC"}
ERRORS = {
    "openat": "EMFILE EACCES ENOENT", "newfstatat": "EACCES", "statx": "EACCES", "access": "EACCES", "faccessat2": "EACCES",
    "readlink": "EACCES", "readlinkat": "EACCES", "getdents64": FILES, "mkdir": "EACCES", "mkdirat": "EACCES", "rename": "ENOSPC",
    "renameat2": "ENOSPC", "unlink": "EROFS", "unlinkat": "EROFS", "fsync": FILES, "fchmod": "EPERM", "chmod": "EPERM",
    "ftruncate": FILES, "flock": "ENOLCK", "fstat": FILES, "lseek": FILES, "pread64": FILES, "pwrite64": FILES, "link": "EMLINK",
    "read": {"socket": "ECONNRESET", "pipe": "EINTR", "file": "EIO"}, "readv": {"socket": "ECONNRESET", "file": "EIO"},
    "write": STREAM, "writev": STREAM, "sendto": "ECONNRESET", "sendmsg": "ECONNRESET", "recvfrom": "ECONNRESET",
    "recvmsg": "ECONNRESET", "socket": "EMFILE EAFNOSUPPORT", "socketpair": "EMFILE", "pipe2": "EMFILE", "eventfd2": "EMFILE",
    "epoll_create1": "EMFILE", "inotify_init1": "EMFILE", "inotify_add_watch": "ENOSPC", "memfd_create": "EMFILE",
    "dup": "EMFILE", "dup3": "EMFILE", "accept4": "EMFILE ECONNABORTED", "bind": "EADDRINUSE", "listen": "EADDRINUSE",
    "connect": "ECONNREFUSED", "getsockname": "ENOBUFS", "getpeername": "ENOTCONN", "setsockopt": "ENOBUFS",
    "getsockopt": "ENOBUFS", "mmap": "ENOMEM", "mremap": "ENOMEM", "clone": "EAGAIN", "clone3": "EAGAIN",
    "vfork": "EAGAIN", "prctl": "EINVAL", "prlimit64": "EPERM", "kill": "EPERM", "ioctl": {"file": "ENOTTY", "pipe": "ENOTTY"},
    "uname": "EFAULT", "sysinfo": "EFAULT", "pidfd_open": "EMFILE", "getcwd": "ENOENT", "utimensat": "EPERM", "umask": "",
}
CALL = re.compile(r"^(\w+)\((?:AT_FDCWD|(\d+))?(?:<([^>]*)>)?")
DEADLINE_S = 4 * harness.PATIENCE_S
OWN_PIPE = re.compile(r"^(?:read|write)\(\d+<pipe:[^>]*>, \"\*\", 1\)")  # a signal, on its way to libuv's loop
FRAME = re.compile(r"^ > ([^(]+)\(", re.MULTILINE)
UNANSWERED = "exit status 0, but requests without an answer"
Point = collections.namedtuple("Point", "scene call number error")


def kind_of(path):
    if path is None or path.startswith("anon_inode:"):
        return None
    for kind in ("socket", "pipe"):
        if path.startswith((kind + ":", "UNIX", "TCP", "UDP", "NETLINK")) and (kind == "socket" or path.startswith("pipe:")):
            return kind
    return "file"


def error_of(call, path, number, line):
    """Returns the name of an error that the call in this line of a trace can return, or None."""
    errors = "" if OWN_PIPE.match(line) else ERRORS.get(call, "")
    if isinstance(errors, dict):
        return errors.get(kind_of(path))
    choices = errors.split()
    return choices[number % len(choices)] if choices else None


class Scene:
    """What is run. `works(folder, traced)` starts the program with the words of `traced` in front, plays the scene and
    returns (exit status, what must be the same as without a failure or None, complaint or None)."""

    def __init__(self, name, works):
        self.name, self.works = name, works


# ---- scenes: commands ----

def config_of(folder):
    return harness.write_config(folder, {"a": harness.server("--tools", 3), "b": harness.server("--tools", "2")},
                                {"limits": {"start_timeout_s": 20}}, name="conf.json")


def ended(process):
    """Waits for the end of a command: (exit status, stdout, stderr)."""
    try:
        out, err = process.communicate(timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return "hangs", out, err
    return process.returncode, out, err


def spawn(folder, traced, *arguments, **more):
    env = {**harness.environment(folder), "TORTURE_MARK": folder.name}
    return subprocess.Popen([*traced, harness.MCPTOOLS, *map(str, arguments)], cwd=folder, env=env, text=True, errors="replace",
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **{"stdin": subprocess.DEVNULL, **more})


def complaint_of_command(status, out, err, is_json, traced=()):
    if status == "hangs":
        return f"still running after {DEADLINE_S:.0f} s"
    if status < 0:
        return f"killed by {signal.Signals(-status).name}: {err[-400:]}"
    reader_left = any("EPIPE" in str(word) for word in traced)  # as in `mcptools list | head`
    if status and not out.strip() and not err.strip() and not reader_left:
        return f"exit status {status} without a word"
    if is_json and out.strip():
        try:
            json.loads(out)
        except ValueError as e:
            return None if status else f"no JSON with exit status 0: {e}: {out[-200:]}"
    return None


def command(*arguments, is_json=True, steady=True):
    def works(folder, traced):
        config = config_of(folder)
        status, out, err = ended(spawn(folder, traced, "--config", config, "--timeout", "20", *arguments))
        return status, out if steady and status == 0 else None, complaint_of_command(status, out, err, is_json, traced)
    return works


def edits(folder, traced):
    """A command that writes a file: it is the old one or the new one."""
    config = config_of(folder)
    old = config.read_text()
    status, out, err = ended(spawn(folder, traced, "--config", config, "config", "disable", "b"))
    now = config.read_text() if config.exists() else None
    try:
        whole = now == old or "b" in json.loads(now)["mcpServers"]
    except (ValueError, KeyError, TypeError):
        whole = False
    wrong = complaint_of_command(status, out, err, False, traced)
    if not whole:
        wrong = f"the file is torn: {now!r:.300}"
    elif status == 0 and now == old:
        wrong = "exit status 0, but nothing was written"
    return status, None, wrong


# ---- scenes: gateways ----

def request(number, method, params=None):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "torture", "version": "1"}}


def over_stdio(folder, traced):
    config = config_of(folder)
    lines = [request(1, "initialize", HELLO), json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
             request(2, "tools/list"), request(3, "tools/call", {"name": "a__tool0", "arguments": {}}), request(4, "ping")]
    process = spawn(folder, traced, "--config", config, "serve", "--stdio", stdin=subprocess.PIPE)
    try:
        out, err = process.communicate("\n".join(lines) + "\n", timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "hangs", None, f"still running after {DEADLINE_S:.0f} s"
    status = process.returncode
    wrong = complaint_of_command(status, "x", err, False)
    ids = collections.Counter()
    for line in out.splitlines():
        try:
            ids[json.loads(line).get("id")] += 1
        except ValueError:
            wrong = wrong or (None if line is out.splitlines()[-1] and status else f"a line that is no JSON: {line[:200]}")
    twice = [i for i, n in ids.items() if i is not None and n > 1]
    missing = {1, 2, 3, 4} - set(ids) if status == 0 else set()
    if twice or missing:
        wrong = wrong or (f"answered twice: {twice}" if twice else f"{UNANSWERED}: {sorted(missing)}; {err[-300:]}")
    return status, None, wrong


class Served:
    """A gateway over HTTP under strace."""

    def __init__(self, folder, traced):
        self.log = folder / "serve.log"
        with open(self.log, "wb") as log:
            env = {**harness.environment(folder), "TORTURE_MARK": folder.name}
            self.process = subprocess.Popen([*traced, harness.MCPTOOLS, "--config", str(config_of(folder)), "serve", "--http", "127.0.0.1:0"],
                                            cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def port(self):
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r" serves http://[^:]+:(\d+)/", self.log.read_text(errors="replace"))
            if found:
                return int(found[1])
            time.sleep(0.01)
        return None


def ask(port, body, session=None):
    """Returns (status, headers, text), or None if the connection broke."""
    connection = harness.http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if session:
        headers["Mcp-Session-Id"] = session
    try:
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode(errors="replace")
    except TimeoutError:
        raise
    except (OSError, harness.http.client.HTTPException):
        return None
    finally:
        connection.close()


def visit(port, name):
    """One client: returns what was wrong, or None."""
    hello = ask(port, request(1, "initialize", HELLO))
    if not hello or hello[0] != 200:
        return f"initialize: {hello and hello[::2]}"
    session = hello[1]["Mcp-Session-Id"]
    listed = ask(port, request(2, "tools/list"), session)
    called = ask(port, request(3, "tools/call", {"name": name, "arguments": {}}), session)
    for answer in (listed, called):
        if not answer or answer[0] != 200 or '"result"' not in answer[2]:
            return f"{answer and answer[::2]}"
    return None


def over_http(folder, traced):
    served = Served(folder, traced)
    wrong = None
    try:
        port = served.port()
        with contextlib.suppress(TimeoutError):
            if port:
                visit(port, "a__tool0")
        if port and served.process.poll() is None:
            last = None
            for _ in range(60):  # a server whose start failed is started again after a second
                last = visit(port, "a__tool0")
                if not last or served.process.poll() is not None:
                    break
                time.sleep(0.25)
            if last and served.process.poll() is None:
                wrong = f"the gateway does not recover: {last}"
    except TimeoutError:
        wrong = "a request without an answer"
    served.process.send_signal(signal.SIGTERM)
    try:
        status = served.process.wait(DEADLINE_S)
    except subprocess.TimeoutExpired:
        served.process.kill()
        served.process.wait()
        return "hangs", None, "SIGTERM did not end it"
    text = served.log.read_text(errors="replace")
    return status, None, wrong or complaint_of_command(status, "", text, False)


SCENES = [
    Scene("list", command("list", "-o", "json", steady=False)),
    Scene("call", command("call", "a.tool0", "-o", "json")),
    Scene("tools", command("tools", "--for", "openai", "-o", "json")),
    Scene("edit", edits),
    Scene("stdio", over_stdio),
    Scene("http", over_http),
]


# ---- running ----

def leftovers(mark):
    """Processes that still carry the mark."""
    left = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"TORTURE_MARK={mark}\0".encode() in (folder / "environ").read_bytes():
                left.append((int(folder.name), (folder / "comm").read_text().strip()))
        except OSError:
            continue
    return left


def play(scene, strace):
    """Plays a scene in a folder of its own. Returns (status, output, complaint, text of the trace)."""
    with tempfile.TemporaryDirectory(prefix="mcptools-torture-") as name:
        folder = pathlib.Path(name) / f"home-{uuid.uuid4().hex}"
        folder.mkdir()
        log = pathlib.Path(name) / "trace"  # not where the program watches its configuration
        status, out, wrong = scene.works(folder, ["strace", "-D", "-y", "-o", str(log), *strace])
        end = time.monotonic() + DEADLINE_S
        left = leftovers(folder.name)
        while left and time.monotonic() < end:
            time.sleep(0.02)
            left = leftovers(folder.name)
        for pid, _ in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if left:
            wrong = f"{wrong or ''} processes are left: {left}"
        return status, out and out.replace(str(folder), "FOLDER"), wrong, log.read_text(errors="replace") if log.exists() else ""


def points_of(scene, trace):
    """All failures to be tried: those after the dynamic linker is done."""
    counts, points, started = collections.Counter(), [], False
    for line in trace.splitlines():
        found = CALL.match(line)
        if not found:
            continue
        call, path = found[1], found[3]
        counts[call] += 1
        error = error_of(call, path, counts[call], line)
        if started and error:
            points.append(Point(scene, call, counts[call], error))
        started = started or call == "munmap"  # of ld.so.cache
    return points


def injected(trace, point):
    """Returns the call that failed, if it did and at a descriptor where it can: runs differ a little. Otherwise None."""
    for line in trace.splitlines():
        if line.endswith("(INJECTED)"):
            found = CALL.match(line)
            can_be = found and error_of(point.call, found[3], point.number, line)
            return line if can_be and can_be == point.error else None
    return None


def is_ended_by_libuv(point, inject):
    """libuv ends the program if it cannot make the descriptors that it needs itself. Plays the scene once more, with stacks."""
    _, _, _, trace = play(point.scene, ["-k", "-e", f"trace={point.call},tgkill", "-e", f"inject={inject}"])
    callers = [library for library in FRAME.findall(trace.rpartition("tgkill(")[2]) if "/libc.so" not in library]
    return bool(callers) and "/libuv.so" in callers[0]


def torture(point, expected):
    """Returns (point, "passed" | "not reached" | "ended by libuv" | complaint)."""
    inject = f"{point.call}:error={point.error}:when={point.number}"
    status, out, wrong, trace = play(point.scene, ["-e", f"trace={point.call}", "-e", f"inject={inject}"])
    failed = injected(trace, point)
    if not failed:
        return point, "not reached"
    if status == -signal.SIGABRT and is_ended_by_libuv(point, inject):
        return point, "ended by libuv"
    if failed.startswith("write(1<") and wrong and wrong.startswith(UNANSWERED):
        wrong = None  # the client is gone
    if not wrong and status == 0 and expected and out != expected:
        wrong = f"exit status 0, but the output differs: {out!r:.300}"
    return point, wrong or "passed"


def usable():
    if not shutil.which("strace"):
        return "strace is not installed"
    done = subprocess.run(["strace", "-D", "-o", "/dev/null", "-e", "inject=getppid:error=EPERM:when=1", "true"], capture_output=True,
                          text=True, check=False)
    return None if done.returncode == 0 else f"strace cannot trace here: {done.stderr.strip()[:200]}"


def write(counts):
    outcomes = ("passed", "ended by libuv", "not reached", "failed")
    report.put("syscalls", title="Every system call fails once", command="make torture WRITE=1", machine=machine.described(),
               date=time.strftime("%Y-%m-%d"), order=40, columns=["scene", *outcomes],
               rows=[[scene, *(counts[scene, outcome] for outcome in outcomes)] for scene in dict.fromkeys(s for s, _ in counts)],
               text=["Each scene runs once for each of its system calls, which then fails with an error that the kernel can return there "
                     "(`tests/torture/syscalls.py`). *Passed*: no crash, no hang, no process left, no torn file, and the answer is either the "
                     "right one or an error. *Ended by libuv*: libuv ends the program if it cannot make its own descriptors. *Not reached*: "
                     "this run did not get to that call."])


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def main():
    opts = arguments()
    why_not = usable()
    if why_not:
        print(f"1..0 # SKIP {why_not}")
        return 0
    wanted = opts.only.split(":")
    points, expected = [], {}
    for scene in SCENES:
        if wanted[0] not in ("", scene.name):
            continue
        status, expected[scene], wrong, trace = play(scene, [])
        if status != 0 or wrong:
            print(f"1..1\nnot ok 1 - {scene.name} without a failure: {status} {wrong}")
            return 1
        points += [p for p in points_of(scene, trace) if len(wanted) < 2 or wanted[1] == p.call]
    if len(wanted) > 2:
        points = [p for p in points if p.number == int(wanted[2])]
    if opts.sample and len(points) > opts.sample:
        points = random.Random(opts.seed).sample(points, opts.sample)
    print(f"1..{len(points)}", flush=True)
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(opts.jobs) as pool:
        for number, (p, said) in enumerate(pool.map(lambda p: torture(p, expected[p.scene]), points), 1):
            name = f"{p.scene.name}:{p.call}:{p.number} {p.error}"
            bad = said not in ("passed", "not reached", "ended by libuv")
            counts[p.scene.name, "failed" if bad else said] += 1
            print(f"{'not ok' if bad else 'ok'} {number} - {name}{' # SKIP not reached' if said == 'not reached' else ''}"
                  + (f"\n# {said}" if bad else ""), flush=True)
    for (scene, said), n in sorted(counts.items()):
        print(f"# {scene}: {n} {said}")
    if opts.write:
        write(counts)
    return 1 if any(said == "failed" for _, said in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
