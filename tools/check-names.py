"""Check the names of src/: a static function carries the noun of its file, and a type in a header its prefix.

A backtrace, a profile and a search show the bare name, so no static function has a name of one word, or one that another
file uses as well. Types that a header declares are mct_* (public) or mcti_* (internal)."""

import collections
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
SRC = TOP / "src"
STATIC = re.compile(r"^static (?!const |struct \w+ \w+(?: =|\[|;))[^;={(]*?\**(\w+)\(", re.MULTILINE)
TYPE = re.compile(r"^(?:struct|enum|union) (\w+) \{|^typedef [^;]*?\(?\*?(\w+)\)?\([^;]*\);", re.MULTILINE)


def functions():
    for path in sorted(SRC.rglob("*.c")):
        for name in set(STATIC.findall(path.read_text())):
            yield path.relative_to(TOP), name


def violations():
    found = list(functions())
    count = collections.Counter(name for _, name in found)
    for path, name in found:
        if "_" not in name:
            yield f"{path}: static {name}(): one word; put the noun of the file before it"
        elif count[name] > 1:
            yield f"{path}: static {name}(): {count[name] - 1} other files use that name; put the noun of the file before it"
    for path in sorted(SRC.rglob("*.h")):
        for names in TYPE.findall(path.read_text()):
            name = "".join(names)
            if not name.startswith(("mct_", "mcti_")):
                yield f"{path.relative_to(TOP)}: {name}: a type of a header is mcti_*"


if __name__ == "__main__":
    problems = list(violations())
    print("\n".join(problems) or "names: clean")
    sys.exit(bool(problems))
