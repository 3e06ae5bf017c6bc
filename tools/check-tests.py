"""Check that no test is forgotten: a file below tests/ that nothing runs, reads or includes is a mistake.

Sources, transcripts, goldens and scripts stand in a meson.build; a corpus belongs to a fuzz target; everything else is named by another
file of the tests. What a meson.build below tests/ lists is there."""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {"node_modules", "__pycache__"}
BUILT = {".c", ".cc", ".flow", ".golden"}
UNREAD = {"meson.build", ".npmrc", "package-lock.json"}  # read by tools, whose names they have


def files_below(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file() and not SKIPPED & set(p.parts))


def listed(top):
    """The files that meson.build files name, each with the one that does."""
    for build in sorted((top / "tests").rglob("meson.build")):
        if SKIPPED & set(build.parts):
            continue
        text = re.sub(r"#.*", "", build.read_text())
        for name in re.findall(r"'([^'@]+\.(?:c|cc|flow|golden|py|mjs|sh))'", text):
            yield (build.parent / name).resolve(), build.relative_to(top)


def is_script(path):
    return path.name.startswith("test_") and path.suffix == ".py"


def is_named(path, texts):
    """Some other file has the name (maybe with `${…}` in it), imports the module, or has the stem between quotes, slashes or dots."""
    name, stem = re.escape(path.name), re.escape(path.stem)
    word = re.compile(rf"(?<![\w-])(?:{name}|import {stem}|from {stem} import|(?<=[\"'`/]){stem}(?=[\"'`.]))(?![\w-])")

    def templates(text):
        for template in re.findall(r"[\w-]*(?:\$\{[^}]+\}[\w.-]+)+", text):
            yield "[a-z]+".join(map(re.escape, re.split(r"\$\{[^}]+\}", template)))

    return any(word.search(text) or any(re.fullmatch(t, path.name) for t in templates(text))
               for other, text in texts.items() if other != path)


def problems(top):
    seen = {}
    for path, build in listed(top):
        if not path.exists():
            yield f"{build}: {path.name} is not there"
        seen[path] = build
    files = files_below(top / "tests")
    texts = {p: p.read_text(errors="replace") for folder in ("tests", "hosts", "tools") for p in files_below(top / folder)
             if p.suffix in {".c", ".cc", ".h", ".py", ".mjs", ".json", ".sh", ".build"} and p.name not in UNREAD}
    for path in files:
        name = path.relative_to(top)
        if path.name in UNREAD:
            continue
        if path.suffix in BUILT or is_script(path):
            if path not in seen:
                yield f"{name}: no meson.build lists it"
        elif name.parts[1:3] == ("fuzz", "corpus"):
            if not (top / "tests/fuzz" / f"fuzz_{name.parts[3]}.c").exists():
                yield f"{name}: there is no tests/fuzz/fuzz_{name.parts[3]}.c"
        elif path not in seen and not is_named(path, texts):
            yield f"{name}: no test names it"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else TOP))
    print("\n".join(found) or "tests: all are listed")
    sys.exit(bool(found))
