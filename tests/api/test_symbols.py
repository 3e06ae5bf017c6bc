"""What libmcptools exports is what its headers say, and it has no state of its own. TAP; argument: the shared library."""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = HERE.parent.parent / "include" / "mcptools"
LIBRARY = sys.argv[1]


def exported():
    out = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    return {name for name in (line.split()[-1] for line in out.splitlines()) if not name.startswith("__")}  # of sanitizers


def declared():
    names = set()
    for header in HEADERS.glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for statement in re.findall(r"^MCT_API [^;{]*;", text, flags=re.M):
            names.add(re.search(r"(\w+)\(", statement).group(1))
    return names


def promised():
    return set((HERE / "symbols.txt").read_text().split())


def state():
    """Objects in sections that can be written to while the program runs, but for those of the C runtime and the linker, and two
    that connect no instances: the key of hashes, drawn once, and the number of allocations that failed."""
    out = subprocess.run(["objdump", "-t", LIBRARY], capture_output=True, text=True, check=True).stdout
    own = {"completed.0", "__dso_handle", "__TMC_END__", "__bss_start", "_end", "end", "hash_key", "hash_key_drawn", "memory_failures"}
    rows = [line.split() for line in out.splitlines()]
    return {r[-1] for r in rows if len(r) > 4 and {".data", ".bss", ".tdata", ".tbss"} & set(r[2:4])
            and r[-1] not in own and not r[-1].startswith(".")}


def main():
    sanitized = "--sanitized" in sys.argv
    checks = [
        ("exports what the headers declare", exported() ^ declared()),
        ("keeps what was promised (symbols.txt; a new function is added there)", promised() ^ declared()),
        ("has no state of its own", set() if sanitized else state()),
    ]
    print(f"1..{len(checks)}")
    for number, (what, difference) in enumerate(checks, 1):
        print(f"{'not ok' if difference else 'ok'} {number} - {what}")
        if difference:
            print("# " + ", ".join(sorted(difference)))
    sys.exit(any(difference for _, difference in checks))


main()
