"""Does a series grow? A line through the floors of its slices, and how sure that line is."""

import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import svg

# Student's t for 95 %, both sides, by degrees of freedom
T95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23, 12: 2.18, 15: 2.13, 20: 2.09, 25: 2.06,
       30: 2.04, 40: 2.02, 60: 2.00}


def t95(degrees):
    return T95[max(k for k in T95 if k <= max(1, degrees))]


def floors(points, n_slices):
    """[(middle, lowest value)] of slices of equal length. What is held only for a moment is not in the lowest value."""
    begin, end = points[0][0], points[-1][0]
    width = (end - begin) / n_slices or 1
    out = []
    for k in range(n_slices):
        inside = [v for t, v in points if begin + k * width <= t < begin + (k + 1) * width]
        if inside:
            out.append((begin + (k + 0.5) * width, min(inside)))
    return out


def line(points):
    """(slope, half width of its 95 % confidence) of a least-squares line."""
    n = len(points)
    mean_t, mean_v = sum(t for t, _ in points) / n, sum(v for _, v in points) / n
    spread = sum((t - mean_t) ** 2 for t, _ in points)
    if n < 3 or not spread:
        return 0.0, math.inf
    slope = sum((t - mean_t) * (v - mean_v) for t, v in points) / spread
    residual = sum((v - mean_v - slope * (t - mean_t)) ** 2 for t, v in points)
    return slope, t95(n - 2) * math.sqrt(residual / (n - 2) / spread)


def panel(label, unit, points):
    """One series over time, with its floor line."""
    high = max(v for _, v in points) * 1.05 or 1
    first, last = points[0][0], points[-1][0]
    curves = [("#27c", 1, points[::max(1, len(points) // 1200)])]
    if len(points) > 60:
        curves.append(("#c32", 1.5, floors(points, 30)))
    return svg.Panel(label, svg.Axis(first, last, [(first, f"{first:.0f}"), (last, f"{last:.0f} minutes")]),
                     svg.Axis(0, high, [(high * share, f"{high * share:.0f} {unit}") for share in (0, 0.5, 1)]), curves)


def plot(series, path, title):
    """Writes an SVG: one panel for each (label, unit, [(minutes, value)]) of `series`."""
    svg.write([panel(*one) for one in series], path, title)
