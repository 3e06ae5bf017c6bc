"""Print a header that gives every function of llhttp's sources the prefix of internal names: the static library of this
project holds them, and a program that links it may bring an llhttp of its own. Argument: the folder of the sources."""

import pathlib
import re
import sys

FUNCTION = re.compile(r"\b(llhttp_\w+)\s*\(")

text = "".join(path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.c")))
for name in sorted(set(FUNCTION.findall(text))):
    print(f"#define {name} mcti_{name}")
