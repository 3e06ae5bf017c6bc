"""The fenced blocks of a Markdown file, and what its console blocks expect.

A comment in front of a block tells more about it, one thing each:
    <!-- not run: REASON -->    the block cannot run here
    <!-- from: FILE -->         the block is a part of that file of the repository, which the build compiles
    <!-- file: NAME -->         the block is that file, for the console blocks after it
    <!-- servers: NAME -->      the stand-ins in SERVERS of test_docs.py are configured from here on
    <!-- in: KEY -->            the JSON is the inside of that object of a configuration
    <!-- protected: HOST -->    from here on, https://HOST is a protected server, and $BROWSER logs in to it
    <!-- registry: NAME -->     from here on, commands ask the registry of registry_server.py
"""

import dataclasses
import re

FENCE = re.compile(r"^( *)```(\S*)\s*$")
REMARK = re.compile(r"^ *<!-- (not run|from|file|servers|in|protected|registry): (.+?) -->\s*$")

# Parts that differ from run to run; both sides of a comparison pass through these.
VARIES = [
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"\b\d{1,2}:\d\d:\d\d [AP]M"), "TIME"),
    (re.compile(r'"(duration|duration_ms)":[0-9.e-]+'), r'"\1":N'),
    (re.compile(r'"id":"[0-9a-f]{8}-(\d+)"'), r'"id":"ID-\1"'),
    (re.compile(r"\bprocess:  \d+"), "process:  N"),
    (re.compile(r"\b(time: )[0-9.]+"), r"\1N"),
]


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    remarks: dict


def blocks(text):
    """Yields each fenced block with the remarks in front of it."""
    remarks, fence, inside, begin = {}, None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence is not None:
            if mark and not mark[2]:
                yield Block(begin, fence[2], "\n".join(inside) + "\n", remarks)
                remarks, fence = {}, None
            else:
                inside.append(line.removeprefix(fence[1]))
        elif mark:
            fence, inside, begin = mark, [], number
        elif remark := REMARK.match(line):
            remarks[remark[1]] = remark[2]
        elif line.strip():
            remarks = {}
    assert fence is None, f"line {begin}: a block without an end"


def commands(block):
    """Yields (command, expected lines) of a console block. A backslash continues a command."""
    command, expected = None, []
    for line in block.text.splitlines():
        if command is not None and command.endswith("\\") and not expected:
            command = command[:-1] + line.strip()
        elif line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        else:
            assert command is not None, f"line {block.line}: output without a command"
            expected.append(line)
    if command is not None:
        yield command, expected


# what a command says of a start that takes long, as it may on a busy machine
SLOW_START = re.compile(r"^mcptools: warning: server '.*' is still starting .*\n", re.MULTILINE)


def steady(text):
    for pattern, name in VARIES:
        text = pattern.sub(name, text)
    return text


def pattern_of(expected):
    """Returns the regular expression of an expected output. A line `...` stands for any lines, `…` or `...` in a line for
    any characters."""
    lines = []
    for line in expected:
        if line.strip() in ("...", "…"):
            lines.append(r"(?:.*\n)*?")
        else:
            parts = re.split(r"\.\.\.|…", steady(line).rstrip())
            lines.append(r".*?".join(map(re.escape, parts)) + r" *\n")
    return "".join(lines)


def matches(expected, output):
    """Returns true if the output is the expected one, but for parts that vary."""
    while expected and not expected[-1].strip():
        expected = expected[:-1]
    output = SLOW_START.sub("", steady(output))
    if output and not output.endswith("\n"):
        output += "\n"
    return re.fullmatch(pattern_of(expected) + r"\s*", output) is not None
