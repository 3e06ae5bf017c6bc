"""Sandboxes of servers: a hostile server tries everything, an ordinary one works. As root, and as a user."""

import contextlib
import ctypes
import json
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import threading

from harness import (Session, environment, gateway, main, processes_with, run, test, until, write_config)

SERVER = pathlib.Path(__file__).with_name("sandbox_server.py")
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
LANDLOCK = ctypes.CDLL(None).syscall(444, None, 0, 1)
NOBODY = pwd.getpwnam("nobody").pw_uid
MODES = ("strict", "best-effort")


def needs(abi):
    """Leaves the test out where the kernel cannot do it."""
    def decorate(function):
        def checked(folder):
            if LANDLOCK < abi:
                print(f"# skipped {function.__name__}: Landlock has ABI {LANDLOCK}, {abi} is needed")
                return
            function(folder)
        checked.__name__ = function.__name__
        return checked
    return decorate


def hostile(folder, sandbox, *arguments, **more):
    return {"command": PYTHON, "args": [str(SERVER), *map(str, arguments)], "cwd": str(folder / "work"),
            "sandbox": sandbox, **more}


def prepare(folder):
    (folder / ".ssh").mkdir()
    (folder / ".ssh/id_x").write_text("private")
    (folder / "notes.txt").write_text("private")
    (folder / "work").mkdir()
    (folder / "work/mine").write_text("mine")
    (folder / "other").mkdir()
    (folder / "other/file").write_text("other")


class Tried:
    """The server behind a gateway; try_() is one attempt."""

    def __init__(self, g, name="h"):
        self.session, self.name = Session(g, f"/mcp/{name}"), name

    def try_(self, what, given=None):
        arguments = {"what": what, **({"with": given} if given is not None else {})}
        status, _, body = self.session.post("tools/call", {"name": "attempt", "arguments": arguments})
        assert status == 200, (what, status, body)
        line = next(x for x in body.decode().splitlines() if '"result"' in x or '"error"' in x)
        answer = json.loads(line[line.index("{"):])
        assert "result" in answer, (what, answer)
        return answer["result"]["content"][0]["text"]


@contextlib.contextmanager
def tried(folder, sandbox, env=None, before=None, more=None):
    prepare(folder)
    write_config(folder, {"h": hostile(folder, sandbox, **(more or {}))})
    if before:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    with gateway(folder, "--config", folder / "mcptools.json", env=env, before=before) as g:
        yield Tried(g.wait_ready())


def be_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


# what is tried, with what, and the errno of the refusal
FILES = [
    ("get", "{}/.ssh/id_x", "EACCES"), ("list", "{}/.ssh", "EACCES"), ("get", "{}/notes.txt", "EACCES"),
    ("get", "{}/mcptools.json", "EACCES"), ("put", "{}/mcptools.json", "EACCES"), ("truncate", "{}/notes.txt", "EACCES"),
    ("put", "{}/new", "EACCES"), ("mkdir", "{}/new", "EACCES"), ("remove", "{}/notes.txt", "EACCES"),
    ("put", "{}/other/file", "EACCES"), ("put", "/usr/new", "EACCES"), ("put", "/tmp/mcptools-sandbox-escape", "EACCES"),
    ("put", "/dev/shm/mcptools-sandbox-escape", "EACCES"), ("list", "{}", "EACCES"),
    ("rename", ["{}/other/file", "{}/work/stolen"], "EACCES"), ("link", ["{}/notes.txt", "{}/work/stolen"], "EXDEV"),
    ("away", "{}/.ssh/id_x", "EACCES"),
]
PROCESSES = [
    ("environ", None, "EACCES"), ("memory", None, "EACCES"), ("descriptor", None, "EACCES"),
    ("descriptor_open", None, "EACCES"), ("folder", None, "EACCES"),
    ("signal", None, "EPERM"), ("ptrace", None, "EPERM"), ("vm", None, "EPERM"), ("call", "pidfd_getfd", "EPERM"),
    ("signal_all", None, "EPERM"), ("signal_group", None, "EPERM"), ("nice", None, "EPERM"), ("nice_user", None, "EPERM"),
    ("affinity", None, "EPERM"), ("limit_gateway", None, "EPERM"), ("shared_memory", None, "EPERM"),
]
KERNEL = [*(("call", name, "EPERM") for name in (
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "bpf", "perf_event_open", "keyctl", "add_key",
    "request_key", "userfaultfd", "io_uring_setup", "open_by_handle_at", "kexec_load", "init_module", "finit_module",
    "delete_module", "reboot", "swapon", "swapoff", "fsopen", "move_mount", "open_tree", "settimeofday", "sethostname")),
    ("call", "clone3", "ENOSYS"), ("unshare_user", None, "EPERM"), ("clone_user", None, "EPERM"),
    ("personality", None, "EPERM"), ("tiocsti", None, "EPERM"), ("tiocsti_high", None, "EPERM"), ("x32", None, "EPERM"),
    ("other_abi", None, "EPERM"), ("limit", None, "EPERM"), ("lose_mark", None, "EPERM")]
