#!/usr/bin/env python3
"""Writes docs/RELIABILITY.md from docs/reliability/*.json. `--check`: says whether the page is what the files make of it.

A campaign writes one file with `put()`; its members are those of the parameters of section(). Anything under "figures" is
kept for programs that read the file, and not shown.
"""

import json
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER, PAGE = TOP / "docs" / "reliability", TOP / "docs" / "RELIABILITY.md"
HEAD = """# Reliability

Campaigns that try to break the gateway, and their latest figures. Each one runs the real program with real processes,
and anyone can run it again with the command that is given. This page is made of the files in `docs/reliability/`
(`python3 tests/campaign/report.py`), which the commands write with `WRITE=1`.
"""


def section(title, command, machine, date, text=(), columns=(), rows=(), image=None, order=50, figures=None):  # pylint: disable=too-many-arguments
    del order, figures
    yield f"\n## {title}\n"
    for paragraph in text:
        yield f"{paragraph}\n"
    yield f"Command: `{command}`. Machine: {machine}. Run: {date}.\n"
    if rows:
        yield "| " + " | ".join(columns) + " |"
        yield "|" + "|".join("---" if k == 0 else "---:" for k in range(len(columns))) + "|"
        for row in rows:
            yield "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row) + " |"
        yield ""
    if image:
        yield f"![{title}](reliability/{image})\n"


def page():
    told = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    lines = [line for one in sorted(told, key=lambda t: t.get("order", 50)) for line in section(**one)]
    return HEAD + "\n".join(lines).rstrip("\n") + "\n"


def put(name, **told):
    """Stores the figures of a campaign and writes the page."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(page())


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        same = PAGE.read_text() == page()
        print("docs/RELIABILITY.md is " + ("current" if same else "not what docs/reliability/*.json make of it: run tests/campaign/report.py"))
        sys.exit(not same)
    PAGE.write_text(page())
