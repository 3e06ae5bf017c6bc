"""Does a series grow? A line through the floors of its slices, and how sure that line is."""

import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import svg

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
    """(slope, half width of its 95 % confidence): the median of the slopes between all pairs of points (Theil and Sen), which
    single outliers do not move, as a short dip while the allocator gives memory back is one."""
    n = len(points)
    slopes = sorted((v2 - v1) / (t2 - t1) for i, (t1, v1) in enumerate(points) for t2, v2 in points[i + 1:])
    if n < 10:
        return 0.0, math.inf
    reach = 1.96 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2  # of the ranks of the slopes around their middle (Kendall)
    middle = len(slopes) / 2
    slope, low, high = (slopes[min(len(slopes) - 1, max(0, round(at)))] for at in (middle - 0.5, middle - reach, middle + reach))
    return slope, max(slope - low, high - slope)


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
