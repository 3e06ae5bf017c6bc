"""The attack suite, as tests: each row once, with few measured calls. test_attack.py GROUP [ROW…]"""

import concurrent.futures
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fault"))

# pylint: disable=wrong-import-position
import every
import harness
from scene import Scene, nothing_left

POOL = concurrent.futures.ThreadPoolExecutor(6)  # rows wait most of their time


def run(row):
    with tempfile.TemporaryDirectory(prefix="mcptools-attack-") as name:
        folder = pathlib.Path(name)
        scene = Scene(folder)
        row.run(scene)
        nothing_left(folder)
        assert bool(scene.figures) == row.beside, "the row says whether others are measured"


def add(row):
    early = POOL.submit(run, row)

    def one(_folder):
        early.result()
    one.__name__ = row.name
    harness.TESTS.append(one)


if __name__ == "__main__":
    harness.TESTS.clear()
    group = sys.argv.pop(1)
    for _row in every.ROWS:
        if _row.group == group and _row.name in (sys.argv[1:] or [_row.name]):
            add(_row)
    harness.main()
