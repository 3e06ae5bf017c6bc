"""The parts of bench/ that compute: order of rounds, exponents, what is reached, tables and plots. TAP."""

import pathlib
import sys
import tempfile
import types
import xml.etree.ElementTree as ElementTree

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "bench"))

import growth
import report
import rounds
import run


def rounds_start_with_another_target():
    order = []
    actions = {name: lambda name=name: order.append(name) for name in "abc"}
    rounds.interleaved(3, actions)
    assert "".join(order) == "abcbcacab", order


def medians_are_of_each_member():
    assert rounds.medians([{"x": 3, "y": 1}, {"x": 1, "y": 9}, {"x": 2, "y": 5}]) == {"x": 2, "y": 5}


def exponents_are_those_of_powers():
    for power in (0, 0.5, 1, 2):
        curve = growth.Curve("", "", [(n, 3 * n**power) for n in (1, 10, 1000)])
        assert abs(curve.exponent - power) < 1e-9, (power, curve.exponent)


def what_is_wanted_has_a_direction():
    rows = [(("≥", 2), 2, False), (("≥", 2), 1.9, True), (("≤", 2), 2, False), (("≤", 2), 2.1, True), (None, 0, False)]
    for wanted, value, misses in rows:
        assert report.Figure("", value, "", wanted).misses == misses, (wanted, value)


def growth_is_written_as_table_and_plot():
    curves = [growth.Curve("time", "µs", [(1, 5), (100, 50)]), growth.Curve("memory", "KiB", [(1, 0.5), (10, 7)])]
    with tempfile.TemporaryDirectory(prefix="mcptools-tools-") as name:
        folder = pathlib.Path(name)
        result = growth.result(types.SimpleNamespace(results=folder), "x", "things", curves, [report.Figure("f", 1, "µs", ("≤", 0.5))])
        text = report.write(folder, "x", "Things", result, {"kernel": "6"}, "short form")
        report.write_all(folder, ["x", "never measured"])
        drawn = ElementTree.parse(folder / "x.svg")
        written = (folder / "README.md").read_text()
    for line in ("| f | 1.00 µs | ≤ 0.5 µs | no |", "| exponent of time over things | 0.5  |  |  |", "| 100 | 50.00 |  |", "![x.svg](x.svg)"):
        assert line in text.splitlines(), (line, text)
    assert text.strip() in written
    assert len(drawn.findall("{*}polyline")) == len(curves)


def every_part_of_the_table_is_described():
    described = (TOP / "bench/README.md").read_text()
    missing = [name for name in run.PARTS if f"| `{name}` |" not in described]
    assert not missing, missing


TESTS = [rounds_start_with_another_target, medians_are_of_each_member, exponents_are_those_of_powers, what_is_wanted_has_a_direction,
         growth_is_written_as_table_and_plot, every_part_of_the_table_is_described]

if __name__ == "__main__":
    failed = 0
    print(f"1..{len(TESTS)}")
    for number, one in enumerate(TESTS, 1):
        try:
            one()
            print(f"ok {number} - {one.__name__}")
        except AssertionError as error:
            failed += 1
            print(f"not ok {number} - {one.__name__}\n# {error}")
    sys.exit(bool(failed))
