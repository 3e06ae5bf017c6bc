"""The archive takes no names from programs: what it defines for others begins with mct_ (its interface) or mcti_. TAP.

Arguments: the static library, the C compiler."""

import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVE, COMPILER = sys.argv[1], sys.argv[2:]
PREFIXES = ("mct_", "mcti_")
LIBRARIES = [name for name in ("libuv", "libcrypto", "libpcre2-8", "yaml-0.1", "zlib") if subprocess.run(["pkg-config", name], check=False).returncode == 0]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def foreign_names():
    rows = (line.split() for line in run("nm", "-g", "--defined-only", ARCHIVE).stdout.splitlines())
    names = {row[2] for row in rows if len(row) == 3}
    if not names:
        return "nm finds no names"
    return ", ".join(sorted(name for name in names if not name.startswith(PREFIXES)))


def clashes():
    """Why a program with names of its own is not built or does not run, with every object of the archive in it."""
    libraries = shlex.split(run("pkg-config", "--libs", *LIBRARIES).stdout)
    with tempfile.TemporaryDirectory(prefix="mcptools-archive-") as folder:
        program = pathlib.Path(folder) / "own_names"
        built = run(*COMPILER, f"-I{HERE.parent.parent / 'include'}", HERE / "own_names.c", "-o", program, "-Wl,--whole-archive", ARCHIVE,
                    "-Wl,--no-whole-archive", *libraries, "-lm", "-ldl")
        if built.returncode:
            return built.stderr
        ran = run(program)
        return "" if ran.returncode == 0 else f"exit status {ran.returncode}: {ran.stdout}{ran.stderr}"


def main():
    checks = [("every name of the archive has a prefix", foreign_names()), ("a program has names of its own beside it", clashes())]
    print(f"1..{len(checks)}")
    for number, (what, wrong) in enumerate(checks, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
        print("".join(f"# {line}\n" for line in wrong.splitlines()), end="")


main()
