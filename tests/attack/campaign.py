"""`make attack`: every row, with more measured calls, one after the other. campaign.py [--write] [ROW…]

Rows that are held by tests of other suites run those tests. The table says of each row what it cost a well-behaved client that calls
another server: the slowest hundredth of its calls during the attack, divided by that before. The ratio is told, and fails the row
only if it is high in each of three runs, for machines have other work."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
for _folder in ("program", "fault", "campaign"):
    sys.path.insert(0, str(HERE.parent / _folder))

# pylint: disable=wrong-import-position
import every
import machine
import report
from row import TESTS
from scene import Scene, nothing_left

TIMES, FLOOR_MS = 3, 5.0  # a p99 below this is not slow, whatever it was before
RATIO = 10.0


def attack_once(row):
    """The figures, or None for rows without a well-behaved client."""
    with tempfile.TemporaryDirectory(prefix="mcptools-attack-") as name:
        folder = pathlib.Path(name)
        scene = Scene(folder, long=True)
        row.run(scene)
        nothing_left(folder)
        return scene.figures[0] if scene.figures else None


def ratio(figures):
    return round(figures["during"]["p99_ms"] / max(figures["before"]["p99_ms"], 0.001), 1)


def slow(figures):
    return ratio(figures) > RATIO and figures["during"]["p99_ms"] > FLOOR_MS


def run(row):
    """(outcome, best figures)"""
    try:
        figures = attack_once(row)
        for _ in range(TIMES - 1):
            if not figures or not slow(figures):
                break
            again = attack_once(row)
            figures = min(figures, again, key=ratio)
    except Exception:  # pylint: disable=broad-except
        print(traceback.format_exc(), file=sys.stderr)
        return "FAILED", None
    return ("slow" if figures and slow(figures) else "held"), figures


def run_tests(rows):
    """Rows that tests of other suites hold: each script once, with all tests that rows name."""
    wanted = {}
    for row in rows:
        wanted.setdefault(row.script, set()).update(row.tests)
    good = set()
    for script, tests in wanted.items():
        done = subprocess.run([sys.executable, TESTS / script, *sorted(tests)], capture_output=True, text=True, check=False, env=os.environ)
        good.update((script, line.split(" - ", 1)[1]) for line in done.stdout.splitlines() if line.startswith("ok "))
        sys.stderr.write("" if done.returncode == 0 else done.stdout + done.stderr)
    return {row.name: all((row.script, t) in good for t in row.tests) for row in rows}


def cells(row, outcome, figures):
    if not figures:
        return [row.name, row.owasp, row.actor, outcome, "", "", "", ""]
    before, during = figures["before"], figures["during"]
    return [row.name, row.owasp, row.actor, outcome, during["n"], f"{before['p99_ms']:.2f}", f"{during['p99_ms']:.2f}", ratio(figures)]


COLUMNS = ["attack", "OWASP", "by", "outcome", "calls meanwhile", "p99 before, ms", "p99 during, ms", "ratio"]


def put(rows, begin):
    measured = [r[7] for r in rows if r[7] != ""]
    held = sum(r[3] == "held" for r in rows)
    text = [f"{len(rows)} attacks, {held} held, in {round(time.monotonic() - begin)} s. {len(measured)} of them ran beside a client that calls a healthy server over "
            "one connection, without pauses: none of its calls was answered wrongly or not at all. The ratio is that of the slowest "
            f"hundredth of its calls; its median is {sorted(measured)[len(measured) // 2] if measured else 0}, and it is at most 2 in "
            f"{sum(m <= 2 for m in measured)} of {len(measured)}. Attackers run on the same machine: those that write without end take its "
            "processors as well. [SECURITY](../SECURITY.md) says what each attack does, and the outcome that is demanded."]
    report.put("attacks", title="Attacks", command="make attack", machine=machine.described(), date=time.strftime("%Y-%m-%d", time.gmtime()), text=text,
               columns=COLUMNS, rows=sorted(rows, key=lambda r: r[1]), order=40)


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    chosen, begin = [r for r in every.ROWS if not names or r.name in names], time.monotonic()
    other = run_tests([r for r in chosen if r.script])
    rows = [cells(r, "held" if other[r.name] else "FAILED", None) for r in chosen if r.script]
    for row in (r for r in chosen if r.run):
        rows.append(cells(row, *run(row)))
        print(f"{rows[-1][3]:7} {row.owasp} {row.name:36} {rows[-1][5]:>8} {rows[-1][6]:>8} {rows[-1][7]:>6}", flush=True)
    failed = [r[0] for r in rows if r[3] != "held"]
    print(f"{len(rows)} attacks, {len(failed)} not held{': ' if failed else ''}{', '.join(failed)}")
    if "--write" in sys.argv:
        put(rows, begin)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
