"""How a quantity grows with another one: points, the exponent of the growth, and a plot."""

import math
import pathlib
import statistics
import sys
from dataclasses import dataclass, field

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import svg
from report import Figure, Result, Table, number


@dataclass
class Curve:
    """`points` are (size, value). Curves of one plot with the same `panel` share an axis."""
    name: str
    unit: str
    points: list = field(default_factory=list)
    panel: str = ""

    def add(self, size, value):
        self.points.append((size, value))

    @property
    def exponent(self):
        """Slope of the least-squares line through the logarithms: 0 is no growth, 1 is proportional."""
        logs = [(math.log(size), math.log(value)) for size, value in self.points]
        return statistics.linear_regression(*zip(*logs)).slope


def round_text(value):
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.0f}{suffix}"
    return f"{value:g}"


def panel(curves, x_axis):
    values = [value for curve in curves for _, value in curve.points]
    label = curves[0].panel or curves[0].name
    legend = "" if len(curves) == 1 else ": " + ", ".join(
        f'<tspan fill="{colour}">{curve.name}</tspan>' for colour, curve in zip(svg.COLOURS, curves))
    return svg.Panel(f"{label}, {curves[0].unit}{legend}", x_axis, svg.decades(values, round_text),
                     [(colour, 1.5, curve.points) for colour, curve in zip(svg.COLOURS, curves)])


def plot(curves, path, title):
    """One panel for each group of curves, all with logarithmic axes."""
    x_axis = svg.decades([size for curve in curves for size, _ in curve.points], round_text)
    groups = {}
    for curve in curves:
        groups.setdefault(curve.panel or curve.name, []).append(curve)
    path.parent.mkdir(parents=True, exist_ok=True)
    svg.write([panel(group, x_axis) for group in groups.values()], path, title)


def table(curves, size_name):
    sizes = sorted({size for curve in curves for size, _ in curve.points})
    values = {curve.name: dict(curve.points) for curve in curves}
    rows = [[f"{size:,}".replace(",", " ")] + [number(values[c.name][size]) if size in values[c.name] else "" for c in curves]
            for size in sizes]
    return Table([size_name, *(f"{c.name}, {c.unit}" for c in curves)], rows)


def result(options, part, size_name, curves, figures, notes=()):
    """The result of a part about growth: its figures, the exponents, the points, and the plot."""
    name = f"{part}.svg"
    plot(curves, options.results / name, f"Growth with {size_name}")
    exponents = [Figure(f"exponent of {curve.name} over {size_name}", curve.exponent, "") for curve in curves]
    return Result([*figures, *exponents], [table(curves, size_name)], [name], list(notes))
