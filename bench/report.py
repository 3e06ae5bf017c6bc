"""Results of the benchmark: figures with what is wanted of them, tables, Markdown."""

import json
import os
import pathlib
import platform
import re
import subprocess
from dataclasses import asdict, dataclass, field

VERSIONS = {"mcptools": ["{mcptools}", "--version"], "nginx": ["nginx", "-v"], "HAProxy": ["haproxy", "-v"], "wrk": ["wrk", "-v"],
            "gcc": ["gcc", "--version"], "Node": ["node", "--version"]}


@dataclass
class Figure:
    """One number. `wanted` is ("≥" or "≤", limit), or None if the number only informs."""
    name: str
    value: float
    unit: str
    wanted: tuple = None

    @property
    def misses(self):
        if not self.wanted:
            return False
        sign, limit = self.wanted
        return self.value < limit if sign == "≥" else self.value > limit

    @property
    def line(self):
        wanted = f", wanted {self.wanted[0]} {number(self.wanted[1])}" if self.wanted else ""
        return f"{self.name}: {number(self.value)} {self.unit}{wanted}"


@dataclass
class Table:
    columns: list
    rows: list
    title: str = ""


@dataclass
class Result:
    """What a part has found."""
    figures: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    plots: list = field(default_factory=list)  # file names
    notes: list = field(default_factory=list)


def number(value):
    size = abs(value)
    return f"{value:.3g}" if size < 1 else f"{value:.2f}" if size < 100 else f"{value:.1f}" if size < 1000 else f"{value:.0f}"


def first_line(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20, check=False)
    except OSError:
        return None
    found = re.search(r"\d+(?:\.\d+)+", done.stdout)
    return found.group(0) if found else None


def machine(mcptools):
    """{"processor": …, "kernel": …, "load": …, versions}"""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) >> 20
    described = {"processor": f"{os.cpu_count()} × {model}", "memory": f"{memory} GiB", "kernel": platform.release(),
                 "load average at the start": " ".join(f"{x:.2f}" for x in os.getloadavg())}
    for name, command in VERSIONS.items():
        version = first_line([word.format(mcptools=mcptools) for word in command])
        if version:
            described[name] = version
    return described


def markdown_table(columns, rows):
    yield "| " + " | ".join(columns) + " |"
    yield "|---" + "|---:" * (len(columns) - 1) + "|"
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"


def markdown_figures(figures):
    rows = []
    for f in figures:
        wanted = f"{f.wanted[0]} {number(f.wanted[1])} {f.unit}" if f.wanted else ""
        rows.append([f.name, f"{number(f.value)} {f.unit}", wanted, "" if not f.wanted else "no" if f.misses else "yes"])
    return markdown_table(["figure", "measured", "wanted", "reached"], rows)


def markdown(part, title, result, described, form):
    """Text of one part, a line each."""
    yield f"## {title}"
    yield ""
    yield f"`make bench ONLY={part}`, {form}. " + ", ".join(f"{key} {value}" for key, value in described.items()) + "."
    yield ""
    yield from markdown_figures(result.figures)
    for table in result.tables:
        yield ""
        if table.title:
            yield f"{table.title}:"
            yield ""
        yield from markdown_table(table.columns, table.rows)
    for note in result.notes:
        yield ""
        yield note
    for plot in result.plots:
        yield ""
        yield f"![{plot}]({plot})"
    yield ""


def write(folder, part, title, result, described, form):
    """Stores the part, and writes README.md anew from all stored parts. Returns the part's text."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = list(markdown(part, title, result, described, form))
    kept = {"title": title, "form": form, "machine": described, "result": asdict(result), "markdown": lines}
    (folder / f"{part}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    return "\n".join(lines)


def write_all(folder, parts):
    folder.mkdir(parents=True, exist_ok=True)
    texts = ["# Results of the benchmark", "", "[What is measured, and how](../README.md). `make bench` writes this file.", ""]
    for part in parts:
        path = folder / f"{part}.json"
        if path.exists():
            texts += json.loads(path.read_text())["markdown"]
    (folder / "README.md").write_text("\n".join(texts).rstrip() + "\n")
