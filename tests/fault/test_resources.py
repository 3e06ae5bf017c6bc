"""Broken servers behind resource tools: what is said of each, that it costs the others nothing, and that it costs little memory.

A row is a name, the bad server (options of the test server, or a Peer of broken.py), how many of its resources are listed
nevertheless, and what is said of it. All rows are run with the tools of nexo, beside a good server, through `serve`; those in
which nothing waits on the command line, too.
"""

import dataclasses
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))

# pylint: disable=wrong-import-position
from broken import CLOSE, GOOD, HANG, RESET, SESSION, STATELESS, Peer, by_turn, flood, http
from harness import Session, answer, gateway, main, run, server, test, until, write_config

MIB = 1 << 20
SMALL = {"message_bytes": MIB}
GOOD_URIS = [f"test://goodresource/{i}" for i in range(3)]
PAGES = ("--resources", 5, "--page-size", 2)
DENIED = http(401, b"go away", "text/plain", "WWW-Authenticate: Bearer")


def again(*bad):
    """The server answers its first list, when it starts, as it should."""
    return by_turn("resources/list", [GOOD], [GOOD], *bad)


@dataclasses.dataclass
class Row:
    name: str
    bad: object          # arguments of the test server; or the script of a Peer
    says: str            # "": nothing is wrong
    shown: int = 0       # of its resources; -1: as many as there is room for
    _: dataclasses.KW_ONLY
    waits: bool = False  # for a time limit
    dies: bool = False
    limits: dict = dataclasses.field(default_factory=dict)


