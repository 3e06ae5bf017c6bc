"""Format the C sources with clang-format; with --check, name those that differ and change nothing."""

import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["include", "src", "tests", "bench"]  # examples are short by hand
MAX_COLUMNS = 120
TOOL = "clang-format-14"  # other versions format differently


def sources():
    for folder in FOLDERS:
        for path in (TOP / folder).rglob("*"):
            if path.suffix in (".c", ".h", ".cc") and "node_modules" not in path.parts:
                yield str(path)


def too_long():
    """The formatter leaves comments as they are."""
    for path in sources():
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if len(line.rstrip("\n")) > MAX_COLUMNS and line.lstrip().startswith(("*", "/*")):
                    yield f"{path}:{number}: more than {MAX_COLUMNS} columns"


def main():
    how = ["--dry-run", "--Werror"] if "--check" in sys.argv[1:] else ["-i"]
    done = subprocess.run([TOOL, *how, *sources()], stderr=subprocess.PIPE, text=True, check=False)
    wrong = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "clang-format-violations" in line})
    found = [f"{path}: run `make format`" for path in wrong] + list(too_long())
    print("\n".join(found) or done.stderr or "format: clean")
    return 1 if found else done.returncode


if __name__ == "__main__":
    sys.exit(main())
