"""An MCP server on stdin and stdout whose manners depend on its name, the only argument. The servers of the comparison
with Codex; calls.py names them."""

import json
import sys
import time

NAME = sys.argv[1]


class Refused(Exception):
    """A JSON-RPC error: code, message and, if there is one, data."""


RICH = [
    {"uri": "zeta://plain", "name": "plain"},
    {"name": "all", "uri": "zeta://all", "title": "All members", "description": "has each member", "size": 12,
     "mimeType": "text/plain", "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"},
     "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"]}],
     "_meta": {"b": 1, "a": [1, 2.0, "x"]}, "unknown": {"is": "dropped"}},
    {"uri": "zeta://nulls", "name": "nulls", "title": None, "description": None, "mimeType": None, "size": None},
    {"uri": "zeta://grüße/日本", "name": "Grüße \U0001f600 \"quoted\" \\ / \t\n\x7f\x01", "description": "é é \u2028"},
    {"uri": "shared://one", "name": "one"},
    {"uri": "shared://one", "name": "one again"},
]
TEMPLATES = [
    {"uriTemplate": "zeta://{id}", "name": "by id"},
    {"name": "all", "uriTemplate": "zeta://{x}/{y}", "title": "T", "description": "d", "mimeType": "text/plain",
     "annotations": {"priority": 0.25}, "icons": [{"src": "data:,"}], "_meta": {"k": None}, "unknown": 1},
]
LISTS = {
    "zeta": RICH,
    "shy": [{"uri": "shy://1", "name": "not announced"}],
    "Beta": [{"uri": "shared://one", "name": "of Beta"}, {"uri": "b://2", "name": ""}],
    "a-b": [{"uri": "ab://1", "name": "sorted by bytes"}],
    "empty": [],
    "whole": [{"uri": "w://1", "name": "w", "annotations": {"priority": 1}}],
    "late": [{"uri": "late://1", "name": "late"}],
    "prompt": [{"uri": "prompt://1", "name": "prompt"}],
}
PAGES = {None: (["p://1", "p://2"], "second"), "second": (["p://3"], "thi/rd \"✓"), "thi/rd \"✓": (["p://4"], None)}
CONTENTS = {
    "t://text": [{"uri": "t://text", "mimeType": "text/plain", "text": "hello"}],
    "t://bare": [{"uri": "t://bare", "text": ""}],
    "t://blob": [{"uri": "t://blob", "mimeType": "image/png", "blob": "iVBORw0KGgo="}],
    "t://several": [{"uri": "t://1", "text": "one"}, {"uri": "t://2", "blob": "AAE=", "mimeType": "a/b"},
                    {"uri": "t://3", "text": "three"}],
    "t://meta": [{"text": "m", "_meta": {"z": 1, "a": {"n": None}}, "uri": "t://meta", "unknown": 1}],
    "t://escapes": [{"uri": "t://escapes", "text": "a\"\\/\b\f\n\r\t\x00\x1f\x7f\u2028é\U0001f600"}],
    "t://null": [{"uri": "t://null", "mimeType": None, "text": "n"}],
    "t://empty": [],
    "t://both": [{"uri": "t://both", "text": "t", "blob": "AAE="}],
    "t://other name": [{"uri": "t://elsewhere", "text": "answered under another URI"}],
    "t://long": [{"uri": "t://long", "text": "one of many words\n" * 1500}],
}
ERRORS = {
    "e://data": (-32002, "Resource not found", {"uri": "e://data", "b": [1, 2.0, None, "é"], "a": True}),
    "e://bare": (-32603, "boom"),
    "e://null": (-32603, "null data", None),
    "e://text": (-32602, "bad \"uri\"\n\tlines", "why"),
    "e://number": (-1, "", 1.5),
    "e://unicode": (7, "nicht gefunden: é \U0001f600", {"é": "\U0001f600"}),
    "e://long": (-32603, "a long story " * 250),
}


def page_of(params):
    uris, following = PAGES[params.get("cursor")]
    page = {"resources": [{"uri": uri, "name": uri[-1]} for uri in uris]}
    return {**page, "nextCursor": following} if following else page


def resources(params):
    if NAME == "pages":
        if params.get("cursor") not in PAGES:
            raise Refused(-32602, "no such cursor", {"cursor": params["cursor"]})
        return page_of(params)
    if NAME == "blank-cursor":
        if "cursor" in params:
            raise Refused(-32602, "no such cursor")
        return {"resources": [{"uri": "c://1", "name": "c"}], "nextCursor": ""}
    if NAME == "loop":
        return {"resources": [{"uri": "l://1", "name": "l"}], "nextCursor": "again"}
    if NAME == "sick":
        raise Refused(-32603, "the database is away", {"retry": 5})
    if NAME == "nameless":
        return {"resources": [{"uri": "n://1"}]}
    if NAME == "wrong":
        return {"resources": "none"}
    if NAME == "late":
        time.sleep(2)
    if NAME in LISTS:
        return {"resources": LISTS[NAME]}
    raise Refused(-32601, "Method not found")


def templates(_params):
    if NAME == "zeta":
        return {"resourceTemplates": TEMPLATES}
    if NAME == "pages":
        return {"resourceTemplates": [{"uriTemplate": "p://{n}", "name": "p"}], "nextCursor": "more"}
    if NAME == "sick":
        raise Refused(-32603, "the database is away")
    if NAME in LISTS:
        return {"resourceTemplates": []}
    raise Refused(-32601, "Method not found")


def read(params):
    uri = params["uri"]
    if uri in ERRORS:
        raise Refused(*ERRORS[uri])
    if uri == "t://result-meta":
        return {"_meta": {"x": 1}, "contents": [{"uri": uri, "text": "r"}], "extra": 2}
    if uri == "t://no-contents":
        return {"nothing": True}
    if uri == "e://quit":
        sys.exit(4)
    if uri not in CONTENTS:
        raise Refused(-32002, "Resource not found", {"uri": uri})
    return {"contents": CONTENTS[uri]}


def initialize(params):
    capabilities = {"tools": {}} if NAME in ("plain", "shy") else {"resources": {}, "tools": {}}
    if NAME == "late":
        time.sleep(1)
    return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities,
            "serverInfo": {"name": NAME, "version": "1"}}


ANSWERS = {"initialize": initialize, "ping": lambda params: {}, "tools/list": lambda params: {"tools": []},
           "resources/list": resources, "resources/templates/list": templates, "resources/read": read}


def answer(message):
    try:
        if message["method"] not in ANSWERS:
            raise Refused(-32601, "Method not found")
        return {"result": ANSWERS[message["method"]](message.get("params") or {})}
    except Refused as refused:
        return {"error": dict(zip(("code", "message", "data"), refused.args))}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request and "method" in request:
        reply = {"jsonrpc": "2.0", "id": request["id"], **answer(request)}
        print(json.dumps(reply, separators=(",", ":"), ensure_ascii=False), flush=True)
