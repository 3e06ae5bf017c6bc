"""Hostile servers over stdio."""

import json
import os

from harness import answer, metric
from row import attack
from scene import MIB, until

STDIO = "stdio server"


def beside(name, owasp, what, outcome):
    return attack(name, owasp, STDIO, what, outcome, beside=True)


def in_calls(rows, outcome, expect):
    """Rows of one outcome: name (also the mode of the server), OWASP, what it does."""
    for name, owasp, what in rows:
        def run(scene, mode=name):
            with scene.beside(scene.stdio(mode)) as b:
                expect(b)
                assert b.attacked()
        beside(name, owasp, what, outcome)(run)


def times_out(b):
    b.ends_late()


def is_limited(b):
    b.error("limits.message_bytes")


def works(b):
    assert "fine" in json.dumps(b.call()["result"])


in_calls([
    ("line-without-end", "LLM10", "answers a call with a line that never ends"),
    ("line-of-spaces", "LLM10", "sends spaces without end"),
    ("batch-without-end", "LLM10", "sends a JSON-RPC batch that never ends"),
], "the call fails at `limits.message_bytes`", is_limited)

in_calls([
    ("empty-lines", "LLM10", "sends empty lines without end"),
    ("garbage-lines", "LLM10", "sends lines without end that are no JSON"),
    ("progress-of-nobody", "LLM10", "sends progress without end for a token that nobody has"),
    ("progress-of-the-call", "LLM10", "sends progress of the call without end"),
    ("log-messages", "MCP08", "sends log messages without end"),
    ("lists-changed", "LLM10", "says without end that its lists have changed"),
    ("updates-of-resources", "LLM10", "says without end that a resource has changed"),
    ("cancellations", "MCP06", "cancels requests that are not its own, without end"),
    ("unknown-notifications", "LLM10", "sends unknown notifications without end"),
    ("elicitations-complete", "MCP06", "says without end that elicitations are complete that nobody has begun"),
    ("answers-to-nothing", "MCP06", "sends answers without end that nobody has asked for"),
    ("errors-without-id", "LLM10", "sends errors without an id, without end"),
    ("pings", "LLM10", "pings without end and reads no answer"),
    ("same-question-again", "LLM10", "pings without end with the same id"),
    ("samplings", "MCP10", "asks for samplings without end"),
    ("elicitations", "MCP10", "asks the user without end"),
    ("roots-questions", "MCP10", "asks for the roots without end"),
    ("unknown-questions", "LLM10", "sends unknown requests without end"),
    ("question-of-a-megabyte", "LLM10", "sends requests without end whose ids have 900 KB"),
], "the call ends at its time-out; memory stays bounded", times_out)

in_calls([("answers-with-strange-ids", "MCP06", "sends answers without end whose ids are objects")],
         "the call fails: the answer cannot be used", lambda b: b.error("cannot be used"))

# ---- answers ----

UNUSABLE = [
    ("neither-result-nor-error", "MCP06", "answers without result and error"),
    ("error-that-is-a-text", "MCP06", "answers with an error that is a text"),
    ("error-code-huge", "MCP06", "answers with the error code 1e400"),
    ("result-that-is-null", "MCP06", "answers with null"),
    ("result-that-is-a-list", "MCP06", "answers with a list"),
    ("result-and-error", "MCP06", "answers with a result and an error"),
    ("id-in-a-list", "MCP06", "puts the id into a list"),
    ("id-twice", "MCP06", "answers with two ids"),
    ("id-with-other-digits", "MCP06", "writes the id with leading zeros"),
    ("result-twice", "MCP06", "answers with two results"),
    ("no-version", "MCP06", "leaves the version out"),
    ("version-one", "MCP06", "claims another version of JSON-RPC"),
    ("invalid-utf-8", "MCP06", "answers with bytes that are not UTF-8"),
    ("overlong-utf-8", "MCP06", "answers with overlong UTF-8"),
    ("utf-8-surrogates", "MCP06", "answers with surrogates in UTF-8"),
    ("raw-control-characters", "MCP06", "answers with raw control characters and NUL"),
    ("depth-100000", "LLM10", "answers with 100,000 nested arrays"),
    ("trailing-text", "MCP06", "sends two texts in one line"),
    ("comments", "MCP06", "answers with comments in JSON"),
    ("nan", "MCP06", "answers with NaN"),
    ("torn", "MCP06", "answers with a torn line"),
]
PASS = [
    ("lone-surrogates", "MCP06", "answers with escaped lone surrogates", b'"\\ud800 \\udfff"'),
    ("nul-in-texts", "MCP06", "answers with an escaped NUL", b'"a\\u0000b"'),
    ("odd-numbers", "MCP06", "answers with -0, 1e400 and 2^53+1", b'"structuredContent":{"a":-0,"b":1e400,"c":9007199254740993,"d":1E-400}'),
    ("doubled-members", "MCP06", "answers with doubled members in structured content", b'"structuredContent":{"a":1,"a":2}'),
    ("prototype-members", "MCP06", "answers with the members `__proto__` and `constructor`", b'"__proto__":{"isError":true}'),
    ("white-space", "MCP06", "puts white space everywhere", b'"content"'),
    ("crlf", "MCP06", "ends lines with CRLF", b'"content"'),
    ("million-members", "LLM10", "answers with an object of 60,000 members", b'"59999":0'),
]


