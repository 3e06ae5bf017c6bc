"""Check the rooms of src/: what a file includes, how large a room is, that each file is built and each room has a page.

A file includes its own room and the rooms above it in ROOMS, which is the order from the ground up. Between rooms
that are equal (written as one row) nothing is included."""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
SRC = TOP / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# From the ground up. (room, most lines, most files)
MAX_LINES, MAX_FILES = 3500, 30
MANY_FILES = {"cli/commands", "model/schema", "resources/dialect"}  # one file per thing
ROOMS = [
    "base", "base/sched", "base/table", "base/log",
    "json",
    "schema",
    "scan/words", "scan", "scan/document",
    "config/notation", "skills",
    "io", "io/sandbox", "io/process", "io/http", "io/fetch", "io/egress",
    "mcp", "mcp/http", "mcp/shape", "mcp/apps",
    "auth/wire", "auth/jose", "auth/store", "auth/net", "auth", "auth/grant", "auth/flow", "auth/login",
    "hub/core", "hub/results", "hub/guard", "hub/names", "hub/apps", "hub/vet", "hub/policy", "hub/view", "hub/hooks", "hub/local",
    "hub/skills",
    "hub/catalogue",
    "hub/server", "hub/plugin", "hub/tasks", "hub/call",
    "telemetry",
    "model/schema", "model",
    "resources", "resources/skills", "resources/lines", "resources/dialect", "resources/results", "resources/skill_tools",
    "gateway/activity", "gateway", "gateway/overview", "gateway/apps", "gateway/read", "gateway/foreign", "gateway/question", "gateway/skills", "gateway/tasks", "gateway/notify",
    "front", "front/http", "front/page",
    "config/edit", "config/trust", "config/expand", "config/sandbox", "config", "config/settings", "config/import", "config/connect", "config/check",
    "pins",
    "clients",
    "packages",
    "instance",
    "control",
    "api", "api/login", "api/skills",
    "cli/terminal", "cli", "cli/ask", "cli/show", "cli/login", "cli/scan",
    "cli/live", "cli/running", "cli/edit", "cli/trust", "cli/tasks", "cli/skills", "cli/clients", "cli/packages", "cli/pins", "cli/complete", "cli/doctor", "cli/agent",
    "cli/commands",
]


def room_of(path):
    return path.parent.as_posix()


def upward(path, room):
    for name in INCLUDE.findall((SRC / path).read_text()):
        other = room_of(pathlib.PurePosixPath(name))
        if other not in ROOMS or ROOMS.index(other) > ROOMS.index(room):
            yield f"src/{path}: room '{room}' must not include \"{name}\""


def size(room, files):
    lines = sum((SRC / f).read_text().count("\n") for f in files)
    if lines > MAX_LINES or (len(files) > MAX_FILES and room not in MANY_FILES):
        yield f"src/{room}: {len(files)} files, {lines} lines: a room has at most {MAX_FILES} and {MAX_LINES}"


def unbuilt(room, files):
    build = SRC / room / "meson.build"
    listed = set(re.findall(r"'([^']+\.c)'", build.read_text())) if build.exists() else set()
    here = {f.name for f in files if f.suffix == ".c"}
    for name in sorted(listed ^ here):
        yield f"src/{room}/meson.build: '{name}' is {'missing from the list' if name in here else 'not there'}"


def page_of(room):
    """The page in docs/internals/ that describes a room: one for each first-level room, and for each room of hub/."""
    parts = room.split("/")
    return "-".join(parts[:2] if parts[0] == "hub" else parts[:1]) + ".md"


def unwritten(rooms):
    folder = TOP / "docs" / "internals"
    pages = {page_of(room) for room in rooms}
    here = {page.name for page in folder.glob("*.md")}
    for name in sorted(pages ^ here):
        yield f"docs/internals/{name}: " + ("a room has no page" if name in pages else "the page of no room")


def violations():
    rooms = {}
    for path in sorted(p.relative_to(SRC) for p in SRC.rglob("*.[ch]")):
        rooms.setdefault(room_of(path), []).append(path)
    for room, files in rooms.items():
        if room not in ROOMS:
            yield f"src/{room}: unknown room; add it to ROOMS in tools/check-layers.py"
            continue
        for path in files:
            yield from upward(path, room)
        yield from size(room, files)
        yield from unbuilt(room, files)
    yield from unwritten(rooms)


if __name__ == "__main__":
    found = list(violations())
    print("\n".join(found) or "layers: clean")
    sys.exit(bool(found))
