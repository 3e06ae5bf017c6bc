"""Does a series grow? A line through the floors of its slices, and how sure that line is."""

import math

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


def plot(series, path, title):
    """Writes an SVG: one panel for each (label, unit, [(minutes, value)]) of `series`, with its floor line."""
    width, height, left, gap = 860, 130, 70, 40
    total = len(series) * (height + gap) + 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + left + 30}" height="{total}" font-family="sans-serif" font-size="12">',
           f'<rect width="100%" height="100%" fill="#fff"/><text x="{left}" y="20" font-size="14">{title}</text>']
    for k, (label, unit, points) in enumerate(series):
        top, (first, last) = 40 + k * (height + gap), (points[0][0], points[-1][0])
        high = max(v for _, v in points) * 1.05 or 1

        def at(t, v, top=top, high=high, first=first, last=last):
            return f"{left + (t - first) / ((last - first) or 1) * width:.1f},{top + height - v / high * height:.1f}"
        out.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>')
        out.append(f'<text x="{left}" y="{top - 5}">{label}</text>')
        for share in (0, 0.5, 1):
            out.append(f'<text x="{left - 6}" y="{top + height - share * height + 4:.0f}" text-anchor="end">{high * share:.0f} {unit}</text>')
        step = max(1, len(points) // 1200)
        out.append(f'<polyline fill="none" stroke="#27c" stroke-width="1" points="{" ".join(at(t, v) for t, v in points[::step])}"/>')
        if len(points) > 60:
            low = floors(points, 30)
            out.append(f'<polyline fill="none" stroke="#c32" stroke-width="1.5" points="{" ".join(at(t, v) for t, v in low)}"/>')
        out.append(f'<text x="{left}" y="{top + height + 15}">{first:.0f}</text>'
                   f'<text x="{left + width}" y="{top + height + 15}" text-anchor="end">{last:.0f} minutes</text>')
    path.write_text("\n".join([*out, "</svg>"]) + "\n")
