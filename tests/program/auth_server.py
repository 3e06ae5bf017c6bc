"""A protected MCP server and its authorization server in one process, over HTTP on loopback. Standard library only.

In a test: `with AuthServer() as a:` … a.url is the MCP endpoint; a.count counts what was asked for; the members set in
__init__ change its behaviour at any time. As a program it prints its URL and serves until it is killed:
auth_server.py [expires_in]. Authorization asks nobody: GET /authorize redirects back at once.
"""

import base64
import collections
import contextlib
import hashlib
import http.server
import json
import queue
import secrets
import stat
import sys
import threading
import time
import urllib.parse

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("test-tool", "slow-tool", "admin-tool")]
NEWEST = "2026-07-28"


class Refusal(Exception):
    """An answer other than the usual one: (status, body, headers). The body is JSON, bytes, or a function that writes
    the whole answer to a request handler. The value of a header may be a list: a header each."""


class AuthServer:
    """All state of both servers. Requests are handled one at a time under `lock`, except for their delays."""

    def __init__(self, port=0):
        self.expires_in = 3600  # of access tokens; None: the answer does not say
        self.gives_refresh_tokens = True
        self.challenge_scope = "mcp:basic"  # in the challenge of 401; None: none
        self.admin_scope = "mcp:admin"  # what admin-tool needs, in its 403
        self.token_error = None  # (status, body): the answer of /token
        self.token_delay_s = 0  # of /token and /revoke
        self.denies = False  # the person says no at /authorize
        self.is_open = False  # the MCP endpoint wants no token
        self.is_silent = False  # no metadata is published, and there is no registration
        self.device_polls = None  # the device flow: the person enters the code after so many polls; None: not offered
        self.revokes = True  # there is a revocation endpoint
        self.machine = None  # (client id, secret) of a client with the grant client_credentials
        self.delayed = threading.Event()  # a request is being delayed, or was
        self.opened = threading.Event()  # slow-tool answers when it is set
        self.count = collections.Counter()  # "mcp", "mcp 401", "mcp 403", "prm", "asm", "register", "authorize",
        # "code", "refresh", "replay" (an old refresh token), "revoke", "device", "call NAME", "read URI"
        self.asked_scopes = []  # of each /authorize
        self.requests = []  # (method, path, headers) of each request to the MCP endpoint
        self.messages = []  # the JSON-RPC messages in them
        self.clients, self.codes, self.access, self.refresh, self.old = {}, {}, {}, {}, set()
        self.devices = {}  # device code -> [polls left, client, scope]
        self.events = queue.Queue()  # of the stream at /sse; None ends it
        self.lock = threading.RLock()
        handler = type("Handler", (_Handler,), {"auth": self})
        self.httpd = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.httpd.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self.httpd.server_address[1]}"
        self.url = self.resource = self.origin + "/mcp"

    def __enter__(self):
        threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.opened.set()
        self.events.put(None)
        self.httpd.shutdown()
        self.httpd.server_close()

    # ---- what a test does to it

    def expire(self):
        """All access tokens are invalid from now on; refresh tokens are not."""
        with self.lock:
            self.access.clear()

    def forget(self):
        """All tokens are invalid from now on."""
        with self.lock:
            self.access.clear()
            self.old |= set(self.refresh)
            self.refresh.clear()

    def grant(self, scope="mcp:basic", expires_in=None):
        """A token answer made without a request, for tests that write a login themselves."""
        with self.lock:
            return self._tokens({"client": "c-test", "scope": scope}, expires_in)

    # ---- the authorization server

    def _tokens(self, of, expires_in=None):
        life = expires_in if expires_in is not None else self.expires_in
        token = "at-" + secrets.token_urlsafe(16)
        self.access[token] = {**of, "until": time.time() + (life if life is not None else 3600)}
        answer = {"access_token": token, "token_type": "Bearer", "scope": of["scope"]}
        if life is not None:
            answer["expires_in"] = life
        if self.gives_refresh_tokens:
            answer["refresh_token"] = "rt-" + secrets.token_urlsafe(16)
            self.refresh[answer["refresh_token"]] = of
        return answer

    def register(self, body):
        self.count["register"] += 1
        asked = json.loads(body)
        client = f"c-{len(self.clients) + 1}"
        self.clients[client] = asked.get("redirect_uris", [])
        raise Refusal(201, {"client_id": client, "redirect_uris": self.clients[client],
                            "token_endpoint_auth_method": "none"})

    def authorize(self, query):
        self.count["authorize"] += 1
        self.asked_scopes.append(query.get("scope", ""))
        if query["redirect_uri"] not in self.clients.get(query["client_id"], ()):
            raise Refusal(400, {"error": "invalid_request", "error_description": "unknown client or redirect_uri"})
        answer = {"state": query["state"], "iss": self.origin}
        if self.denies:
            answer["error"] = "access_denied"
        elif query.get("code_challenge_method") != "S256" or query.get("resource") != self.resource:
            answer["error"] = "invalid_request"
        else:
            answer["code"] = secrets.token_urlsafe(16)
            self.codes[answer["code"]] = query
        raise Refusal(302, {}, {"Location": query["redirect_uri"] + "?" + urllib.parse.urlencode(answer)})

    def token(self, form):
        kind = form.get("grant_type")
        self.count["code" if kind == "authorization_code" else "refresh" if kind == "refresh_token" else "token"] += 1
        if self.token_error:
            raise Refusal(*self.token_error)
        if kind == "authorization_code":
            asked = self.codes.pop(form["code"], None)
            digest = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
            if not asked or digest.rstrip(b"=").decode() != asked["code_challenge"] or any(
                    form.get(k) != asked[k] for k in ("client_id", "redirect_uri", "resource")):
                raise Refusal(400, {"error": "invalid_grant"})
            return self._tokens({"client": form["client_id"], "scope": asked.get("scope", "")})
        if kind == "refresh_token":
            token = form["refresh_token"]
            if token in self.old:
                self.count["replay"] += 1
            of = self.refresh.pop(token, None)
            if not of or form.get("client_id") != of["client"]:
                raise Refusal(400, {"error": "invalid_grant"})
            self.old.add(token)
            return self._tokens(of)
        if kind == "client_credentials" and self.machine:
            if (form.get("client_id"), form.get("client_secret")) != self.machine:
                raise Refusal(401, {"error": "invalid_client"})
            tokens = self._tokens({"client": form["client_id"], "scope": form.get("scope", "")})
            return {k: v for k, v in tokens.items() if k != "refresh_token"}
        if kind == "urn:ietf:params:oauth:grant-type:device_code":
            device = self.devices.get(form["device_code"])
            if self.denies or not device:
                raise Refusal(400, {"error": "access_denied"})
            device[0] -= 1
            if device[0] >= 0:
                raise Refusal(400, {"error": "authorization_pending"})
            return self._tokens({"client": form["client_id"], "scope": self.devices.pop(form["device_code"])[1]})
        raise Refusal(400, {"error": "unsupported_grant_type"})

    def device(self, form):
        self.count["device"] += 1
        code = secrets.token_urlsafe(16)
        self.devices[code] = [self.device_polls, form.get("scope", "")]
        return {"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": self.origin + "/device",
                "expires_in": 60, "interval": 1}

    def revoke(self, form):
        self.count["revoke"] += 1
        self.access.pop(form["token"], None)
        self.refresh.pop(form["token"], None)
        return {}

    # ---- the MCP server

    def _challenge(self, **parameters):
        place = None if self.is_silent else self.origin + "/.well-known/oauth-protected-resource/mcp"
        known = {"resource_metadata": place, **parameters}
        return {"WWW-Authenticate": "Bearer " + ", ".join(f'{k}="{v}"' for k, v in known.items() if v)}

    def check(self, headers, message):
        """Raises the refusal of a request without a good token, or without the scope."""
        if self.is_open:
            return
        scheme, _, token = headers.get("Authorization", "").partition(" ")
        known = self.access.get(token) if scheme == "Bearer" else None
        if not known or known["until"] < time.time():
            self.count["mcp 401"] += 1
            raise Refusal(401, {"error": "invalid_token"}, self._challenge(
                error="invalid_token" if token else None, scope=self.challenge_scope))
        params = message.get("params", {})
        admin = params.get("name") == "admin-tool" or params.get("uri") == "x://admin"
        if admin and self.admin_scope not in known["scope"].split():
            self.count["mcp 403"] += 1
            raise Refusal(403, {}, self._challenge(error="insufficient_scope", scope=self.admin_scope))

    def result(self, message):
        method, params = message["method"], message.get("params", {})
        if method == "initialize":
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "resources": {}},
                    "serverInfo": {"name": "protected", "version": "1"}}
        if method == "server/discover":
            return {"supportedVersions": [NEWEST], "capabilities": {"tools": {}, "resources": {}},
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "protected", "version": "1"}}}
        if method == "tools/list":
            return {"tools": TOOLS}
        if method == "resources/list":
            return {"resources": [{"uri": uri, "name": uri[4:]} for uri in ("x://plain", "x://admin")]}
        if method == "resources/read":
            self.count["read " + params["uri"]] += 1
            return {"contents": [{"uri": params["uri"], "text": "text of " + params["uri"]}]}
        if method == "ping":
            return {}
        if method == "tools/call":
            self.count["call " + params["name"]] += 1
            return {"content": [{"type": "text", "text": "done: " + params["name"]}]}
        return None

    def mcp(self, method, headers, body):
        self.count["mcp"] += 1
        self.requests.append((method, "/mcp", dict(headers)))
        message = json.loads(body) if body else {}
        self.messages.append(message)
        self.check(headers, message)
        if method != "POST":
            raise Refusal(405, {})
        if "id" not in message:
            raise Refusal(202, None)
        result = self.result(message)
        if result is None:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown method"}}
        if "_meta" in message.get("params", {}) and headers.get("MCP-Protocol-Version") == NEWEST:
            result["resultType"] = "complete"
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    # ---- the same over HTTP+SSE, at /sse; one stream at a time

    def sse(self, headers):
        self.count["mcp"] += 1
        self.check(headers, {})
        self.events = queue.Queue()
        return self._stream

    def _stream(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        event, events = "event: endpoint\ndata: /messages\n\n", self.events
        while event:
            handler.wfile.write(event.encode())
            handler.wfile.flush()
            event = events.get()
        handler.close_connection = True

    def sse_message(self, headers, body):
        answer = self.mcp("POST", headers, body)
        self.events.put(f"event: message\ndata: {json.dumps(answer)}\n\n")
        raise Refusal(202, None)

    # ---- requests

    def get(self, path, query):
        if self.is_silent:
            raise Refusal(404, {})
        if path == "/.well-known/oauth-protected-resource/mcp":
            self.count["prm"] += 1
            return {"resource": self.resource, "authorization_servers": [self.origin]}
        if path == "/.well-known/oauth-authorization-server":
            self.count["asm"] += 1
            more = {"revocation_endpoint": self.origin + "/revoke"} if self.revokes else {}
            if self.device_polls is not None:
                more["device_authorization_endpoint"] = self.origin + "/device_authorization"
            return {"issuer": self.origin, "authorization_endpoint": self.origin + "/authorize", **more,
                    "token_endpoint": self.origin + "/token", "registration_endpoint": self.origin + "/register",
                    "response_types_supported": ["code"],
                    "grant_types_supported": ["authorization_code", "refresh_token"],
                    "token_endpoint_auth_methods_supported": ["client_secret_post"] if self.machine else ["none"],
                    "code_challenge_methods_supported": ["S256"],
                    "authorization_response_iss_parameter_supported": True}
        if path == "/authorize":
            self.authorize(query)
        raise Refusal(404, {})

    def post(self, path, body):
        form = {} if path == "/register" else dict(urllib.parse.parse_qsl(body.decode()))
        if path == "/device_authorization" and self.device_polls is not None:
            return self.device(form)
        if path == "/register" and not self.is_silent:
            self.register(body)
        if path == "/token":
            return self.token(form)
        if path == "/revoke" and self.revokes:
            return self.revoke(form)
        raise Refusal(404, {})

    def handle(self, method, target, headers, body):
        url = urllib.parse.urlsplit(target)
        if url.path in ("/token", "/revoke") and self.token_delay_s:
            self.delayed.set()
            time.sleep(self.token_delay_s)
        if b'"slow-tool"' in body and b'"tools/call"' in body:
            self.opened.wait(30)
        with self.lock:
            if url.path == "/mcp":
                return self.mcp(method, headers, body)
            if url.path == "/sse":
                return self.sse(headers)
            if url.path == "/messages":
                return self.sse_message(headers, body)
            if method == "POST":
                return self.post(url.path, body)
            return self.get(url.path, dict(urllib.parse.parse_qsl(url.query)))


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    auth = None

    def log_message(self, *_):
        pass

    def serve(self):
        with contextlib.suppress(ConnectionError):  # the client may have had enough
            self.answer()

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, headers = 200, {}
        try:
            answer = self.auth.handle(self.command, self.path, self.headers, body)
        except Refusal as refusal:
            status, answer, *more = refusal.args
            headers = more[0] if more else {}
        if callable(answer):
            answer(self)
            return
        data = b"" if answer is None else answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(data), **headers}.items():
            for each in value if isinstance(value, list) else [value]:
                self.send_header(name, str(each))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = serve


def browser(folder):
    """Writes a program for $BROWSER that opens the URL as a browser does, and notes it in the file `opened` beside it.
    Returns the paths of both."""
    program, opened = folder / "browser.py", folder / "opened"
    program.write_text(f"#!{sys.executable}\nimport sys, urllib.request\nopen({str(opened)!r}, 'a').write(sys.argv[1] + '\\n')\n"
                       "print(urllib.request.urlopen(sys.argv[1], timeout=20).status)\n")
    program.chmod(stat.S_IRWXU)
    return program, opened


if __name__ == "__main__":
    with AuthServer() as served:
        if len(sys.argv) > 1:
            served.expires_in = int(sys.argv[1])
        print(served.url, flush=True)
        threading.Event().wait()
