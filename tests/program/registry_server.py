"""A registry of MCP servers that speaks API v0.1, over HTTP on loopback. Standard library only.

In a test: `with Registry() as r:` … r.url is its base URL; r.add(server, …) publishes a version; r.requests has the
paths that were asked for. `answers` replaces answers: path prefix -> (status, body); status 0: none comes. As a program
it prints its URL and serves until it is killed."""

import http.server
import json
import sys
import threading
import urllib.parse

OFFICIAL = "io.modelcontextprotocol.registry/official"

# As published by the real ones, shortened.
GITHUB = {
    "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    "name": "io.github.github/github-mcp-server",
    "description": "Connect AI assistants to GitHub - manage repos, issues, PRs, and workflows through natural language.",
    "title": "GitHub",
    "repository": {"url": "https://github.com/github/github-mcp-server", "source": "github"},
    "version": "0.33.0",
    "packages": [{
        "registryType": "oci",
        "identifier": "ghcr.io/github/github-mcp-server:0.33.0",
        "transport": {"type": "stdio"},
        "runtimeArguments": [{
            "type": "named", "name": "-e", "description": "Set an environment variable in the runtime",
            "value": "GITHUB_PERSONAL_ACCESS_TOKEN={token}", "isRequired": True,
            "variables": {"token": {"isRequired": True, "isSecret": True, "format": "string"}}}]}],
    "remotes": [{
        "type": "streamable-http", "url": "https://api.githubcopilot.com/mcp/",
        "headers": [{"name": "Authorization", "description": "Authorization header with authentication token (PAT or App token)",
                     "isRequired": True, "isSecret": True, "value": "Bearer {github_mcp_pat}",
                     "variables": {"github_mcp_pat": {"description": "GitHub token", "isSecret": True}}}]}],
}
FILES = {
    "name": "io.github.someone/server-filesystem",
    "description": "Read and write files",
    "version": "1.0.2",
    "packages": [{
        "registryType": "npm", "registryBaseUrl": "https://registry.npmjs.org", "identifier": "@someone/server-filesystem",
        "version": "1.0.2", "runtimeHint": "npx", "transport": {"type": "stdio"},
        "packageArguments": [
            {"type": "named", "name": "--level", "description": "How much is logged", "default": "info",
             "choices": ["debug", "info", "error"]},
            {"type": "positional", "valueHint": "folder", "description": "Folder to serve", "format": "filepath",
             "isRequired": True, "isRepeated": True}],
        "environmentVariables": [
            {"name": "LICENSE_KEY", "description": "License key", "isSecret": True, "isRequired": True},
            {"name": "CACHE_SIZE", "description": "Entries in the cache", "format": "number"}]}],
}


def plain(name, version="1.0.0", **more):
    return {"name": name, "description": f"The server {name}", "version": version, **more}  # no way to run it


class Registry:
    def __init__(self, port=0):
        self.entries, self.requests, self.answers, self.page = [], [], {}, 1000
        self.over = threading.Event()
        handler = type("Handler", (_Handler,), {"registry": self})
        self.httpd = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.httpd.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.httpd.shutdown()
        self.httpd.server_close()

    def add(self, server, status="active", latest=True, message=None):
        if latest:
            for entry in self.entries:
                if entry["server"]["name"] == server["name"]:
                    entry["_meta"][OFFICIAL]["isLatest"] = False
        meta = {"status": status, "isLatest": latest, "publishedAt": "2026-01-02T03:04:05Z"}
        self.entries.append({"server": server, "_meta": {OFFICIAL: {**meta, **({"statusMessage": message} if message else {})}}})
        return self

    def answer(self, path, query):
        """(status, document)"""
        for prefix, replaced in self.answers.items():
            if path.startswith(prefix):
                return replaced
        parts = [urllib.parse.unquote(p) for p in path.split("/")[1:]]
        if parts[:2] != ["v0.1", "servers"]:
            return 404, {"error": "not found"}
        if len(parts) == 2:
            return 200, self.search(query)
        if len(parts) == 5 and parts[3] == "versions":
            for entry in self.entries:
                latest = entry["_meta"][OFFICIAL]["isLatest"] if parts[4] == "latest" else None
                if entry["server"]["name"] == parts[2] and (latest or entry["server"]["version"] == parts[4]):
                    return 200, entry
        return 404, {"title": "Not Found", "status": 404, "detail": "Server not found"}

    def search(self, query):
        word, start = query.get("search", [""])[0], int(query.get("cursor", ["0"])[0])
        size = min(int(query["limit"][0]), self.page)
        found = [e for e in self.entries if word.lower() in e["server"]["name"].lower()
                 and e["_meta"][OFFICIAL]["status"] != "deleted"
                 and (query.get("version") != ["latest"] or e["_meta"][OFFICIAL]["isLatest"])]
        page = found[start:start + size]
        more = {"nextCursor": str(start + size)} if start + size < len(found) else {}
        return {"servers": page, "metadata": {"count": len(page), **more}}


class _Handler(http.server.BaseHTTPRequestHandler):
    registry = None
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.registry.requests.append(self.path)
        split = urllib.parse.urlsplit(self.path)
        status, document = self.registry.answer(split.path, urllib.parse.parse_qs(split.query))
        if not status:
            self.registry.over.wait()
            return
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    shop = Registry(int(sys.argv[1]) if len(sys.argv) > 1 else 0).add(GITHUB).add(FILES)
    print(shop.url, flush=True)
    shop.httpd.serve_forever()
