"""What the campaigns measure of processes: memory, descriptors, children, what is left behind. Reads /proc."""

import contextlib
import os
import pathlib
import platform

PROC = pathlib.Path("/proc")


def rollup_kib(pid):
    """{"Rss": KiB, "Pss": KiB, …} of a process."""
    out = {}
    for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines()[1:]:
        name, _, rest = line.partition(":")
        out[name] = int(rest.split()[0])
    return out


def descriptors(pid):
    return len(os.listdir(PROC / str(pid) / "fd"))


def descriptor_targets(pid):
    """What the descriptors of a process are, for reports."""
    out = []
    for fd in sorted(os.listdir(PROC / str(pid) / "fd"), key=int):
        with contextlib.suppress(OSError):
            out.append(f"{fd}={os.readlink(PROC / str(pid) / 'fd' / fd)}")
    return out


def connections_to(pid, ports):
    """How many TCP connections to these ports a process has."""
    inodes = set()
    for line in (PROC / str(pid) / "net" / "tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[2].rsplit(":", 1)[1], 16) in ports:
            inodes.add(f"socket:[{fields[9]}]")
    return sum(target.partition("=")[2] in inodes for target in descriptor_targets(pid))


def threads(pid):
    return len(os.listdir(PROC / str(pid) / "task"))


def stat_of(pid):
    """(state, parent, ticks of CPU), or None for a process that is gone."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return fields[0], int(fields[1]), int(fields[11]) + int(fields[12])


def pids():
    return [int(name) for name in os.listdir(PROC) if name.isdigit()]


def descendants(pid):
    """Living processes below a process; zombies count as "left", with state Z."""
    parents = {}
    for one in pids():
        stat = stat_of(one)
        if stat:
            parents.setdefault(stat[1], []).append(one)
    found, todo = [], [pid]
    while todo:
        for child in parents.get(todo.pop(), []):
            found.append(child)
            todo.append(child)
    return found


def marked(mark):
    """Living processes with that text in their environment or command line, but for this one."""
    found, text = [], mark.encode()
    for pid in pids():
        if pid == os.getpid():
            continue
        with contextlib.suppress(OSError):
            stat = stat_of(pid)
            folder = PROC / str(pid)
            if stat and stat[0] not in "ZX" and (text in (folder / "environ").read_bytes() or text in (folder / "cmdline").read_bytes()):
                found.append(pid)
    return found


def cpu_s(pid):
    stat = stat_of(pid)
    return stat[2] / os.sysconf("SC_CLK_TCK") if stat else 0.0


def sample(pid):
    """One line of a time series."""
    memory = rollup_kib(pid)
    return {"rss": memory["Rss"], "own": memory["Anonymous"] + memory["Swap"], "fds": descriptors(pid), "children": len(descendants(pid)),
            "threads": threads(pid)}


def described():
    """The machine in a few words, for the tables."""
    model = next((line.split(":", 1)[1].strip() for line in (PROC / "cpuinfo").read_text().splitlines() if line.startswith("model name")), "?")
    memory = int((PROC / "meminfo").read_text().split()[1]) >> 20
    return f"{os.cpu_count()} x {model}, {memory} GiB, Linux {platform.release()}"
