"""Headers and examples compile as C99, as C23 and as C++17, without a warning. TAP; arguments: the C compiler, as words."""

import pathlib
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
CC = sys.argv[1:]
CXX = [shutil.which("g++") or shutil.which("clang++") or shutil.which("c++")]
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L", f"-I{TOP / 'include'}", "-fsyntax-only"]
LANGUAGES = {"C99": [*CC, "-std=c99", "-x", "c", "-pedantic"], "C23": [*CC, "-std=c2x", "-x", "c", "-pedantic"],
             # an example leaves members out, and names those that it sets, which C++17 compilers take as well
             "C++17": [*CXX, "-std=c++17", "-x", "c++", "-Wno-missing-field-initializers"]}


def compiles(command, *what):
    done = subprocess.run([*command, *WARNINGS, *map(str, what)], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else None


def main():
    failed, n, todo = 0, 0, []
    for language, command in LANGUAGES.items():
        if not command[0]:
            continue
        for header in sorted((TOP / "include" / "mcptools").glob("*.h")):
            if header.name != "uv.h":  # that of libuv is no C99
                pedantic = [*command, "-pedantic"]
                todo.append((f"{language}: {header.name}", pedantic, ("-include", header, "/dev/null")))
        for example in sorted((TOP / "examples").rglob("*.c")):
            todo.append((f"{language}: {example.name}", command, (example,)))
    print(f"1..{len(todo)}")
    for name, command, what in todo:
        n += 1
        problem = compiles(command, *what)
        failed += problem is not None
        print(f"{'not ok' if problem else 'ok'} {n} - {name}" + ("\n# " + problem.replace("\n", "\n# ") if problem else ""))
    sys.exit(failed > 0)


main()
