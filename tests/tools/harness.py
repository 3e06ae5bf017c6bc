"""Runs a checker of tools/ over small trees and compares what it says. TAP."""

import pathlib
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"


def said(tool, files, *arguments):
    """What the tool prints about a tree of these files, and its exit status."""
    with tempfile.TemporaryDirectory(prefix="mcptools-tools-") as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, TOOLS / tool, folder, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.splitlines() + done.stderr.splitlines(), done.returncode


def run(tool, files, cases):
    """Each case changes files of the tree (None: takes one away) and names the lines that are then said, in any order."""
    failed = 0
    print(f"1..{len(cases)}")
    for number, (change, wanted) in enumerate(cases, 1):
        tree = {name: text for name, text in {**files, **change}.items() if text is not None}
        lines, status = said(tool, tree)
        ok = status == bool(wanted) and (sorted(lines) == sorted(wanted) if wanted else True)
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - {', '.join(change) or 'clean'}")
        if not ok:
            print(f"# exit status {status}\n" + "".join(f"# {line}\n" for line in lines), end="")
    sys.exit(bool(failed))