SOCKETS = [("raw", None, "EPERM"), ("packet", None, "EPERM"), ("vsock", None, "EPERM"), ("netlink", None, "EPERM"),
           ("unix", "{}/socket", "EPERM"), ("abstract", "mcptools-test", "EPERM"), ("dgram_pair", "{}/socket", "EPERM")]
NETWORK = [("tcp", 9, "EPERM"), ("tcp6", 9, "EPERM"), ("udp", 9, "EPERM"), ("mptcp", None, "EPERM")]


def check(folder, h, rows):
    wrong = []
    for what, given, refusal in rows:
        filled = [g.format(folder) for g in given] if isinstance(given, list) else \
            given.format(folder) if isinstance(given, str) else given
        got = h.try_(what, filled)
        if got != f"denied: {refusal}":
            wrong.append((what, filled, got))
    assert not wrong, wrong


def everything(folder, mode, before=None):
    with tried(folder, {"mode": mode, "network": "off"}, before=before) as h:
        assert h.try_("works").startswith("done: /"), h.try_("works")
        check(folder, h, FILES + PROCESSES + KERNEL + SOCKETS + NETWORK)
        assert h.try_("put", f"{folder}/work/mine") == "done: None"
        assert h.try_("mkdir", f"{folder}/work/new") == "done: None"
        assert h.try_("symlink", [f"{folder}/notes.txt", f"{folder}/work/link"]) == "done: None"
        assert h.try_("get", f"{folder}/work/link") == "denied: EACCES"
        status = h.try_("status")
        assert "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status, status
        assert int(status.split("CapEff:\t")[1].split()[0], 16) & (1 << 21 | 1 << 19 | 1 << 12) == 0, status
        temporary = pathlib.Path(h.try_("variable", "TMPDIR").split(": ")[1])
        assert temporary.is_dir() and temporary.stat().st_mode & 0o777 == 0o700
    assert not temporary.exists()
    assert not (folder / "work/stolen").exists() and (folder / ".ssh/id_x").read_text() == "private"
    until(lambda: not processes_with(str(folder / "mcptools.json")), "no process is left")


@test
@needs(6)
def strict(folder):
    everything(folder, "strict")


@test
@needs(6)
def best_effort(folder):
    everything(folder, "best-effort")


@test
@needs(6)
def as_a_user(folder):
    if os.getuid() == 0:
        everything(folder, "strict", be_nobody)


@test
def off_is_off(folder):
    """What the rows above test is possible without a sandbox, so that they can fail."""
    with tried(folder, "off") as h:
        for what, given in (("get", f"{folder}/.ssh/id_x"), ("put", f"{folder}/new"), ("environ", None),
                            ("signal", None), ("away", f"{folder}/.ssh/id_x"), ("personality", None)):
            assert h.try_(what, given).startswith("done"), (what, h.try_(what, given))
        assert h.try_("tcp", h.session.g.port) == "done: None"
        assert "NoNewPrivs:\t0" in h.try_("status")


@test
@needs(3)
def network_on(folder):
    with tried(folder, "best-effort") as h:
        assert h.try_("tcp", h.session.g.port) == "done: None"
        assert h.try_("route") == "done: None"
        assert "127.0.0.1" in h.try_("resolve", "localhost")
        check(folder, h, SOCKETS)


@test
@needs(3)
def a_link_of_the_server_leads_nowhere(folder):
    """What the server has replaced by a link is not granted at its next start."""
    prepare(folder)
    (folder / "work/data").mkdir()
    (folder / "mine").symlink_to(folder / "other")
    config = write_config(folder, {"h": hostile(folder, "best-effort", "data", folder / "mine")})
    with gateway(folder, "--config", config) as g:
        h = Tried(g.wait_ready())
        assert h.try_("put", f"{folder}/work/data/x") == "done: None"
        assert h.try_("put", f"{folder}/other/x") == "done: None"  # the user's link
        assert h.try_("rename", [f"{folder}/work/data", f"{folder}/work/old"]) == "done: None"
        assert h.try_("symlink", [f"{folder}/.ssh", f"{folder}/work/data"]) == "done: None"
    with gateway(folder, "--config", config) as g:
        h = Tried(g.wait_ready())
        assert h.try_("get", f"{folder}/.ssh/id_x") == "denied: EACCES"
    report = json.loads(run(folder, "status", "h", "--config", config, "-o", "json").stdout)["servers"][0]["sandbox"]
    assert "leads over a link" in report["lacks"][0], report


