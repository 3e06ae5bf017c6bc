"""The tables of attacks in SECURITY.md. Without arguments: fails if they are not those of the rows. --write: writes them."""

import os
import pathlib
import re
import subprocess
import sys

for _name in ("MCPTOOLS", "TEST_SERVER"):
    os.environ.setdefault(_name, "")
for _folder in ("program", "fault"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / _folder))

# pylint: disable=wrong-import-position
import every
from row import OWASP, ROWS, TESTS

SECURITY = TESTS.parent / "SECURITY.md"
PLACE = re.compile(r"<!-- attacks: (\w+) -->\n.*?<!-- end of attacks -->\n", re.S)


def table(owasp):
    rows = [row for row in every.ROWS if row.owasp == owasp]
    lines = ["| attack | by | does | outcome |", "|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row.name} | {row.actor} | {row.attack} | {row.outcome} |")
    return "\n" + "\n".join(lines) + "\n\n" if rows else ""


def renewed(text):
    places = PLACE.findall(text)
    assert places == list(OWASP), f"SECURITY.md has the tables {places}, not {list(OWASP)}"
    return PLACE.sub(lambda m: f"<!-- attacks: {m[1]} -->\n{table(m[1])}<!-- end of attacks -->\n", text)


def missing_tests():
    """Tests that rows name and that their scripts do not have."""
    by_script = {}
    for row in ROWS.values():
        by_script.setdefault(row.script, set()).update(row.tests)
    for script, wanted in by_script.items():
        if script:
            done = subprocess.run([sys.executable, TESTS / script, "--list"], capture_output=True, text=True, check=True, timeout=60)
            yield from (f"{script}: no test {name}" for name in sorted(wanted - set(done.stdout.split())))


def main():
    old = SECURITY.read_text()
    new = renewed(old)
    if "--write" in sys.argv:
        SECURITY.write_text(new)
        return 0
    wrong = list(missing_tests())
    if new != old:
        wrong.append("SECURITY.md is not what the rows say: run 'python3 tests/attack/table.py --write'")
    print("\n".join(wrong) or f"SECURITY.md: {len(ROWS)} attacks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
