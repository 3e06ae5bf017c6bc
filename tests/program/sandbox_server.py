"""A hostile server over stdio: its tool tries one thing and says whether it was done. Standard library only."""

import base64
import ctypes
import errno
import fcntl
import json
import mmap
import os
import platform
import resource
import socket
import subprocess
import sys
import threading
import time

GATEWAY = os.getppid()
LIBC = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
CALLS = {  # numbers on x86_64, aarch64
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),
    "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "bpf": (321, 280), "perf_event_open": (298, 241),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "open_by_handle_at": (304, 265), "kexec_load": (246, 104), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224),
    "swapoff": (168, 225), "clone": (56, 220), "personality": (135, 92), "fsopen": (430, 430), "move_mount": (429, 429),
    "open_tree": (428, 428), "pidfd_getfd": (438, 438), "clone3": (435, 435), "settimeofday": (164, 170),
    "sethostname": (170, 161), "ioctl": (16, 29),
}


def system(name, *arguments):
    number = CALLS[name][0 if X86 else 1]
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), name)


def call_libc(name, *arguments):
    ctypes.set_errno(0)
    if getattr(LIBC, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def put(path):
    with open(path, "a", encoding="utf-8") as f:
        f.write("x")


def get(path):
    with open(path, "rb") as f:
        return f.read(64)


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as s:
        s.settimeout(2)
        if kind == socket.SOCK_DGRAM:
            s.sendto(b"x", address)
        else:
            s.connect(address)


def other_abi():
    """getpid() of i386, whose number means writev() here."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    pid = os.fork()
    if pid == 0:  # a kernel without this ABI ends it
        os._exit(1 if function() < 0 else 0)
    if os.wait()[1]:
        raise OSError(errno.EPERM, "int 0x80")


def x32():
    ctypes.set_errno(0)
    if LIBC.syscall(ctypes.c_long(0x40000000 | 39)) < 0:
        raise OSError(ctypes.get_errno(), "x32")


def dgram_pair(path):
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with a, b:
        a.sendto(b"x", path)


def away(path):
    """From a grandchild in a session of its own, whose parent is gone; it stays."""
    r, w = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        try:
            get(path)
            os.write(w, b"0 ")
        except OSError as e:
            os.write(w, b"%d " % e.errno)
        os.close(w)
        for fd in range(3):
            os.close(fd)
        time.sleep(3600)
        os._exit(0)
    os.close(w)
    os.wait()
    number = int(os.read(r, 16).split()[0])
    if number:
        raise OSError(number, "in the grandchild")


def lose_mark():
    soft, hard = resource.getrlimit(resource.RLIMIT_RTTIME)
    resource.setrlimit(resource.RLIMIT_RTTIME, (1 << 40, 1 << 40))
    return f"{soft} {hard}"


def forks(most):
    """How many children it can have at once."""
    children, r_w = [], os.pipe()
    try:
        while len(children) < most:
            pid = os.fork()
            if pid == 0:
                os.close(r_w[1])
                os.read(r_w[0], 1)
                os._exit(0)
            children.append(pid)
    except OSError:
        pass
    os.close(r_w[1])
    for pid in children:
        os.waitpid(pid, 0)
    os.close(r_w[0])
    return str(len(children))


def hog(megabytes):
    try:
        data = bytearray(megabytes << 20)
    except MemoryError as e:
        raise OSError(errno.ENOMEM, "bytearray") from e
    return str(len(data))


def by_proxy(host, port):
    """Asks the proxy for the peer, says hello, and gives the status and what came back."""
    url = os.environ["HTTPS_PROXY"].removeprefix("http://")
    user, at, place = url.rpartition("@")
    secret = base64.b64encode(user.encode()).decode()
    with socket.create_connection((place.split(":")[0], int(place.split(":")[1])), timeout=10) as s:
        head = f"Proxy-Authorization: Basic {secret}\r\n" if at else ""
        s.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n{head}\r\nhello".encode())
        s.shutdown(socket.SHUT_WR)
        got = b""
        while chunk := s.recv(65536):
            got += chunk
    head, _, body = got.partition(b"\r\n\r\n")
    return f"{head.split()[1].decode()} {body.decode()}"


def works():
    """What ordinary servers do."""
    a, b = socket.socketpair()
    a.close()
    b.close()
    subprocess.run(["ls", "/usr"], stdout=subprocess.DEVNULL, check=True)
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    put(os.path.join(os.environ["TMPDIR"], "x"))
    get("/proc/self/maps")
    get("/etc/passwd")
    with open("/dev/null", "w", encoding="utf-8") as f:
        f.write("x")
    return os.environ["TMPDIR"]


def status():
    with open("/proc/self/status", encoding="utf-8") as f:
        return f.read()


ATTEMPTS = {
    "get": get, "put": put, "list": lambda path: json.dumps(sorted(os.listdir(path))), "remove": os.unlink,
    "rename": lambda pair: os.rename(*pair), "mkdir": os.mkdir, "truncate": lambda p: os.truncate(p, 0),
    "link": lambda pair: os.link(*pair), "symlink": lambda pair: os.symlink(*pair),
    "environ": lambda: get(f"/proc/{GATEWAY}/environ"), "memory": lambda: get(f"/proc/{GATEWAY}/mem"),
    "descriptor": lambda: os.readlink(f"/proc/{GATEWAY}/fd/1"), "descriptor_open": lambda: get(f"/proc/{GATEWAY}/fd/1"),
    "folder": lambda: os.listdir(f"/proc/{GATEWAY}/cwd/"),
    "signal": lambda: os.kill(GATEWAY, 0), "signal_all": lambda: os.kill(-1, 0),
    "signal_group": lambda: os.killpg(os.getpgid(GATEWAY), 0), "nice": lambda: os.setpriority(0, GATEWAY, 19),
    "nice_user": lambda: os.setpriority(2, 0, 19), "affinity": lambda: os.sched_setaffinity(GATEWAY, [0]),
    "limit_gateway": lambda: resource.prlimit(GATEWAY, resource.RLIMIT_CORE, (0, 0)),
    "shared_memory": lambda: call_libc("shmget", 0, 4096, 0o1600),
    "tcp": lambda port: connect(socket.AF_INET, ("127.0.0.1", port)),
    "tcp6": lambda port: connect(socket.AF_INET6, ("::1", port)),
    "udp": lambda port: connect(socket.AF_INET, ("127.0.0.1", port), socket.SOCK_DGRAM),
    "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close(),
    "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    "vsock": lambda: socket.socket(40, socket.SOCK_STREAM).close(),
    "unix": lambda path: connect(socket.AF_UNIX, path), "dgram_pair": dgram_pair,
    "abstract": lambda name: connect(socket.AF_UNIX, "\0" + name),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9).close(),
    "route": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(),
    "mptcp": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).close(),
    "fast_open": lambda port: socket.socket().sendto(b"x", 0x20000000, ("127.0.0.1", port)),
    "resolve": lambda name: json.dumps([a[4][0] for a in socket.getaddrinfo(name, 443)]),
    "tiocsti": lambda: fcntl.ioctl(0, 0x5412, b"x"),
    "tiocsti_high": lambda: system("ioctl", 0, 0x7FFFFFFF00005412, 0),
    "ptrace": lambda: system("ptrace", 0x4206, GATEWAY, 0, 0), "vm": lambda: system("process_vm_readv", GATEWAY, 0, 0, 0, 0, 0),
    "call": lambda name: system(name, 0, 0, 0, 0, 0), "unshare_user": lambda: system("unshare", 0x10000000),
    "clone_user": lambda: system("clone", 0x10000000 | 17, 0, 0, 0, 0),
    "personality": lambda: system("personality", 0x0400000),
    "limit": lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    "lose_mark": lose_mark, "away": away, "other_abi": other_abi, "x32": x32, "forks": forks, "hog": hog, "works": works,
    "status": status, "variable": lambda name: os.environ.get(name, ""), "pid": lambda: str(os.getpid()),
    "handle": lambda: system("open_by_handle_at", -100, 0, 0),
    "proxy": lambda peer: by_proxy(*peer),
}


def attempt(arguments):
    what, given = arguments["what"], arguments.get("with")
    try:
        result = ATTEMPTS[what]() if given is None else ATTEMPTS[what](given)
    except OSError as e:
        return "denied: " + errno.errorcode.get(e.errno, str(e))
    except ValueError as e:  # resource: "not allowed to raise maximum limit"
        return "denied: EPERM" if "not allowed" in str(e) else "failed: " + str(e)
    return "done: " + (result if isinstance(result, str) else repr(result))


def main():
    if "--complain" in sys.argv:
        with open(os.path.join(os.environ["HOME"], "notes.txt"), encoding="utf-8") as f:
            f.read()
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                      "serverInfo": {"name": "hostile", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [{"name": "attempt", "inputSchema": {"type": "object"}}]}
        elif method == "tools/call":
            result = {"content": [{"type": "text", "text": attempt(request["params"]["arguments"])}]}
        elif "id" in request:
            result = {}
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


main()
