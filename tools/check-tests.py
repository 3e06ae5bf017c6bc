"""Check that no test is forgotten: a file below tests/ that nothing runs, reads or includes is a mistake.

Sources, transcripts, goldens and scripts stand in a meson.build; a corpus belongs to a fuzz target or to the scanner; everything else is named by another
file of the tests. What a meson.build below tests/ lists is there."""

import collections
import pathlib
import re
import sys

import tree

TOP = pathlib.Path(__file__).resolve().parent.parent
BUILT = {".c", ".cc", ".flow", ".golden"}
READ = {".c", ".cc", ".h", ".py", ".mjs", ".json", ".sh"}
UNREAD = {"meson.build", ".npmrc", "package-lock.json"}  # read by tools, whose names they have


def listed(top):
    """The files that meson.build files name, each with the one that does."""
    for build in (p for p in tree.files_below(top / "tests") if p.name == "meson.build"):
        text = re.sub(r"#.*", "", build.read_text())
        for name in re.findall(r"'([^'@]+\.(?:c|cc|flow|golden|py|mjs|sh))'", text):
            yield (build.parent / name).resolve(), build.relative_to(top)


def is_script(path):
    return path.name.startswith("test_") and path.suffix == ".py"


def names_in(text):
    """Names of files, imported modules, and words between quotes, slashes or dots."""
    yield from re.findall(r"[\w-]+(?:\.[\w-]+)+", text)
    yield from re.findall(r"(?<=[\"'`/])[\w-]+(?=[\"'`.])", text)
    yield from re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)


def templates_in(text):
    """Names with `${…}` in them, as regular expressions."""
    for template in re.findall(r"[\w-]*(?:\$\{[^}]+\}[\w.-]+)+", text):
        yield "[a-z]+".join(map(re.escape, re.split(r"\$\{[^}]+\}", template)))


class Names:
    """Which files name which."""

    def __init__(self, texts):
        self.by_name, self.templates = collections.defaultdict(set), set()
        for path, text in texts.items():
            for name in names_in(text):
                self.by_name[name].add(path)
            self.templates.update(templates_in(text))

    def has(self, path):
        return (self.by_name[path.name] | self.by_name[path.stem]) - {path} or any(re.fullmatch(t, path.name) for t in self.templates)


def problems(top):
    seen = {}
    for path, build in listed(top):
        if not path.exists():
            yield f"{build}: {path.name} is not there"
        seen[path] = build
    names = Names({p: p.read_text(errors="replace") for folder in ("tests", "hosts", "tools") for p in tree.files_below(top / folder)
                   if p.suffix in READ and p.name not in UNREAD})
    for path in tree.files_below(top / "tests"):
        name = path.relative_to(top)
        if path.name in UNREAD:
            continue
        if path.suffix in BUILT or is_script(path):
            if path not in seen:
                yield f"{name}: no meson.build lists it"
        elif name.parts[1:3] == ("fuzz", "corpus"):
            if not (top / "tests/fuzz" / f"fuzz_{name.parts[3]}.c").exists():
                yield f"{name}: there is no tests/fuzz/fuzz_{name.parts[3]}.c"
        elif name.parts[1:3] == ("scan", "corpus"):
            if path.suffix != ".json":
                yield f"{name}: scan_corpus.c reads JSON files only"
        elif path not in seen and not names.has(path):
            yield f"{name}: no test names it"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else TOP))
    print("\n".join(found) or "tests: all are listed")
    sys.exit(bool(found))
