"""Runs the documents: commands must print the output shown, configurations must load, programs must compile, links must
have a target. documents.py describes the marks in front of blocks. npm packages come from tests/interop/node_modules."""

import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import sys
import time
import tomllib

from auth_server import AuthServer, browser
from documents import blocks, commands, matches
from docs_servers import SERVERS
from harness import MCPTOOLS, PATIENCE_S, WRAPPER, environment, main, mistakes, test
from registry_server import FILES, GITHUB, Registry

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(MCPTOOLS).parent
PACKAGES = TOP / "tests" / "interop" / "node_modules"
OUTSIDE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "hosts/openclaw/README.md")
DOCUMENTS = sorted([TOP / name for name in OUTSIDE] + list((TOP / "docs").rglob("*.md")))
PORT = "8931"  # in documents; replaced by a free one
ENDLESS = re.compile(r"mcptools (serve(?!.*--stdio)|watch)\b[^;|]*$")

STANDINS = {  # programs that examples use
    "mcptools": 'case "$*" in *--http*|*--stdio*) ;; serve*) set -- "$@" --http 127.0.0.1:{port} ;; esac\n'
                'exec {mcptools} "$@"',
    "npx": '[ "$1" = -y ] && shift; name=$1; shift; exec node {packages}/$name/dist/index.js "$@"',
    "llm": "cat >/dev/null; echo a sampled answer",
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


class Reader:
    """Follows one document: writes its files and runs its commands, in one folder."""

    def __init__(self, folder):
        self.folder, self.port, self.left = folder, free_port(), []
        self.auth, self.host, self.registry = None, None, None
        (folder / "bin").mkdir()
        for name, script in STANDINS.items():
            path = folder / "bin" / name
            path.write_text("#!/bin/sh\n" + script.format(
                port=self.port, packages=PACKAGES, mcptools=" ".join([*WRAPPER, MCPTOOLS])) + "\n")
            path.chmod(0o755)
        self.env = {**environment(folder), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LANG": "C.UTF-8",
                    "NODE_PATH": str(PACKAGES),  # sandboxes make it readable
                    "PKG_CONFIG_PATH": str(BUILD / "meson-uninstalled"), "C_INCLUDE_PATH": str(TOP / "include"),
                    "LIBRARY_PATH": str(BUILD), "LD_LIBRARY_PATH": str(BUILD)}

    def protect(self, host):
        """Lets https://host be a protected server."""
        self.host, self.auth = host, AuthServer().__enter__()
        self.env["BROWSER"] = str(browser(self.folder)[0])

    def open_registry(self):
        self.registry = Registry().add(GITHUB).add(FILES).__enter__()
        self.env["MCPTOOLS_REGISTRY_URL"] = self.registry.url

    def real(self, text):
        text = text.replace(PORT, self.port)
        return text.replace("https://" + self.host, self.auth.origin) if self.auth else text

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.real(text))
        path.chmod(0o700 if text.startswith("#!") else 0o600)

    def start(self, command):
        return subprocess.Popen(["sh", "-c", self.real(command)], cwd=self.folder, env=self.env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                start_new_session=True)

    def as_documented(self, text):
        if self.auth:
            text = text.replace(self.auth.origin, "https://" + self.host)
            text = text.replace(self.auth.origin.removeprefix("http://"), self.host)
        return text.replace(self.port, PORT).replace(str(self.folder), "/home/me")

    def run(self, command):
        """Runs a command to its end and returns its output."""
        process = self.start(command)
        try:
            return self.as_documented(process.communicate(timeout=PATIENCE_S)[0])
        finally:
            end(process)

    def run_endless(self, command, expected):
        """Runs a command until it has printed `expected`. One that ends in & runs until the end of the document."""
        process = self.start("exec " + command.removesuffix("&"))
        self.left.append(process)
        data, output, until = b"", "", time.monotonic() + PATIENCE_S
        while not matches(expected, output):
            if not select.select([process.stdout], [], [], max(0, until - time.monotonic()))[0]:
                break
            chunk = os.read(process.stdout.fileno(), 65536)
            if not chunk:
                break
            data += chunk
            output = self.as_documented(data.decode(errors="replace"))
        if not command.endswith("&"):
            end(process)
        return output

    def console(self, block):
        for command, expected in commands(block):
            shown = re.fullmatch(r"cat (?:~/)?([\w./-]+)", command)  # the folder is the home folder
            if shown and not (self.folder / shown[1]).exists():
                self.write(shown[1], "\n".join(expected) + "\n")
                continue
            output = self.run_endless(command, expected) if ENDLESS.match(command) else self.run(command)
            wanted = "\n".join(expected)
            assert matches(expected, output), f"line {block.line}: $ {command}\n{output}\nexpected:\n{wanted}"

    def close(self):
        for process in self.left:
            end(process)
        for server in filter(None, (self.auth, self.registry)):
            server.__exit__()


