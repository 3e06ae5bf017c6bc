"""Check what comments and documents refer to: files exist, sections exist, and `/* ---- x.c ---- */` in a header tells the truth.

A file is named as it is found from the folder of the one that names it, from a folder above, or from src/, include/ or tests/. In documents
the last parts of a path are enough. Words in capitals (NAME.c) and single letters stand for any. No comment cites what is not in the repository."""

import ast
import io
import pathlib
import posixpath
import re
import sys
import tokenize

import tree

TOP = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "tests", "tools", "docs", "examples", "bench", "hosts", "man")
READ = {".c", ".cc", ".h", ".py", ".md", ".mjs", ".ts"}
ROOTS = ("", "src", "include", "include/mcptools", "tests", "docs")
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(/\*.*?\*/|//[^\n]*)', re.DOTALL)
FILE = re.compile(r"(?<![\w<./@*-])((?:[\w.-]+/)*[\w-]+\.(?:c|cc|h|md|py|mjs|flow))(?![\w/*(-])")
SECTION = re.compile(r"\b([\w-]+\.md),? (?:section )?\"([^\"]+)\"")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"/\* ---- ([\w/-]+\.c(?:, [\w/-]+\.c)*)(?::[^*]*)? ---- \*/")
NO_FUNCTION = re.compile(r"typedef[^;{]*;|__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")
DECLARED = re.compile(r"^(?!static|#)[\w\s*]*?\b(\w+)\([^;{}]*\)[^;{}]*;", re.MULTILINE)
ABSENT = re.compile(r"\bseeds? \d{3}\b|\bhouse\.md\b|\bissue #?\d+\b|\bdesign notes\b", re.IGNORECASE)
EXAMPLES = {"./guard.py", "architecture.md", "mytools.c", "program.c", "policy.flow"}  # files of users and keys, in documents


def python_comments(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node)


def comments(path, text):
    """(line, text) of each comment; a document is one."""
    if path.suffix == ".md":
        yield 1, text
    elif path.suffix == ".py":
        yield from python_comments(text)
    elif path.name == "meson.build":
        for number, line in enumerate(text.splitlines(), 1):
            if "#" in line:
                yield number, line[line.index("#"):]
    else:
        for match in C_COMMENT.finditer(text):
            if match.group(1):
                yield text.count("\n", 0, match.start()) + 1, match.group(1)


class Repository:
    def __init__(self, top):
        self.top = top
        files = [p for folder in FOLDERS for p in tree.files_below(top / folder)]
        files += [p for p in sorted(top.iterdir()) if p.is_file()]
        self.paths = {p.relative_to(top).as_posix() for p in files}
        self.texts = {p: p.read_text() for p in files if p.suffix in READ or p.name == "meson.build"}
        self.titles = {p.name: {t.strip().replace("`", "") for t in re.findall(r"^#+ +(.*)$", text, re.MULTILINE)}
                       for p, text in self.texts.items() if p.suffix == ".md"}

    def has(self, name, path):
        folder = path.relative_to(self.top).parent
        places = [*([folder, *folder.parents]), *map(pathlib.PurePosixPath, ROOTS)]
        if any(posixpath.normpath(place / name) in self.paths for place in places):
            return True
        return path.suffix == ".md" and any(p.endswith("/" + name) for p in self.paths)


def is_pattern(name):
    """NAME.c, test_NAME.c, docs/X.md, x.c."""
    stem = pathlib.PurePosixPath(name).stem
    return len(stem) == 1 or (stem in {"NAME", "ROOM"} if name.endswith(".md") else re.search(r"(?<![a-z])[A-Z]+(?![a-z])", stem))


def anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def references(repository, path, text):
    for line, comment in comments(path, text):
        def at(match, line=line, comment=comment):
            return line + comment.count("\n", 0, match.start())

        for match in FILE.finditer(comment):
            if match.group(1) not in EXAMPLES and posixpath.basename(match.group(1)) != "SKILL.md" and not is_pattern(match.group(1)) and not repository.has(match.group(1), path):
                yield at(match), f"there is no {match.group(1)}"
        for match in SECTION.finditer(comment):
            if match.group(2) not in repository.titles.get(match.group(1), {match.group(2)}):
                yield at(match), f'{match.group(1)} has no section "{match.group(2)}"'
        for match in ABSENT.finditer(comment if path.name != "CHANGELOG.md" else ""):  # which is history
            yield at(match), f'"{match.group(0)}" is not in the repository'


def links(repository, path, text):
    for match in LINK.finditer(re.sub(r"`[^`\n]*`", lambda m: " " * len(m.group(0)), text)):
        target, wanted = match.groups()
        other = (path.parent / target).resolve() if target else path
        line = text.count("\n", 0, match.start()) + 1
        if not other.exists():
            yield line, f"there is no {target}"
        elif wanted and other.suffix == ".md" and wanted not in map(anchor, repository.titles.get(other.name, ())):
            yield line, f"{other.name} has no section #{wanted}"


def sections(path, text):
    """What a header declares below `/* ---- x.c ---- */` is defined in x.c."""
    marks = [*HEADING.finditer(text)]
    for mark, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)]):
        sources = [next((p / name for p in path.parents if (p / name).exists()), None) for name in mark.group(1).split(", ")]
        if None in sources:
            continue  # reported already
        code = "\n".join(C_COMMENT.sub(lambda m: "" if m.group(1) else '""', source.read_text()) for source in sources)
        stop = text.find("/* ---- ", mark.end())
        below = C_COMMENT.sub(lambda m: "\n" * m.group(0).count("\n"), text[mark.end():end if stop < 0 else min(stop, end)])
        below = NO_FUNCTION.sub(lambda m: "\n" * m.group(0).count("\n"), below)
        for match in DECLARED.finditer(below):
            if not re.search(rf"^[\w*][^;{{}}=]*\b{match.group(1)}\([^;{{}}]*\)\s*\{{", code, re.MULTILINE):
                line = text.count("\n", 0, mark.end()) + below.count("\n", 0, match.start(1)) + 1
                yield line, f"{match.group(1)}() is not defined in {mark.group(1)}"


def problems(top):
    repository = Repository(top)
    for path, text in repository.texts.items():
        found = [*references(repository, path, text)]
        if path.suffix == ".md":
            found += links(repository, path, text)
        if path.suffix == ".h":
            found += sections(path, text)
        for line, what in sorted(set(found)):
            yield f"{path.relative_to(top)}:{line}: {what}"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else TOP))
    print("\n".join(found) or "comments: what they refer to is there")
    sys.exit(bool(found))
