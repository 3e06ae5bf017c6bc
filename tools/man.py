"""Makes the manual pages of the library (section 3, mdoc) from the comments of its headers.

usage: man.py VERSION FOLDER HEADER...

Writes mcptools_NAME.3 for include/mcptools/NAME.h, libmcptools.3 for mcptools.h, and for each function FUNCTION.3, which refers
to the page of its header. The form of the comments:

    A paragraph ends at an empty line. `code` and names of functions are set in other fonts.
      name  indented by two: an entry of a list, whose further lines
            are indented more
        indented by four: code, taken as it is

The comment above one or more declarations, without an empty line between them, describes them.
"""

import os
import pathlib
import re
import sys
import textwrap
import time

SECTION = re.compile(r"/\* ---- (.*?) ---- \*/$")
FUNCTION = re.compile(r"MCT_API\s+(.*?)(\w+)\((.*?)\);", re.S)
ENTRY = re.compile(r"  (\S+(?: \S+)*)(?:  +(\S.*))?$")


# ---- reading a header ----

def comment_lines(comment):
    body = comment.strip()[2:-2]
    return [re.sub(r"^ \* ?", "", line).rstrip() for line in body.strip("\n").splitlines()]


def parse_comment(comment):
    """A list of ("text", str), ("list", [(name, text)]) and ("code", [line])."""
    blocks = []
    for lines in split_paragraphs(comment_lines(comment)):
        entry = ENTRY.match(lines[0])
        if lines[0].startswith("    "):
            blocks.append(("code", [line[4:] for line in lines]))
        elif entry and lines[0][2] != " ":
            rows = []
            for line in lines:
                entry = ENTRY.match(line)
                if entry and line[2] != " ":
                    rows.append([entry[1], entry[2] or ""])
                else:
                    rows[-1][1] += " " + line.strip()
            blocks.append(("list", [tuple(row) for row in rows]))
        else:
            blocks.append(("text", " ".join(line.strip() for line in lines)))
    return join_code(blocks)


def split_paragraphs(lines):
    paragraphs = [[]]
    for line in lines:
        if line.strip():
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    return [p for p in paragraphs if p]


def join_code(blocks):
    """An empty line in code does not end it."""
    joined = []
    for block in blocks:
        if joined and block[0] == joined[-1][0] == "code":
            joined[-1] = ("code", joined[-1][1] + [""] + block[1])
        else:
            joined.append(block)
    return joined


def split_params(text):
    params, depth = [""], 0
    for c in " ".join(text.split()):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            params.append("")
        else:
            params[-1] += c
    return [p.strip() for p in params if p.strip() not in ("", "void")]


def param_name(param):
    return (re.search(r"\(\*(\w+)\)", param) or re.search(r"(\w+)$", param))[1]


class Header:
    """One header: its summary, its description, and its blocks in order: ("section", title) and (comment, code)."""

    def __init__(self, path):
        self.name = path.stem
        self.page = "libmcptools" if self.name == "mcptools" else f"mcptools_{self.name}"
        text = path.read_text()
        opening, rest = text.split("*/", 1)
        self.description = parse_comment(opening + "*/")
        self.summary = self.description[0][1].split(". ")[0].rstrip(".")
        rest = re.sub(r"^#(?:ifndef|define) MCPTOOLS_\w+_H\n", "", rest, flags=re.M)
        rest = re.sub(r"^#if.*?^#endif.*?$|^#include.*?$|^MCT_(?:BEGIN|END)_DECLS$|^#endif\n*\Z", "", rest, flags=re.M | re.S)
        self.blocks = list(self.read(rest))
        self.functions = {f[1]: f for _, code in self.blocks if code for f in functions_of(code)}

    def read(self, text):
        for m in re.finditer(r"(/\*[\s\S]*?\*/\n+)?((?:[^\n/].*\n)(?:.+\n|\n(?=[ }]))*)?", text):
            comment, code = m[1], m[2]
            title = SECTION.match(comment.strip()) if comment else None
            if title:
                yield "section", title[1]
                comment = None
            elif comment and (not code or comment.endswith("\n\n")):
                sys.exit(f"{self.name}.h: a comment describes nothing: {comment}")
            if code:
                yield comment and comment.strip(), code.rstrip()


def functions_of(code):
    """Rows (type, name, parameters)."""
    return [(" ".join(f[0].split()), f[1], split_params(f[2])) for f in FUNCTION.findall(code)]


# ---- writing a page ----

