"""Plots as SVG: panels with curves, one below the other."""

import math

WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 130, 70, 40, 40
COLOURS = ("#27c", "#c32", "#292", "#a4b", "#b70")


class Axis:
    """Where values lie between `low` (0) and `high` (1). `marks` are (value, text)."""

    def __init__(self, low, high, marks=(), log=False):
        self.of = math.log10 if log else float
        self.low, self.span, self.marks = self.of(low), (self.of(high) - self.of(low)) or 1, marks

    def share(self, value):
        return (self.of(value) - self.low) / self.span


def decades(values, text):
    """A logarithmic axis from one power of ten to another one around the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    return Axis(10.0**low, 10.0**high, [(10.0**k, text(10.0**k)) for k in range(low, high + 1)], log=True)


class Panel:
    """`curves` are (colour, width of the line, points)."""

    def __init__(self, label, x, y, curves, height=HEIGHT):
        self.label, self.x, self.y, self.curves, self.height = label, x, y, curves, height

    def at(self, point, top):
        return f"{LEFT + self.x.share(point[0]) * WIDTH:.1f},{top + self.height - self.y.share(point[1]) * self.height:.1f}"

    def draw_x(self, top):
        for k, (value, text) in enumerate(self.x.marks):
            place = LEFT + self.x.share(value) * WIDTH
            anchor = "" if k == 0 else ' text-anchor="end"' if k == len(self.x.marks) - 1 else ' text-anchor="middle"'
            yield f'<text x="{place:.0f}" y="{top + self.height + 15}"{anchor}>{text}</text>'

    def draw(self, top):
        yield f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{self.height}" fill="none" stroke="#bbb"/>'
        yield f'<text x="{LEFT}" y="{top - 5}">{self.label}</text>'
        for value, text in self.y.marks:
            place = top + self.height - self.y.share(value) * self.height + 4
            yield f'<text x="{LEFT - 6}" y="{place:.0f}" text-anchor="end">{text}</text>'
        for colour, width, points in self.curves:
            places = " ".join(self.at(point, top) for point in points)
            yield f'<polyline fill="none" stroke="{colour}" stroke-width="{width}" points="{places}"/>'
        yield from self.draw_x(top)


def write(panels, path, title):
    total = sum(panel.height + GAP for panel in panels) + 40
    size = f'width="{WIDTH + LEFT + 30}" height="{total}"'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
           f'<rect width="100%" height="100%" fill="#fff"/><text x="{LEFT}" y="20" font-size="14">{title}</text>']
    top = TOP
    for panel in panels:
        out += panel.draw(top)
        top += panel.height + GAP
    path.write_text("\n".join([*out, "</svg>"]) + "\n")
