"""Write files as a table in C: embed.py FILE... OUTPUT.c, see front/page/assets.h."""

import hashlib
import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


def literal(data):
    """A string literal in lines of 60 bytes: octal escapes have at most three digits."""
    for at in range(0, len(data), 60):
        yield '    "' + "".join(
            chr(c) if 32 <= c < 127 and c not in b'"\\?' else f"\\{c:03o}" for c in data[at:at + 60]) + '"'


def main():
    *files, output = map(pathlib.Path, sys.argv[1:])
    text = ['#include "front/page/assets.h"', "", "const struct mcti_asset mcti_assets[] = {"]
    for file in files:
        data = file.read_bytes()
        etag = hashlib.sha256(data).hexdigest()[:16]
        text += [f'  {{ "{file.name}", "{TYPES[file.suffix]}", "\\"{etag}\\"",', *literal(data), f"  , {len(data)} }},"]
    output.write_text("\n".join([*text, "  { 0 }", "};", ""]))


if __name__ == "__main__":
    main()