def escape(text, code=False):
    text = text.replace("\\", "\\e").replace("…", "...")
    if code:
        for char, name in (("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
            text = text.replace(char, name)
    text = re.sub(r"[^\x00-\x7f]", lambda m: f"\\[u{ord(m[0]):04X}]", text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def inline(text):
    """Text with fonts: `code`, functions, constants and headers."""
    def font(m):
        if m[1]:
            return "\\fI" + escape(m[1], True) + "\\fP"
        return "\\fB\\%" + escape(m[2], True) + "\\fP"
    parts, at = [], 0
    for m in re.finditer(r"`([^`]*)`|(\bmct_\w+(?=\(\))|\bMC(?:T|PTOOLS)_[A-Z_]+\b|<mcptools/\w+\.h>)", text):
        parts += [escape(text[at:m.start()]), font(m)]
        at = m.end()
    return "".join(parts) + escape(text[at:])


def put_text(out, text):
    for sentence in re.split(r"(?<=[.:;]) (?=[A-Z])", text):
        for line in textwrap.wrap(inline(sentence), 78, break_long_words=False, break_on_hyphens=False):
            out.append(re.sub(r"^([.'])", r"\\&\1", line))


def put_code(out, lines):
    out += [".Bd -literal -offset indent", *(escape(line, True) for line in lines), ".Ed"]


def put_blocks(out, blocks, kinds):
    """`kinds`: what an error kind without a text means."""
    for i, (kind, content) in enumerate(blocks):
        if kind == "text":
            out += [".Pp"] if i else []
            put_text(out, content)
        elif kind == "code":
            put_code(out, content)
        else:
            out.append(".Bl -tag -width Ds -offset indent -compact")
            for name, text in content:
                out.append(f".It {'Dv' if name.startswith('MCT_') else 'Fa' if re.fullmatch('[a-z_]+', name) else 'Sy'} {escape(name)}")
                put_text(out, text or kinds[name])
            out.append(".El")


def put_types(out, header, kinds):
    types = [(comment, code) for comment, code in header.blocks if comment != "section" and not functions_of(code)]
    if types:
        out.append(".Sh TYPES")
    for i, (comment, code) in enumerate(types):
        if comment:
            out += [".Pp"] if i else []
            put_blocks(out, parse_comment(comment), kinds)
        put_code(out, code.splitlines())


def put_functions(out, header, kinds):
    if not header.functions:
        return
    out.append(".Sh FUNCTIONS")
    is_open, section = False, None
    for comment, code in header.blocks:
        if comment == "section":
            section = code
            continue
        functions = functions_of(code)
        if not functions:
            continue
        if section:
            out += ([".El"] if is_open else []) + [f".Ss {escape(section[0].upper() + section[1:])}"]
        if section or not is_open:
            out.append(".Bl -tag -width Ds")
        is_open, section = True, None
        for _, name, params in functions:
            out.append(" ".join([".It Fn", name, *(f'"{param_name(p)}"' for p in params)]))
        put_blocks(out, parse_comment(comment), kinds)
    out.append(".El")


def put_synopsis(out, header):
    out += [".Sh SYNOPSIS", f".In mcptools/{header.name}.h"]
    for kind, name, params in header.functions.values():
        out.append(f'.Ft "{kind}"')
        out.append(" ".join([".Fn", name, *(f'"{p}"' for p in params or ["void"])]))


def put_map(out, headers):
    out.append(".Sh HEADERS")
    out.append(".Bl -tag -width Ds")
    for h in headers:
        if h.page == "libmcptools":
            continue
        out.append(f".It Xr {h.page} 3")
        put_text(out, h.summary + ".")
        if h.functions:
            out.append(".Pp")
            put_text(out, ", ".join(f"{name}()" for name in h.functions) + ".")
    out.append(".El")


def page(header, headers, kinds, version, date):
    summary = header.summary[0].lower() + header.summary[1:] if header.summary[1].islower() else header.summary
    out = [f".Dd {date}", f".Dt {header.page.upper()} 3", f".Os mcptools {version}", ".Sh NAME"]
    names = [header.page, *header.functions]
    out += [f".Nm {name}{' ,' if name != names[-1] else ''}" for name in names] + [f".Nd {inline(summary)}"]
    put_synopsis(out, header)
    out.append(".Sh DESCRIPTION")
    put_blocks(out, header.description, kinds)
    put_types(out, header, kinds)
    put_functions(out, header, kinds)
    if header.page == "libmcptools":
        put_map(out, headers)
    others = sorted({h.page for h in headers} - {header.page})
    out += [".Sh SEE ALSO", ".Xr mcptools 1 ,"] + [f".Xr {name} 3{' ,' if name != others[-1] else ''}" for name in others]
    return "\n".join(out) + "\n"


def error_kinds(headers):
    """The kinds of errors and what their comments say."""
    enum = next(code for h in headers for _, code in h.blocks if code.startswith("enum mct_error_kind"))
    return dict(re.findall(r"(MCT_ERR_\w+),\s*(?:/\* (.*?) \*/)?", enum))


def date_of(paths):
    """Of the sources, so that the same sources make the same pages."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", max(p.stat().st_mtime for p in paths)))
    t = time.gmtime(seconds)
    return f"{time.strftime('%B', t)} {t.tm_mday}, {t.tm_year}"


def main():
    version, folder, paths = sys.argv[1], pathlib.Path(sys.argv[2]), [pathlib.Path(p) for p in sys.argv[3:]]
    headers = [Header(p) for p in paths]
    kinds = error_kinds(headers)
    for h in headers:
        (folder / f"{h.page}.3").write_text(page(h, headers, kinds, version, date_of(paths)))
        for name in h.functions:
            (folder / f"{name}.3").write_text(f".so man3/{h.page}.3\n")


if __name__ == "__main__":
    main()
