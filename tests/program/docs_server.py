"""An MCP server on stdin and stdout that stands in for the servers of examples in the documents. Its argument is a JSON
object: `resources` as they are listed, and `contents` by URI."""

import json
import sys

OFFER = json.loads(sys.argv[1])


def read(uri):
    if uri not in OFFER.get("contents", {}):
        return {"error": {"code": -32002, "message": "Resource not found", "data": {"uri": uri}}}
    return {"result": {"contents": [{"uri": uri, **OFFER["contents"][uri]}]}}


def answer(method, params):
    if method == "initialize":
        return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"resources": {}},
                           "serverInfo": {"name": "docs", "version": "1"}}}
    if method == "resources/list":
        return {"result": {"resources": OFFER["resources"]}}
    if method == "resources/templates/list":
        return {"result": {"resourceTemplates": []}}
    if method == "resources/read":
        return read(params["uri"])
    return {"error": {"code": -32601, "message": "Method not found"}}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message["method"], message.get("params", {}))}
        print(json.dumps(reply, separators=(",", ":")), flush=True)
