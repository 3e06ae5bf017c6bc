"""tools/check-tests.py finds tests that nothing runs, and lists that name what is not there. TAP."""

import harness

FILES = {
    "tests/meson.build": "subdir('flow')\nfiles('support/server.c')\n",
    "tests/support/server.c": "",
    "tests/flow/meson.build": "files(\n  'a.flow',\n)\n# 'commented.flow'\n",
    "tests/flow/a.flow": "",
    "tests/unit/read.c": 'read("data/first.txt"); read("second");',
    "tests/unit/meson.build": "files('read.c')\n",
    "tests/unit/data/first.txt": "",
    "tests/unit/data/second.json": "",
    "tests/fuzz/meson.build": "files('fuzz_x.c')\n",
    "tests/fuzz/fuzz_x.c": "",
    "tests/fuzz/corpus/x/seed": "",
}
CASES = [  # what is added or taken away (None), what is said
    ({}, []),
    ({"tests/flow/b.flow": ""}, ["tests/flow/b.flow: no meson.build lists it"]),
    ({"tests/flow/commented.flow": ""}, ["tests/flow/commented.flow: no meson.build lists it"]),
    ({"tests/unit/other.c": ""}, ["tests/unit/other.c: no meson.build lists it"]),
    ({"tests/program/test_new.py": ""}, ["tests/program/test_new.py: no meson.build lists it"]),
    ({"tests/flow/a.flow": None}, ["tests/flow/meson.build: a.flow is not there"]),
    ({"tests/unit/data/third.txt": ""}, ["tests/unit/data/third.txt: no test names it"]),
    ({"tests/fuzz/corpus/y/seed": ""}, ["tests/fuzz/corpus/y/seed: there is no tests/fuzz/fuzz_y.c"]),
]

harness.run("check-tests.py", FILES, CASES)