class Echo:
    """A peer at 127.0.0.1 that sends back what it gets."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                s, _ = self.listener.accept()
                with s:
                    while data := s.recv(65536):
                        s.sendall(data)

    def __exit__(self, *_):
        self.listener.close()


def without_namespaces():
    """In a user namespace in which no further ones can be made."""
    be_nobody()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(4, 1)
    assert libc.unshare(0x10000000) == 0, ctypes.get_errno()
    for name, text in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {NOBODY} 1"), ("gid_map", f"{NOBODY} {NOBODY} 1")):
        pathlib.Path("/proc/self", name).write_text(text)
    for name in ("max_user_namespaces", "max_net_namespaces"):
        pathlib.Path("/proc/sys/user", name).write_text("0")


def listed(folder, mode, before=None):
    with Echo() as echo, Echo() as other:
        sandbox = {"mode": mode, "network": [f"127.0.0.1:{echo.port}", "*.example.com:443"]}
        with tried(folder, sandbox, before=before) as h:
            got = h.try_("proxy", ["127.0.0.1", echo.port])
            assert got == "done: 200 hello", got
            for peer in (["127.0.0.1", other.port], ["127.0.0.1", h.session.g.port], ["localhost", echo.port],
                         ["example.com", 443], ["a.example.com.evil.org", 443], ["aexample.com", 443]):
                assert h.try_("proxy", peer).startswith('done: 403 it is not in "network"'), peer
            assert h.try_("works").startswith("done: /")
            check(folder, h, SOCKETS + [("udp", 9, "EPERM"), ("mptcp", None, "EPERM"), ("fast_open", echo.port, "EPERM")])
            direct = [h.try_("tcp", port) for port in (echo.port, h.session.g.port)]
            variables = [h.try_("variable", name) for name in ("https_proxy", "NODE_USE_ENV_PROXY", "NO_PROXY")]
            report = run(folder, "status", "h", "--config", folder / "mcptools.json", "-o", "json")
            return direct, variables, json.loads(report.stdout)["servers"][0]["sandbox"], h.session.g.text()


@test
@needs(4)
def a_list_of_peers(folder):
    direct, variables, report, log = listed(folder, "strict")
    assert direct == ["denied: ECONNREFUSED"] * 2, direct  # a network of its own
    assert variables[0].startswith("done: http://127.0.0.1:") and variables[1] == "done: 1", variables
    assert report["network"] == "list" and "network" in report["namespaces"] and "lacks" not in report, report


@test
@needs(4)
def a_list_of_peers_as_a_user(folder):
    if os.getuid() == 0:
        direct, _, _, _ = listed(folder, "strict", be_nobody)
        assert direct == ["denied: ECONNREFUSED"] * 2, direct


@test
@needs(4)
def a_list_of_peers_without_namespaces(folder):
    """The proxy has a password, and Landlock keeps to its port."""
    if os.getuid() == 0:
        direct, variables, _, _ = listed(folder, "best-effort", without_namespaces)
        assert direct == ["denied: EACCES"] * 2, direct
        assert variables[0].startswith("done: http://mcptools:"), variables


@test
@needs(4)
def names_lead_to_public_addresses(folder):
    with Echo() as echo:
        for number, allow in enumerate(([], ["private-addresses"])):
            place = folder / str(number)
            place.mkdir()
            with tried(place, {"mode": "best-effort", "network": f"*:{echo.port}", "allow": allow}) as h:
                got = h.try_("proxy", ["localhost", echo.port])
                assert got == "done: 200 hello" if allow else got.startswith("done: 403 its address is not public"), got


@test
@needs(3)
def paths_of_the_entry(folder):
    (folder / "data").mkdir()
    (folder / "data/x").write_text("x")
    sandbox = {"mode": "best-effort", "read": ["${HOME}/other", "~/.ssh", "~/none"], "write": "~/notes.txt"}
    with tried(folder, sandbox, {"DATA": str(folder / "data")}, more={"env": {"D": "${DATA}"}}) as h:
        assert h.try_("get", f"{folder}/other/file").startswith("done")
        assert h.try_("get", f"{folder}/.ssh/id_x").startswith("done")  # it is named
        assert h.try_("put", f"{folder}/notes.txt") == "done: None"
        assert h.try_("put", f"{folder}/data/new") == "done: None"  # a variable of the entry names it
        assert h.try_("put", f"{folder}/other/file") == "denied: EACCES"
        assert h.try_("get", f"{folder}/mcptools.json") == "denied: EACCES"
        p = run(folder, "status", "h", "--config", folder / "mcptools.json")
        assert "sandbox:  best-effort; files by Landlock" in p.stdout and "absent:   " in p.stdout, p
        report = json.loads(run(folder, "status", "h", "-o", "json").stdout)["servers"][0]["sandbox"]
        assert report["absent"] == [f"{folder}/none"] and f"{folder}/data" in report["write"], report


@test
@needs(3)
def a_home_folder_is_not_all_of_it(folder):
    """A folder that is granted has no secrets, and nothing new can be made beside them."""
    with tried(folder, {"mode": "best-effort", "write": "~"}) as h:
        check(folder, h, [("get", "{}/.ssh/id_x", "EACCES"), ("get", "{}/mcptools.json", "EACCES"),
                          ("put", "{}/.bashrc", "EACCES"), ("put", "{}/mcptools.json", "EACCES")])
        assert h.try_("put", f"{folder}/other/file") == "done: None"
        assert h.try_("put", f"{folder}/other/new") == "done: None"


@test
@needs(3)
def all_servers_inherit(folder):
    settings = {"sandbox": {"mode": "best-effort", "network": "off", "read": [str(folder / "other")]}}
    prepare(folder)
    servers = {"a": hostile(folder, "off"), "b": hostile(folder, {"network": "on"})}
    servers["c"] = {k: v for k, v in hostile(folder, "off").items() if k != "sandbox"}
    write_config(folder, servers, settings)
    with gateway(folder, "--config", folder / "mcptools.json") as g:
        g.wait_ready()
        a, b, c = (Tried(g, name) for name in "abc")
        assert a.try_("get", f"{folder}/notes.txt").startswith("done")
        for h in (b, c):
            assert h.try_("get", f"{folder}/notes.txt") == "denied: EACCES"
            assert h.try_("get", f"{folder}/other/file").startswith("done")
        assert b.try_("tcp", g.port) == "done: None" and c.try_("tcp", g.port) == "denied: EPERM"


@test
@needs(3)
def memory_is_limited(folder):
    with tried(folder, {"mode": "best-effort", "memory": "300m"}) as h:
        assert h.try_("hog", 50).startswith("done")
        assert h.try_("hog", 500) == "denied: ENOMEM"


@test
@needs(3)
def processes_are_limited(folder):
    if os.getuid() != 0:
        return
    with tried(folder, {"mode": "best-effort", "processes": 40}, before=be_nobody) as h:
        n = int(h.try_("forks", 300).split(": ")[1])
        assert 20 <= n <= 40, n
        assert h.try_("works").startswith("done: /")


@test
def strict_refuses_what_cannot_hold(folder):
    if os.access("/sys/fs/cgroup/cgroup.procs", os.W_OK):
        return
    prepare(folder)
    config = write_config(folder, {"h": hostile(folder, {"mode": "strict", "memory": "300m"})})
    p = run(folder, "list", "h", "--config", config)
    assert p.returncode == 4 and 'the sandbox is "strict" and cannot hold here' in p.stderr + p.stdout, p


@test
@needs(3)
def a_denied_start_says_so(folder):
    prepare(folder)
    config = write_config(folder, {"h": hostile(folder, "best-effort", "--complain")})
    p = run(folder, "list", "h", "--config", config)
    assert "its sandbox may be the reason: \"read\" or \"write\" of \"sandbox\" allows more" in p.stderr + p.stdout, p


@test
def mistakes(folder):
    for sandbox, said in (("strikt", "must be off, best-effort or strict, or an object"), ({"mode": "x"}, "must be"),
                          ({"memory": "lots"}, '"sandbox.memory" must be'), ({"memory": "10"}, '"sandbox.memory" must be'),
                          ({"network": "maybe"}, '"sandbox.network" must be'), ({"network": ["a b:1"]}, "must be"),
                          ({"network": ["a:0"]}, "must be"), ({"network": ["x*.com:1"]}, "must be"),
                          ({"allow": ["x"]}, '"sandbox.allow" has an unknown word'), ({"processes": 0}, "from 1 to"),
                          ({"reed": []}, "unknown key, ignored; did you mean 'read'?")):
        config = write_config(folder, {"h": {"command": "true", "sandbox": sandbox}})
        p = run(folder, "config", "check", "--config", config)
        assert said in p.stdout + p.stderr, (sandbox, p)
    config = write_config(folder, {"h": {"url": "http://127.0.0.1:1/mcp", "sandbox": "strict"}})
    p = run(folder, "config", "check", "--config", config)
    assert "has no effect without a" in p.stdout + p.stderr, p


@test
@needs(3)
def added_servers_have_one(folder):
    (folder / "data").mkdir()
    added = ["--", PYTHON, SERVER, folder / "data"]
    p = run(folder, "add", "--name", "h", *added)
    assert p.returncode == 0 and "  sandbox: best-effort\n" in p.stdout, p
    file = folder / ".config/mcptools/mcptools.json"
    assert json.loads(file.read_text())["mcpServers"]["h"]["sandbox"] == "best-effort"
    p = run(folder, "call", "h.attempt", "--args", json.dumps({"what": "put", "with": f"{folder}/data/x"}), "-o", "raw")
    assert p.stdout == "done: None", p
    p = run(folder, "call", "h.attempt", "--args", json.dumps({"what": "put", "with": f"{folder}/x"}), "-o", "raw")
    assert p.stdout == "denied: EACCES", p
    assert run(folder, "config", "set", "h.sandbox", "off").returncode == 0
    assert json.loads(file.read_text())["mcpServers"]["h"]["sandbox"] == "off"
    for option, entry in ((["--no-sandbox"], None), (["--sandbox", "strict"], "strict")):
        p = run(folder, "add", "--name", "h", "--force", "--no-check", *option, *added)
        assert p.returncode == 0 and json.loads(file.read_text())["mcpServers"]["h"].get("sandbox") == entry, p


@test
@needs(3)
def real_servers_work(folder):
    """Servers from npm, as `add` writes them."""
    modules = pathlib.Path(__file__).parent.parent / "interop/node_modules"
    files = modules / "@modelcontextprotocol/server-filesystem/dist/index.js"
    node = shutil.which("node")
    if not node or not files.exists():
        print("# skipped real_servers_work: no node, or no npm packages in tests/interop")
        return
    (folder / "data").mkdir()
    everything_js = modules / "@modelcontextprotocol/server-everything/dist/index.js"
    for name, words in (("files", [node, files, folder / "data"]), ("everything", [node, everything_js, "stdio"])):
        p = run(folder, "add", "--name", name, "--", *words)
        assert p.returncode == 0 and "Connected: " in p.stdout, p
    p = run(folder, "call", "files.write_file", f"path={folder}/data/a.txt", "content=hello")
    assert p.returncode == 0 and (folder / "data/a.txt").read_text() == "hello", p
    p = run(folder, "call", "everything.echo", "message=hi", "-o", "raw")
    assert "hi" in p.stdout, p


@test
@needs(3)
def npx_works_with_its_cache(folder):
    """`npx -y` of a package that lies in its cache, without the network."""
    npx = shutil.which("npx")
    if not npx:
        print("# skipped npx_works_with_its_cache: no npx")
        return
    package = folder / "package"
    package.mkdir()
    (package / "package.json").write_text(json.dumps(
        {"name": "sandboxed-thing", "version": "1.0.0", "bin": {"sandboxed-thing": "run.sh"}}))
    shutil.copy(SERVER, package / "server.py")
    (package / "run.sh").write_text(f'#!/bin/sh\nexec {PYTHON} "$(dirname "$(realpath "$0")")/server.py"\n')
    (package / "run.sh").chmod(0o755)
    p = subprocess.run(["npm", "pack", "--silent"], cwd=package, env=environment(folder), capture_output=True, text=True,
                       check=False)
    assert p.returncode == 0, p
    archive = package / p.stdout.strip()
    p = run(folder, "add", "--name", "thing", "--", npx, "-y", "--offline", f"--package={archive}", "sandboxed-thing",
            env={"npm_config_update_notifier": "false", "npm_config_audit": "false"})
    assert p.returncode == 0 and "Connected: hostile 1" in p.stdout, p
    assert (folder / ".npm/_npx").is_dir()


@test
def the_gateway_stays_free(folder):
    """What the child gives up between vfork and exec, the gateway keeps."""
    with tried(folder, "best-effort") as h:
        with open(f"/proc/{h.session.g.process.pid}/status", encoding="utf-8") as f:
            status = f.read()
        assert "NoNewPrivs:\t0" in status and "Seccomp:\t0" in status, status
        assert os.stat(f"/proc/{h.session.g.process.pid}").st_uid == os.getuid()


main()
