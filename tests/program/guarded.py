"""An MCP server that accepts one bearer token."""

import http.server
import json
import threading

RESULTS = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"resources": {}},
                   "serverInfo": {"name": "guarded", "version": "1"}},
    "resources/list": {"resources": [{"uri": "g://1", "name": "one"}]},
    "resources/templates/list": {"resourceTemplates": []},
    "resources/read": {"contents": [{"uri": "g://1", "text": "one"}]},
}


class Guarded(http.server.BaseHTTPRequestHandler):
    """An MCP server that accepts one bearer token."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != f"Bearer {self.server.token}":
            return self.say(401, {"error": "invalid_token"})
        if "id" not in message:
            return self.say(202, None)
        result = RESULTS.get(message["method"])
        outcome = {"result": result} if result else {"error": {"code": -32601, "message": "unknown method"}}
        return self.say(200, {"jsonrpc": "2.0", "id": message["id"], **outcome})

    def do_GET(self):
        self.say(405, None)

    do_DELETE = do_GET

    def say(self, status, document):
        body = json.dumps(document).encode() if document else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Guard(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __enter__(self):
        self.token = "good"
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def entry(self, token):
        return {"type": "http", "url": f"http://127.0.0.1:{self.server_port}/mcp", "auth": {"type": "bearer", "token": token}}


def guard():
    return Guard(("127.0.0.1", 0), Guarded)
