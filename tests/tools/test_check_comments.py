"""tools/check-comments.py finds references to what is not there. TAP."""

import harness

FILES = {
    "README.md": "See [the guide](docs/GUIDE.md#two-words) and `src/a/one.c`.\n",
    "docs/GUIDE.md": "# Guide\n\n## Two `words`\n\nRead `a/one.c`, `one.h` and [above](#guide).\n",
    "src/a/one.h": "/* See bb.h of the same room, and docs/GUIDE.md, \"Two words\". */\n\n/* ---- one.c ---- */\n\n"
                   "__attribute__((format(printf, 1, 2))) void one(const char *, ...);\n\n/* ---- the rest ---- */\n\nint two(void);\n",
    "src/a/one.c": "#include \"nowhere.h\"\n\nvoid one(const char *z, ...)\n{\n    two(\"/* absent.c */\");\n}\n",
    "src/a/bb.h": "",
    "tests/x.py": '"""Reads tests/x.py."""\n\n# NAME.c and test_NAME.c stand for any\nX = "absent.c"\n',
}
CASES = [  # what is changed, what is said
    ({}, []),
    ({"src/a/two.c": "/* As cc.h says. */\n"}, ["src/a/two.c:1: there is no cc.h"]),
    ({"src/b/two.c": "/* As\n * bb.h says. */\n"}, ["src/b/two.c:2: there is no bb.h"]),  # of another room
    ({"src/b/two.c": "// a/bb.h is found, ./two.c and ../a/bb.h, too\n"}, []),
    ({"tests/x.py": '"""Reads tests/yy.py."""\n'}, ["tests/x.py:1: there is no tests/yy.py"]),
    ({"tests/x.py": "x = 1  # see yy.py\n"}, ["tests/x.py:1: there is no yy.py"]),
    ({"tests/meson.build": "x = 1 # see yy.py\n"}, ["tests/meson.build:1: there is no yy.py"]),
    ({"README.md": "`other.c`\n"}, ["README.md:1: there is no other.c"]),
    ({"README.md": "[x](docs/OTHER.md)\n"}, ["README.md:1: there is no docs/OTHER.md"]),
    ({"README.md": "\n[x](docs/GUIDE.md#three)\n"}, ["README.md:2: GUIDE.md has no section #three"]),
    ({"src/a/bb.h": '/* docs/GUIDE.md, "Three". */\n'}, ['src/a/bb.h:1: GUIDE.md has no section "Three"']),
    ({"src/a/bb.h": "/* As seed 004 has it. */\n"}, ['src/a/bb.h:1: "seed 004" is not in the repository']),
    ({"CHANGELOG.md": "After seed 004.\n"}, []),
    ({"src/a/one.c": "void two(void)\n{\n    one();\n}\n"}, ["src/a/one.h:5: one() is not defined in one.c"]),
    ({"src/a/one.c": None}, ["src/a/one.h:3: there is no one.c", "README.md:1: there is no src/a/one.c", "docs/GUIDE.md:5: there is no a/one.c"]),
]

harness.run("check-comments.py", FILES, CASES)
