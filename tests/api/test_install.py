"""What `meson install` puts there is enough to build programs against, with the shared library and with the static one. TAP.

Arguments: the build folder, the program mcptools. The examples are built as their comments say.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD, MCPTOOLS = sys.argv[1:3]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise AssertionError(f"{shlex.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def pkg_config(root, *words):
    found = next(root.rglob("mcptools.pc"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(found.parent), "PKG_CONFIG_SYSROOT_DIR": str(root)}
    return shlex.split(run("pkg-config", *words, "mcptools", env=environment))


def serves(program):
    out = run(MCPTOOLS, "call", "count_words", "text=one two three", "--stdio", str(program), "-o", "raw")
    assert out == '{"words":3}', out


def checks(root):
    flags = pkg_config(root, "--cflags")
    library = next(root.rglob("libmcptools.a")).parent
    source = TOP / "examples" / "server.c"

    def shared():
        run("cc", source, *flags, *pkg_config(root, "--libs"), f"-Wl,-rpath,{library}", "-o", root / "shared")
        serves(root / "shared")

    def static():
        libs = ["-l:libmcptools.a" if word == "-lmcptools" else word for word in pkg_config(root, "--static", "--libs")]
        run("cc", source, *flags, *libs, "-o", root / "static")
        serves(root / "static")
        assert "libmcptools" not in run("ldd", root / "static")

    def headers():
        for header in sorted((root / "usr/local/include/mcptools").glob("*.h")):
            run("cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x", "c", *flags,
                "-include", f"mcptools/{header.name}", "/dev/null")

    def pages():
        manual = root / "usr/local/share/man"
        assert (manual / "man3/mct_free.3").read_text() == ".so man3/mcptools_common.3\n"
        if shutil.which("man"):
            assert "mct_free(void *p);" in run("man", "-M", manual, "mct_free", env={**os.environ, "MANWIDTH": "80", "MANPAGER": "cat"})

    def documents():
        there = root / "usr/local/share/doc/mcptools"
        assert (there / "NEXO.md").exists() and (there / "examples/plugin/timer.c").exists()
        assert not list(there.rglob("meson.build"))

    def version():
        assert pkg_config(root, "--modversion")[0] == run(MCPTOOLS, "--version").split()[1]

    def agents():
        program = next(root.rglob("bin/mcptools"))
        for language, words in (("zh", "MCP 资源专员"), ("en", "MCP resource agent")):
            project = root / language
            project.mkdir()
            run(program, "agent", "install", "--lang", language, project)
            assert words in (project / ".claude/agents/mcp.md").read_text()
        assert len(list((root / "usr/local/share/mcptools/agents").glob("*.md"))) == 2

    return [("builds with pkg-config and the shared library", shared), ("and with the static one", static),
            ("each header stands alone", headers), ("man finds functions", pages), ("documents and examples are installed", documents), ("tells its version", version),
            ("sub-agents are found beside the program", agents)]


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="mcptools-install-") as folder:
        root = pathlib.Path(folder)
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", folder)
        todo = checks(root)
        print(f"1..{len(todo)}")
        for number, (what, check) in enumerate(todo, 1):
            try:
                check()
                print(f"ok {number} - {what}")
            except AssertionError as error:
                failed += 1
                print(f"not ok {number} - {what}\n# " + str(error).replace("\n", "\n# "))
    sys.exit(1 if failed else 0)


main()