def answer_text(b, mode):
    status, _, body = b.session.post("tools/call", {"name": "bad__do", "arguments": {}}, 7)
    assert status == 200, (mode, status, body[:500])
    return body


def is_unusable(b, mode):
    """An error at once, and not after the time-out; "fine" is not made of it."""
    body = answer_text(b, mode)
    assert b'"error"' in body and b"no answer within" not in body, (mode, body[:500])


def in_group(rows, outcome, expect):
    for name, owasp, what, *more in rows:
        def run(scene, mode=name, more=tuple(more)):
            with scene.beside(scene.stdio(mode)) as b:
                for _ in range(3):  # the connection is usable again
                    expect(b, mode, *more)
        beside(name, owasp, what, outcome)(run)


def passes(b, mode, text):
    assert text in answer_text(b, mode), (mode, text)


in_group(UNUSABLE, "the call fails at once and says why", is_unusable)
in_group(PASS, "the text passes unchanged", passes)


@beside("id-types", "MCP06", "answers with the id as text or as a fraction", "nobody else's call is answered by it")
def id_types(scene):
    with scene.beside(scene.stdio("id-as-text")) as b:
        b.error()
        assert b.attacked()


@beside("answers-twice", "MCP06", "answers a call three times", "the first answer counts")
def answers_twice(scene):
    with scene.beside(scene.stdio("answers-twice")) as b:
        for _ in range(20):
            assert b.call()["result"]["content"][0]["text"] == "fine"


@beside("answers-before-questions", "MCP06", "answers the requests that will come next before they are sent",
        "early answers are dropped; one that crosses its request answers it, and no call of another server")
def answers_before_questions(scene):
    with scene.beside(scene.stdio("answers-before-questions")) as b:
        for _ in range(20):
            assert b.call()["result"]["content"][0]["text"] in ("fine", "too early")


@beside("answers-in-other-notations", "MCP06", "answers with single quotes, or in UTF-16", "a line that is no JSON is ignored; the call ends at its time-out")
def answers_in_other_notations(scene):
    with scene.beside(scene.stdio("single-quotes", timeout=1), bad2=scene.stdio("utf-16", timeout=1)) as b:
        b.error("no answer within")
        b.error("no answer within", name="bad2__do")


@beside("byte-order-mark", "MCP06", "begins its line with a byte order mark", "the call ends at its time-out")
def byte_order_mark(scene):
    with scene.beside(scene.stdio("byte-order-mark")) as b:
        b.error("no answer within")


@beside("carriage-returns-only", "MCP06", "ends its line with CR only", "the call ends at its time-out")
def carriage_returns_only(scene):
    with scene.beside(scene.stdio("carriage-returns-only")) as b:
        b.error("no answer within")


@beside("byte-by-byte", "LLM10", "answers one byte at a time", "the call is answered")
def byte_by_byte(scene):
    with scene.beside(scene.stdio("byte-by-byte")) as b:
        assert "slow" in json.dumps(b.call())


@beside("huge-result", "LLM10", "answers with more than `limits.message_bytes`", "the call fails at the limit; memory stays bounded")
def huge_result(scene):
    with scene.beside(scene.stdio("huge-result", 16 * MIB, timeout=20)) as b:
        for _ in range(scene.scaled(2, 10)):
            b.error("limits.message_bytes")


KEPT = {"results": {"budget": "1k tokens", "bytes": 2 * MIB}}


@beside("huge-results-cut", "LLM10", "answers every call with up to 50 MB, in a gateway with budgets of results",
        "clients get the beginning; the store keeps to `results.bytes`, memory stays bounded")
