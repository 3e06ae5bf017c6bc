"""A file includes its own layer and those below it, never above."""

import pathlib
import re
import sys

LAYERS = ["base", "json", "schema", "io", "mcp", "hub", "front", "config", "api", "cli"]
SRC = pathlib.Path(__file__).resolve().parent.parent / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"/]+)/', re.MULTILINE)


def violations():
    for path in sorted(SRC.rglob("*.[ch]")):
        own = path.relative_to(SRC).parts[0]
        for layer in INCLUDE.findall(path.read_text()):
            if layer not in LAYERS or LAYERS.index(layer) > LAYERS.index(own):
                yield f"{path.relative_to(SRC.parent)}: '{own}' must not include '{layer}'"


if __name__ == "__main__":
    found = list(violations())
    print("\n".join(found) or "layers: clean")
    sys.exit(bool(found))
