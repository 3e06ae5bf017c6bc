"""What terminals get: words that are not cut, a pager, colours, each error once; and what pipes get instead."""

import json
import re

from harness import main, run, server, test, write_config
from terminal import Terminal

COLOUR = re.compile(rb"\x1b\[\d+m")


def lines_of(out):
    return [line.rstrip("\r") for line in COLOUR.sub(b"", out).decode().split("\n")]


def servers(folder):
    about = "a description that is longer than any line of a narrow terminal and is broken between its words " * 2
    return write_config(folder, {
        "one": server("--tools", 2), "a.long.name": server("--resources", 2, "--tool-json", json.dumps(
            {"name": "long", "description": about, "inputSchema": {"type": "object"}})),
        "dead": {"command": "no-such-program-anywhere", "args": []}})


@test
def lines_are_broken_between_words(folder):
    config = servers(folder)
    for columns in (40, 60):
        for command in (("list",), ("list", "a.long.name"), ("resources",), ("prompts",), ("status", "dead"), ("help", "call"), ("--help",)):
            _, out = Terminal(folder, *command, "--config", config, size=(0, columns)).end()
            for line in (re.sub(r"\r|\x1b\[[0-9;]*[A-Za-z]", "", line) for line in lines_of(out)):  # a start that takes long is drawn again
                # what is not broken: usage lines, examples, and words on stderr
                assert len(line) <= columns or line.lstrip().startswith(("mcptools ", "usage:", "-")) or " " not in line.strip(), (command, line)
    _, out = Terminal(folder, "status", "dead", "--config", config, size=(0, 40)).end()
    assert "no-such-program-anywhere" in out.decode() and "its full path" in " ".join(" ".join(lines_of(out)).split()), out


@test
def help_fits_eighty_columns(folder):
    commands = re.findall(r"^  ([a-z]+)  ", run(folder, "--help").stdout, re.MULTILINE)
    assert len(commands) > 15, commands
    for command in commands:
        text = run(folder, command, "--help").stdout
        assert command in ("help", "version") or ("\nExamples:\n" in text and f"usage: mcptools {command}" in text), text
        assert all(len(line) <= 100 for line in text.splitlines()), (command, max(text.splitlines(), key=len))
        assert command == "help" or "--sampling-command" not in text, (command, text)  # a global option
        assert "`" not in text and "[ARG]... [OPTIONS]" not in text, (command, text)
    assert all(len(line) <= 80 for line in run(folder, "--help").stdout.splitlines())


@test
def a_pipe_gets_whole_lines(folder):
    config = servers(folder)
    done = run(folder, "list", "--config", config, env={"COLUMNS": "40", "PAGER": "false"})
    assert len(done.stdout.splitlines()) == 3 and "install it or give its full path" in done.stdout, done
    assert "\x1b" not in done.stdout, done


@test
def colours_can_be_forced(folder):
    config = servers(folder)
    for env, options, coloured in (({"CLICOLOR_FORCE": "1"}, (), True), ({"CLICOLOR_FORCE": "0"}, (), False),
                                   ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, (), False),
                                   ({"CLICOLOR_FORCE": "1"}, ("--no-color",), False)):
        out = run(folder, "list", "--config", config, *options, env=env).stdout
        assert ("\x1b[32mconnected" in out) == coloured and ("\x1b[31merror" in out) == coloured, (env, options, out)


@test
def long_lists_pass_a_pager(folder):
    config = servers(folder)
    tall, short = {"size": (50, 80)}, {"size": (4, 80)}
    pager = {"PAGER": "sed 's/^/PAGED /'"}
    for size, options, env, paged in ((short, (), pager, True), (tall, (), pager, False), ({}, (), pager, False),
                                      (short, ("--no-pager",), pager, False), (short, (), {"PAGER": ""}, False),
                                      (short, (), {"PAGER": "cat"}, False), (short, (), {**pager, "TERM": "dumb"}, False),
                                      (short, (), {"PAGER": "no-such-pager 2>/dev/null"}, False)):
        status, out = Terminal(folder, "list", "one", "--config", config, "--schema", *options, env=env, **size).end()
        assert status == 0 and b"one.tool0" in out and b"one.tool1" in COLOUR.sub(b"", out), (status, options, env, out)
        assert (b"PAGED" in out) == paged, (size, options, env, out)


@test
def a_pager_gets_colours_and_its_own_interrupts(folder):
    config = servers(folder)
    t = Terminal(folder, "list", "one", "--config", config, "--schema", size=(4, 80),
                 env={"PAGER": "trap 'echo INTERRUPTED; exit' INT; cat; echo WAITING; while :; do sleep 0.05; done"})
    t.until(b"WAITING")
    t.type(b"\x03")
    status, out = t.end()
    assert status == 0 and b"INTERRUPTED" in out and b"\x1b[1mone.tool0" in out, (status, out)


@test
def errors_are_printed_once(folder):
    config = servers(folder)
    for command in (("list",), ("status",)):
        status, out = Terminal(folder, *command, "--config", config, size=(0, 100)).end()
        assert status == 8 and out.count(b"no-such-program-anywhere") == 1, (status, out)
    (folder / "bad.json").write_text('{"mcpServers": {"bad": {"comand": "x"}}}')
    _, out = Terminal(folder, "list", "--config", "bad.json", size=(0, 200)).end()
    assert out.count(b'needs "command"') == 1 and b"did you mean 'command'?" in out, out
    done = run(folder, "list", "--config", config, "--brief")
    assert "dead\n" in done.stdout and "no-such-program-anywhere" in done.stderr, done


@test
def without_a_command_the_commands_are_listed(folder):
    done = run(folder)
    assert done.returncode == 1 and done.stdout == "" and "Start here:" in done.stderr, done
    assert "list servers, or the tools of one server" in done.stderr and "mcptools:" not in done.stderr, done


main()
