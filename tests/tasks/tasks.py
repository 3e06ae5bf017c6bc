"""Ten common tasks of a new user, played in tmux: with mcptools, and with mcporter from npm.

    tasks.py MCPTOOLS NODE_MODULES [--write docs/TASKS.md]

A task is done if its last screen shows the result that the person wanted. The commands typed, the seconds until they
ended and the lines to read are counted. The output is TAP: every task must succeed with mcptools, in at most as many
commands as with mcporter. Times are shown and not asserted.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import traceback

import registry
from screen import Screen
from table import TASKS


class Played:
    """One task with one program: its transcript and its counts."""

    def __init__(self, task, program, world):
        self.checked = task if program == "ours" else None
        self.transcript, self.seconds, self.lines, self.commands = [], 0, 0, 0
        with tempfile.TemporaryDirectory(prefix="mcptools-task-", ignore_cleanup_errors=True) as folder:
            home = pathlib.Path(folder)
            world.prepare(home, task)
            screen = Screen(home, world.variables(home))
            try:
                for step in getattr(task, program):
                    self._step(screen, step, world, home)
                self.screen = screen.text()
                self.transcript = world.hide(screen.text("-J"), home)
            finally:
                for command in world.ending(program):
                    screen.type(command)
                screen.close()
        self.reached = re.search(task.goal, self.screen) is not None

    def _step(self, screen, step, world, home):
        command, answers = step if isinstance(step, tuple) else (step, ())
        status, seconds, lines = screen.type(world.fill(command, home), answers)
        if self.checked and status not in (0, self.checked.status):
            raise AssertionError(f"{command}: exit status {status}\n{screen.text()}")
        self.commands += 1
        self.seconds += seconds
        self.lines += lines


class World:
    """What every task finds: the programs, servers from npm, and a registry on this machine."""

    def __init__(self, mcptools, modules, folder):
        self.modules = pathlib.Path(modules).resolve()
        self.bin = pathlib.Path(folder) / "bin"
        self.bin.mkdir()
        (self.bin / "mcptools").symlink_to(pathlib.Path(mcptools).resolve())
        self.node = next(self.modules.glob("node-linux-*/bin/node"))  # the one that npm brought
        for name, package in (("mcporter", "mcporter/dist/cli.js"), ("everything", "@modelcontextprotocol/server-everything/dist/index.js"),
                              ("memory", "@modelcontextprotocol/server-memory/dist/index.js"),
                              ("filesystem", "@modelcontextprotocol/server-filesystem/dist/index.js")):
            (self.bin / name).symlink_to(self.modules / package)  # as npm does
        broken = self.bin / "broken-server"
        broken.write_text("#!/bin/sh\necho 'fatal: DATABASE_URL is not set' >&2\nexit 1\n")
        broken.chmod(0o755)
        self.registry = registry.Registry()

    def variables(self, home):
        return {"PATH": f"{self.bin}:{self.node.parent}:{os.environ['PATH']}", "MCPTOOLS_REGISTRY_URL": self.registry.url,
                "MCPTOOLS_TRUST": str(home),  # the files that a task finds are the user's own
                "XDG_RUNTIME_DIR": str(home / ".run"), "PAGER": "cat"}

    def prepare(self, home, task):
        (home / ".run").mkdir(mode=0o700)
        (home / "project").mkdir()
        for name, content in task.files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2) + "\n")
            path.chmod(0o600)

    def fill(self, command, home):
        return command.replace("REGISTRY", self.registry.url)

    def hide(self, text, home):
        """The transcript without what differs from run to run."""
        text = text.replace(self.registry.url, "https://registry.example")
        text = text.replace(str(home), "~").replace(str(self.bin), "/usr/local/bin").replace(str(self.modules), "node_modules")
        lines = text.splitlines()
        while lines and lines[-1] in ("$", "$ ", ""):
            lines.pop()
        return [line.rstrip() for line in lines]

    def ending(self, program):
        return {"ours": ["mcptools daemon stop"], "theirs": ["mcporter daemon stop"]}[program]

    def close(self):
        self.registry.close()


def page(played):
    """docs/TASKS.md"""
    out = ["# Ten tasks", "", "<!-- Written by `make tasks`. -->", "",
           "A script plays a new user at a terminal, with mcptools and with mcporter 0.12 from npm. It counts the commands,",
           "the seconds until they ended, and the lines to read. `make tasks` repeats it.", "",
           "| task | commands | mcporter | seconds | mcporter | lines | mcporter |", "|---|---|---|---|---|---|---|"]
    for number, (task, ours, theirs) in enumerate(played, 1):
        out.append(f"| {number}. {task.title} | {ours.commands} | {theirs.commands} | {ours.seconds:.2f} | {theirs.seconds:.2f} | "
                   f"{ours.lines} | {theirs.lines} |")
    for number, (task, ours, theirs) in enumerate(played, 1):
        out += ["", f"## {number}. {task.title}", "", task.about, ""]
        for name, one in (("mcptools", ours), ("mcporter", theirs)):
            out += [f"{name}:", "", "<!-- not run: played by make tasks -->", "```console", *one.transcript, "```", ""]
        out.pop()
    return "\n".join(out) + "\n"


def play(world):
    """(task, ours, theirs, what is wrong) for each task."""
    for task in TASKS:
        try:
            ours, theirs = Played(task, "ours", world), Played(task, "theirs", world)
        except Exception:  # pylint: disable=broad-except
            yield task, None, None, traceback.format_exc()
            continue
        wrong = ""
        if not ours.reached:
            wrong = f"mcptools: nothing matches {task.goal!r}:\n{ours.screen}"
        elif not theirs.reached:
            wrong = f"mcporter: nothing matches {task.goal!r}:\n{theirs.screen}"
        elif ours.commands > theirs.commands:
            wrong = f"{ours.commands} commands, mcporter {theirs.commands}"
        yield task, ours, theirs, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mcptools")
    parser.add_argument("modules")
    parser.add_argument("--write")
    options = parser.parse_args()
    if not shutil.which("tmux") or not list(pathlib.Path(options.modules).glob("node-linux-*")):
        print("1..0 # SKIP tmux or the packages from npm are missing: tools/setup test installs them")
        return 0
    good, bad = [], 0
    print(f"1..{len(TASKS)}")
    with tempfile.TemporaryDirectory(prefix="mcptools-tasks-") as folder:
        world = World(options.mcptools, options.modules, folder)
        for number, (task, ours, theirs, wrong) in enumerate(play(world), 1):
            bad += bool(wrong)
            print(f"{'not ' if wrong else ''}ok {number} - {task.title}")
            if wrong:
                print("# " + wrong.replace("\n", "\n# "))
            else:
                good.append((task, ours, theirs))
                print(f"# commands {ours.commands} against {theirs.commands}, seconds {ours.seconds:.2f} against {theirs.seconds:.2f}, "
                      f"lines {ours.lines} against {theirs.lines}", flush=True)
        world.close()
    if options.write and not bad:
        pathlib.Path(options.write).write_text(page(good))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
