#!/usr/bin/env python3
"""Reads MCP resources of all servers behind a mcptools gateway, with the tools of the dialect "bridge".

    mcptools serve                                   in another terminal
    python3 bridge.py [URL] [RESOURCE-NAME]          prints the block for a system prompt, the resources, and one resource

Needs nothing but Python 3.8. A host that runs a model passes `instructions` to it as a part of the system prompt, the
tools as they are listed, and the text of each result as the answer to the model's call.
"""

import json
import sys
import urllib.request


class Gateway:
    """One session over Streamable HTTP."""

    def __init__(self, url):
        self.url, self.headers, self.n = url, {}, 0
        self.server = self.request("initialize", protocolVersion="2025-11-25", capabilities={},
                                   clientInfo={"name": "bridge-example", "version": "1"})
        self.headers["MCP-Protocol-Version"] = self.server["protocolVersion"]
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def post(self, message):
        request = urllib.request.Request(self.url, json.dumps(message).encode(), {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream", **self.headers})
        with urllib.request.urlopen(request) as answer:
            if "Mcp-Session-Id" in answer.headers:
                self.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
            text = answer.read().decode()
            if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                return [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
            return [json.loads(text)] if text else []

    def request(self, method, **params):
        self.n += 1
        for message in self.post({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}):
            if message.get("id") == self.n and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
        raise RuntimeError(f"{method}: no answer")

    def call(self, tool, **arguments):
        """The text that a model would get."""
        result = self.request("tools/call", name=tool, arguments=arguments)
        return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def main():
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8931/mcp?dialect=bridge&mode=router"
    gateway = Gateway(url)
    print(gateway.server.get("instructions", "(no resources are known yet)"))
    listed = json.loads(gateway.call("mcp_list_resources"))
    for resource in listed["resources"]:
        print(resource["name"], resource["uri"], sep="\t")
    print(listed["message"])
    name = sys.argv[2] if len(sys.argv) > 2 else listed["resources"][0]["name"] if listed["resources"] else None
    if name is not None:
        read = json.loads(gateway.call("mcp_read_resource", resourceName=name))
        print(read["error"] if "error" in read else read["contents"][0].get("text", "(binary)"))


if __name__ == "__main__":
    main()
