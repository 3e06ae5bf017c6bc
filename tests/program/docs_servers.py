"""The servers of examples whose answers the documents show: docs_server.py with what each offers."""

import json
import pathlib
import sys

PROGRAM = pathlib.Path(__file__).with_name("docs_server.py")


def server(**offer):
    return {"command": sys.executable, "args": [str(PROGRAM), json.dumps(offer)]}


def text(value, kind="text/plain"):
    return {"mimeType": kind, "text": value}


README = {"uri": "github://o/r/README.md", "name": "README.md", "mimeType": "text/markdown"}
PEOPLE = {"uri": "db://people", "name": "people", "description": "who works here"}

SERVERS = {
    "nexo": {
        "github": server(resources=[README], contents={README["uri"]: text("# Hello\n", "text/markdown")}),
        "slack": {"command": "slack-server"},
    },
    "codex": {
        "figma": server(resources=[{"uri": "figma://1", "name": "Home"}], contents={"figma://1": text("Home")}),
    },
    "db": {
        "db": server(resources=[PEOPLE], contents={
            "db://people": {"text": "Ada"}, "db://logo": {"mimeType": "image/png", "blob": "iVBORw0KGgo="}}),
    },
    "lines": {
        "fs": server(resources=[{"uri": "file://a", "name": "a"}, {"uri": "file://b", "name": "b"}]),
        "db": server(resources=[{"uri": "db://users", "name": "users"}]),
    },
    "servers": {
        "github": server(resources=[README], contents={
            "github://o/r/logo.png": {"mimeType": "image/png", "blob": "A" * 6828}}),
        "figma": server(resources=[{"uri": "figma://1", "name": "Home"}]),
    },
}