LISTS = [
    Row("cursor that comes again", (*PAGES, "--loop-pages"), "cursor came again", 4),
    Row("pages without end", (*PAGES, "--endless-pages"), "more than 64 pages", 5),
    Row("page without an array", ("--resources", 2, "--bad-list"), 'no array "resources"'),
    Row("list that is refused", ("--resources", 2, "--refuse", "resources/list"), "refused as asked"),
    Row("list too large for a message", ("--resources", 6000, "--pad", 10000), "the answer is larger than limits.message_bytes", limits=SMALL),
    Row("list too large for us", ("--resources", 1800, "--pad", 10000, "--page-size", 80), "too large", -1),
    Row("server that ends at once", ("--resources", 2, "--exit-at-start"), "status 7", dies=True),
    Row("server that ends in its second page", (*PAGES, "--die-in-page", 2), "status 6", dies=True),
    Row("server that never starts", ("--resources", 2, "--hang-on", "initialize"), "still not connected", waits=True),
    Row("server that never lists", ("--resources", 2, "--hang-on", "resources/list"), "call timed out after", waits=True),
    Row("list that is denied", [again([DENIED])], "401"),
    Row("second page that is denied", [again([GOOD], [DENIED])], "401", 1),
    Row("second page that breaks off", [again([GOOD], [RESET])], "", 1),
    Row("second page that never comes", [again([GOOD], [HANG])], "call timed out after", 1, waits=True),
    Row("page that is a page", [again([http(200, b"<html>", "text/html")])], "html"),
    Row("page that ends early", [again([b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", CLOSE])], ""),
]

SAID = '{"jsonrpc":"2.0","id":@@,'
READS = [  # answer of the test server, or a Peer's steps; what is said, None: nothing; the text that is read
    ("line that is no JSON", "What?", "no answer after", None),
    ("resource that is not there", SAID + '"error":{"code":-32002,"message":"gone"}}', "gone", None),
    ("result that is a number", SAID + '"result":17}', "its answer cannot be used", None),
    ("result without contents", SAID + '"result":{}}', 'no array "contents"', None),
    ("contents that are no array", SAID + '"result":{"contents":{"text":"x"}}}', 'no array "contents"', None),
    ("half a character", SAID + '"result":{"contents":[{"text":"a\\ud800b"}]}}', None, "a\ufffdb"),
    ("contents that are something else", SAID + '"result":{"contents":[7,null,{"text":3,"blob":[]},{"text":"b"}]}}', None, "b"),
    ("what needs an answer first", SAID + '"result":{"resultType":"input_required","contents":[]}}', "asks for something", None),
    ("401", [DENIED], "401", None),
    ("500", [http(500, b"oops", "text/plain")], "500", None),
    ("no end", [HANG], "no answer after", None),
    ("too much", [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 67108864\r\n\r\n", flood(b"x" * MIB, 64)],
     "limits.message_bytes", None),
]


# ---- running a row ----

# What was freed does not count, where a sanitizer keeps it.
# Meson lets malloc() write to all memory that it gives out, which then counts as used.
THRIFTY = {"MALLOC_PERTURB_": "0", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"}


def settings(limits, quick):
    mcp = {"list_timeout_s": 1, "read_timeout_s": 1} if quick else {}
    return {"mcp": mcp, "limits": {"list_wait_s": 1, **limits}}


def started(g, names):
    for name in names:
        until(lambda name=name: f'"{name}","state":"connected"'.encode() in g.request("GET", "/readyz")[2], f"{name} is connected")


def peak_kib(g):
    status = pathlib.Path(f"/proc/{g.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))


def use(s, tool, arguments, id=1):
    """The text of the result, and whether it is an error."""
    result = answer(s.post("tools/call", {"name": tool, "arguments": arguments}, id)[2])["result"]
    assert len(result["content"]) == 1, result
    return result["content"][0]["text"], result.get("isError", False)


def check_list(row, text):
    listed = json.loads(text)
    own = [e["uri"] for e in listed["resources"] if e["server"] == "good"]
    bad = [e for e in listed["resources"] if e["server"] == "bad"]
    assert own == GOOD_URIS and listed["resources"] == bad + [e for e in listed["resources"] if e["server"] == "good"], listed
    assert listed["count"] == len(bad) + 3 and not listed["truncated"], listed
    assert len(bad) == row.shown or row.shown < 0, (len(bad), row)
    assert [e["server"] for e in listed["errors"]] == ["bad"] and row.says in listed["errors"][0]["error"], listed["errors"]


def run_list(row, folder):
    peer = Peer(SESSION, [("resources/list", row.bad)], again=True, resources=True) if isinstance(row.bad, list) else None
    bad = peer.config() if peer else server("--tools", 1, *row.bad)
    config = write_config(folder, {"good": server("--resources", 3, "--name", "good"), "bad": bad}, settings(row.limits, row.waits))
    try:
        with gateway(folder, "--config", config, "--dialect", "nexo", env=THRIFTY) as g:
            s = Session(g)
            started(g, ["good", "bad"] if peer or row.shown else ["good"])
            if row.dies:
                until(lambda: b'"bad","state":"error"' in g.request("GET", "/readyz")[2], "it has ended")
            before = peak_kib(g)
            check_list(row, use(s, "ListMcpResources", {"max": 10000})[0])
            cost = peak_kib(g) - before
            assert cost < (128 if row.shown < 0 else 16) << 10, f"{cost} KiB"
            text, is_error = use(s, "ListMcpResources", {"server": "good"}, 2)
            assert not is_error and [e["uri"] for e in json.loads(text)["resources"]] == GOOD_URIS
        if not peer and not row.waits:
            done = run(folder, "call", "ListMcpResources", "--dialect", "nexo", "--config", config, "-o", "raw", "max:=10000")
            assert done.returncode == 0, done
            check_list(row, done.stdout)
    finally:
        if peer:
            peer.stop()


NEXO_WORDS = {"no answer after": "call timed out after"}  # its dialect has words of its own


def run_read(bad, says, text, folder, dialect=SESSION):
    peer = Peer(dialect, [("resources/read", bad)], again=True, resources=True) if isinstance(bad, list) else None
    uri = "x://1" if peer else "test://resource/0"
    servers = {"bad": peer.config() if peer else server("--resources", 1, "--read-line", bad),
               "good": server("--resources", 3, "--name", "good")}
    config = write_config(folder, servers, settings(SMALL if peer else {}, True))
    try:
        with gateway(folder, "--config", config, "--dialect", "nexo,codex", env=THRIFTY) as g:
            s = Session(g)
            started(g, servers)
            before = peak_kib(g)
            for n, tool in enumerate(("ReadMcpResource", "read_mcp_resource")):
                wanted = NEXO_WORDS.get(says, says) if tool == "ReadMcpResource" else says
                said, is_error = use(s, tool, {"server": "bad", "uri": uri}, n)
                assert is_error == (says is not None) and (wanted or "") in said, (tool, said)
                if text is not None:
                    assert json.loads(said)["contents"][-1]["text"].encode("utf-8", "replace") in (
                        text.encode(), text.replace("\ufffd", "?").encode()), said
            assert peak_kib(g) - before < 16 << 10, f"{peak_kib(g) - before} KiB"
            assert json.loads(use(s, "ReadMcpResource", {"server": "good", "uri": GOOD_URIS[0]}, 9)[0])["contents"][0]["text"] == "the text"
    finally:
        if peer:
            peer.stop()


def add_test(name, function):
    function.__name__ = name.replace(" ", "_").replace(",", "")
    test(function)


for _row in LISTS:
    add_test(f"list {_row.name}", lambda folder, r=_row: run_list(r, folder))
for _name, *_rest in READS:
    add_test(f"read {_name}", lambda folder, r=_rest: run_read(*r, folder))
    if isinstance(_rest[0], list):
        add_test(f"read {_name} stateless", lambda folder, r=_rest: run_read(*r, folder, dialect=STATELESS))


if __name__ == "__main__":
    main()