def huge_results_cut(scene):
    settings = {**KEPT, "limits": {"message_bytes": 64 * MIB}}
    with scene.beside(scene.stdio("huge-lines", scene.scaled(13, 50) * 1000 * 1000, timeout=20), settings=settings) as b:
        for _ in range(scene.scaled(2, 20)):
            got = json.dumps(b.call()["result"])
            assert len(got) < 6000 and "was not kept" in got, got[:1000]
        assert metric(b.g, "results_kept") == 0 and metric(b.g, "results_cut_total") >= 2


@beside("store-filled", "LLM10", "fills the store of kept results, with lines without end for searches that a client makes meanwhile",
        "older results make room; searches take parts; others are served")
def store_filled(scene):
    settings = {**KEPT, "limits": {"message_bytes": 4 * MIB}}
    size = MIB * 3 // 4
    with scene.beside(scene.stdio("huge-lines", size, timeout=30), settings=settings) as b:
        for i in range(scene.scaled(4, 40)):
            uri = b.call(arguments={"empty": i % 2})["result"]["content"][-1]["uri"]
            for more in ({"search": "nothing"}, {"search": "a" * 1000, "ignore_case": True, "context": 20}, {"line": 999999}, {"byte": size - 9}):
                part = b.call("read_result", {"result": uri, **more})["result"]
                assert "content" in part and len(json.dumps(part)) < 10000, (more, part)
        assert 0 < metric(b.g, "results_bytes") <= 2 * MIB and metric(b.g, "results_evicted_total")


@beside("spoofed-results", "MCP10", "answers with links to kept results that it has made up", "they lead nowhere; a real result is not read through them")
def spoofed_results(scene):
    with scene.beside(scene.stdio("spoofed-link"), settings=KEPT) as b:
        uri = b.call()["result"]["content"][1]["uri"]
        assert "no such result" in json.dumps(b.call("read_result", {"result": uri})["result"])
        assert "no such result" in answer(b.session.post("resources/read", {"uri": uri})[2])["error"]["message"]


# ---- lists ----

def tools(b):
    return b.session.call("tools/list")["tools"]


def relisted(b, wanted=None):
    """The server that attacks in its list has been started, and is used or not."""
    b.unleash()
    until(b.attacked, "it has attacked")
    if wanted:
        until(lambda: wanted in [t["name"] for t in tools(b)], f"{wanted} is listed")


def listing(name, owasp, what, outcome, wanted=None, arguments=lambda scene: (), check=None):
    @beside(name, owasp, what, outcome)
    def run(scene):
        with scene.beside(scene.stdio(name, *arguments(scene))) as b:
            relisted(b, wanted)
            if check:
                check(b)
            assert "good__tool0" in [t["name"] for t in tools(b)]


def nothing_is_taken(b):
    """The victim checks that good__tool0 is the good one; here, what the hostile one is called."""
    names = [t["name"] for t in tools(b)]
    assert len(names) == len(set(names)), names
    assert names.count("good__tool0") == 1, names
    assert "fine" not in json.dumps(b.call("tool0", {"mark": 1}))


def names_once(b):
    names = [t["name"] for t in tools(b)]
    assert len(names) == len(set(names)), names


def names_are_plain(b):
    for t in tools(b):
        assert t["name"] and len(t["name"]) <= 128 and not set(t["name"]) & set(" \n\x1b\u202e\x00$`;"), t["name"]


listing("tools-of-others", "MCP03", "names its tools `good__tool0`, `tool0`, `__proto__`, as other servers' tools are called",
        "calls of the other tools still reach their server", "bad__do", check=nothing_is_taken)
listing("names-twice", "MCP03", "lists 500 tools with one name", "one name, one tool", "bad__do", check=names_once)
listing("strange-names", "MCP03", "names its tools with control and bidi characters, paths, shell words, NUL, 100 KB",
        "such names are replaced or refused; the other tools work", "bad__do", check=names_are_plain)
listing("hundred-thousand-tools", "LLM10", "lists tens of thousands of tools", "they are listed; others are answered meanwhile", "bad__do",
        lambda scene: (scene.scaled(10000, 20000),))
listing("more-tools-than-allowed", "LLM10", "lists more than 100,000 tools", "its list is refused")
listing("pages-without-end", "LLM10", "lists pages without end", "its list is refused after 1,000 pages")
listing("cursor-loop", "LLM10", "lists pages in a circle", "its list ends")
listing("cursor-of-megabytes", "LLM10", "gives cursors of 900 KB for ever", "its list ends")
listing("cursor-that-is-no-text", "MCP06", "gives an object as cursor", "its list is refused or ends")
listing("list-that-never-comes", "LLM10", "never answers the request for its list", "lists of others come")
listing("list-that-is-none", "MCP06", "answers with an object in place of the list", "its list is refused")