def end(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    process.stdout.close()


def load(reader, text, where, name="mcptools.json"):
    """Loads a configuration, with each variable in it set, and the folders of OpenClaw plugins there."""
    reader.write(f"checked/{name}", text)
    for path in re.findall(r'"((?:\./|~/)[^"]*)"', "".join(re.findall(r'"plugins": *\[([^\]]*)\]', text))):
        home = path.startswith("~/")
        reader.write(f"{'' if home else 'checked/'}{path[2:]}/openclaw.plugin.json", '{"id": "%s"}' % path.split("/")[-1])
    env = {name: "1" for name in re.findall(r"\$\{(\w+)\}", text)}
    command = [MCPTOOLS, "config", "check", "--config", f"checked/{name}"]
    done = subprocess.run(command, cwd=reader.folder, env={**reader.env, **env}, capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False)
    assert not mistakes(done) and not done.stderr, f"{where}: {done.stdout}{done.stderr}"


def check_json(reader, block):
    where, text = f"line {block.line}", block.text
    if "in" in block.remarks:
        text = "{" + text + "}"
        for key in reversed(block.remarks["in"].split(".")):
            text = '{"%s": %s}' % (key, text)
        load(reader, text, where)
    elif re.search(r'"(mcpServers|mcptools)": *\{', text):
        load(reader, text, where)
    else:
        try:
            json.loads(text)
        except json.JSONDecodeError:
            for line in text.splitlines():
                json.loads(line)


def compile_c(reader, block):
    command = ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{TOP / 'include'}", "-xc", "-"]
    done = subprocess.run(command, input=block.text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"line {block.line}: {done.stderr}"


def check_shell(reader, block):
    assert "file" in block.remarks, f"line {block.line}: use a console block, name a file, or say why it is not run"
    done = subprocess.run(["sh", "-n"], input=block.text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"line {block.line}: {done.stderr}"


LANGUAGES = {
    "console": Reader.console,
    "json": check_json,
    "jsonc": check_json,
    "yaml": lambda reader, block: load(reader, block.text, f"line {block.line}", "mcp.yaml"),
    "toml": lambda reader, block: tomllib.loads(block.text),
    "c": compile_c,
    "sh": check_shell,
    "python": lambda reader, block: compile(block.text, "block", "exec"),
}


def follow(document, folder):
    reader = Reader(folder)
    if document.name in ("TRUST.md", "README.md"):
        del reader.env["MCPTOOLS_TRUST"]
    try:
        for block in blocks(document.read_text()):
            known = block.language in LANGUAGES or "not run" in block.remarks
            assert known, f"line {block.line}: unmarked block of '{block.language}'"
            if "registry" in block.remarks:
                reader.open_registry()
            if "protected" in block.remarks:
                reader.protect(block.remarks["protected"])
            if "servers" in block.remarks:
                reader.write("mcptools.json", json.dumps({"mcpServers": SERVERS[block.remarks["servers"]]}))
            if "file" in block.remarks:
                reader.write(block.remarks["file"], block.text)
            if "from" in block.remarks:
                assert block.text in (TOP / block.remarks["from"]).read_text(), f"line {block.line}: not in the file"
            elif "not run" not in block.remarks:
                LANGUAGES[block.language](reader, block)
    finally:
        reader.close()


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(document):
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {slug(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)) for heading in headings}


@test
def links_lead_somewhere(_):
    for document in DOCUMENTS:
        text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (document.parent / name).resolve() if name else document
            assert path.exists(), f"{document.relative_to(TOP)}: {target}"
            assert not anchor or anchor in anchors(path), f"{document.relative_to(TOP)}: {target}"


@test
def paths_in_documents_exist(_):
    """A path of this tree in backquotes exists."""
    path = re.compile(r"`((?:src|tests|docs|tools|include|examples|hosts)/[a-z0-9_./-]*(?:/|\.[a-z]+))`")
    for document in DOCUMENTS:
        for name in path.findall(document.read_text()):
            assert (TOP / name).exists(), f"{document.relative_to(TOP)}: {name}"


@test
def no_code_is_indented(_):
    """These tests see fenced blocks only."""
    for document in DOCUMENTS:
        text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
        found = re.search(r"\n\n {4,}\S.*", text)
        assert not found, f"{document.relative_to(TOP)}:{found[0]}"


@test
def the_readme_is_short(_):
    lines = (TOP / "README.md").read_text().splitlines()
    assert len(lines) <= 125 and max(map(len, lines)) <= 100, (len(lines), max(lines, key=len))


@test
def the_program_in_the_readme_runs(folder):
    reader = Reader(folder)
    found = list(blocks((TOP / "README.md").read_text()))
    reader.write("mcptools.json", next(b.text for b in found if b.language == "jsonc"))
    reader.write("sum.c", next(b.text for b in found if b.language == "c"))
    output = reader.run("cc -o sum sum.c $(pkg-config --cflags --libs mcptools) && ./sum")
    assert output == "The sum of 2 and 40 is 42.\n", output


@test
def blocks_that_are_not_run_are_counted(_):
    count = 0
    for document in DOCUMENTS:
        for block in blocks(document.read_text()):
            if "not run" in block.remarks:
                count += 1
                print(f"# {document.relative_to(TOP)}:{block.line}: {block.remarks['not run']}")
    print(f"# {count} blocks are not run")


def add(document):
    def follows(folder):
        follow(document, folder)
    follows.__name__ = document.relative_to(TOP).as_posix()
    test(follows)


for each in DOCUMENTS:
    add(each)

if __name__ == "__main__":
    main()
