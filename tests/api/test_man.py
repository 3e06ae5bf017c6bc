"""The headers describe what they declare, and make good manual pages. TAP.

Arguments: the folder of the pages. The pages are checked by mandoc or groff, whichever is there.
"""

import pathlib
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(TOP / "tools"))
sys.dont_write_bytecode = True
import man  # noqa: E402, pylint: disable=wrong-import-position

HANDLES = {"instance", "request", "question", "event", "call", "writer", "json", "iter"}  # the object of a function, as the first parameter
HEADERS = [man.Header(p) for p in sorted((TOP / "include" / "mcptools").glob("*.h"))]
KINDS = man.error_kinds(HEADERS)


def described():
    """(where, function, blocks of its comment)"""
    for h in HEADERS:
        for comment, code in h.blocks:
            for function in man.functions_of(code) if comment != "section" else []:
                yield f"{h.name}.h: {function[1]}()", function, man.parse_comment(comment) if comment else []


def entries(blocks):
    return [name for kind, content in blocks if kind == "list" for name, _ in content]


def functions_are_described():
    return [where for where, _, blocks in described() if not blocks or blocks[0][0] != "text"]


def parameters_are_described():
    missing = []
    for where, (_, _, params), blocks in described():
        names = [man.param_name(p) for p in params]
        wanted = [n for i, n in enumerate(names) if n != "err" and not (i == 0 and n in HANDLES)]
        missing += [f"{where}: {n}" for n in wanted if n not in entries(blocks)]
    return missing


def entries_are_parameters_or_errors():
    unknown, params = [], {}
    for where, function, blocks in described():
        params.setdefault(str(blocks), set()).update(man.param_name(p) for p in function[2])
    for where, _, blocks in described():
        unknown += [f"{where}: {n}" for n in entries(blocks) if n not in params[str(blocks)] and n not in KINDS]
    return unknown


def errors_are_listed():
    missing = []
    for where, (_, _, params), blocks in described():
        takes_err = bool(params) and man.param_name(params[-1]) == "err"
        if takes_err and not any(n in KINDS for n in entries(blocks)):
            missing.append(where)
    return missing


def pages_are_there():
    wanted = {f"{h.page}.3" for h in HEADERS}
    for h in HEADERS:
        for name in h.functions:
            alias = PAGES / f"{name}.3"
            if not alias.is_file() or alias.read_text() != f".so man3/{h.page}.3\n":
                wanted.add(alias.name + " refers to its header's page")
    return sorted(w for w in wanted if not (PAGES / w).is_file())


def pages_name_every_parameter():
    missing = []
    for h in HEADERS:
        text = (PAGES / f"{h.page}.3").read_text()
        for _, name, params in h.functions.values():
            heading = " ".join([".It Fn", name, *(f'"{man.param_name(p)}"' for p in params)]) + "\n"
            missing += [] if heading in text else [heading.strip()]
    return missing


def pages_are_well_formed():
    pages = [str(PAGES / f"{h.page}.3") for h in HEADERS]
    if shutil.which("mandoc"):
        command = ["mandoc", "-T", "lint", "-W", "warning"]
    elif shutil.which("groff"):
        command = ["groff", "-mdoc", "-ww", "-z", "-Tutf8"]
    else:
        return "SKIP mandoc and groff are missing"
    done = subprocess.run(command + pages, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()


PROGRAM = """#include <mcptools/mcptools.h>
#include <poll.h>
#include <stdio.h>
static struct mct_tool_def my_tool = MCT_TOOL_DEF_INIT;
static struct mct_error err;
%s
void statements(int n_open, struct mct_instance *instance);
void statements(int n_open, struct mct_instance *instance)
{
%s
}
struct mct_tool_def *used(void); struct mct_tool_def *used(void) { err.kind = MCT_ERR_NONE; return &my_tool; }
"""


def examples_compile():
    """Those that open the headers: functions, and then statements."""
    problems = []
    for h in HEADERS:
        if h.name not in ("instance", "request"):
            continue
        code = "\n".join(next(lines for kind, lines in h.description if kind == "code"))
        functions, end, statements = code.rpartition("\n}\n\n")
        if "*instance = " in statements:
            statements = statements.replace("struct mct_instance *instance = ", "instance = ") + "\n(void)n_open;"
        done = subprocess.run(["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{TOP}/include", "-x", "c", "-"],
                              input=PROGRAM % (functions + end, statements), capture_output=True, text=True, check=False)
        problems += done.stderr.splitlines()
    return problems


def main():
    checks = [functions_are_described, parameters_are_described, entries_are_parameters_or_errors, errors_are_listed, pages_are_there,
              pages_name_every_parameter, pages_are_well_formed, examples_compile]
    failed = False
    print(f"1..{len(checks)}")
    for number, check in enumerate(checks, 1):
        problems, name = check(), check.__name__.replace("_", " ")
        if isinstance(problems, str):
            print(f"ok {number} - {name} # {problems}")
            continue
        failed |= bool(problems)
        print(f"{'not ok' if problems else 'ok'} {number} - {name}")
        for problem in problems:
            print(f"# {problem}")
    sys.exit(failed)


main()
