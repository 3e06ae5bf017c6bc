"""Hostile servers and authorization servers: each row changes one answer of auth_server.py. Whatever they send, a command
ends with a message and its exit status, after few requests; nothing secret is printed, and nothing goes elsewhere."""

import concurrent.futures
import dataclasses
import json
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import typing
import urllib.parse

from auth_server import AuthServer, browser, Refusal
from harness import gateway, main, PATIENCE_S, run, server as local_server, Session, test, until, write_config

SECRET = re.compile(r"\b(at|rt|code|csec)-[\w-]{8,}")
HOST_OF_NOBODY = "http://127.0.0.1:1"
MEBIBYTE = 1 << 20


class Hostile(AuthServer):
    """`twist` names what is changed: prm, asm, register, token, refresh, device, poll (the answer), authorize (the parameters that the
    browser brings back), challenge (headers of 401 and 403), check (of a request to the MCP endpoint). A twist gets the
    usual answer and returns another one, or raises a Refusal."""

    def __init__(self, **twist):
        super().__init__()
        self.twist, self.sent, self.forms = twist, 0, []
        self.seen = []  # seen: (method, target, headers, body) of all requests

    def handle(self, method, target, headers, body):
        self.seen.append((method, target, dict(headers), body))
        return super().handle(method, target, headers, body)

    def secrets(self):
        """What has been sent in either direction and must not be shown."""
        names = ("code", "code_verifier", "client_secret", "refresh_token", "access_token")
        return {*self.access, *self.refresh, *self.old, *self.codes, *(v for f in self.forms for k, v in f.items() if k in names)}

    def twisted(self, name, answer):
        return self.twist[name](self, answer) if name in self.twist else answer

    def get(self, path, query):
        names = {"/.well-known/oauth-protected-resource/mcp": "prm", "/.well-known/oauth-authorization-server": "asm"}
        answer = super().get(path, query)
        return self.twisted(names[path], answer) if path in names else answer

    def register(self, body):
        try:
            super().register(body)
        except Refusal as usual:
            status, answer, *_ = usual.args
            raise Refusal(status, self.twisted("register", answer)) from None

    def authorize(self, query):
        try:
            super().authorize(query)
        except Refusal as usual:
            if usual.args[0] != 302:
                raise
            back = urllib.parse.urlsplit(usual.args[2]["Location"])
            parameters = self.twisted("authorize", dict(urllib.parse.parse_qsl(back.query)))
            text = parameters if isinstance(parameters, str) else urllib.parse.urlencode(parameters)
            raise Refusal(302, {}, {"Location": f"{back.scheme}://{back.netloc}{back.path}?{text}"}) from None

    def token(self, form):
        self.forms.append(form)
        kind = form.get("grant_type", "")
        if kind.endswith("device_code") and "poll" in self.twist:
            self.count["token"] += 1
            return self.twisted("poll", None)
        return self.twisted("refresh" if kind == "refresh_token" else "token", super().token(form))

    def device(self, form):
        return self.twisted("device", {**super().device(form), "interval": 1})

    def _challenge(self, **parameters):
        return self.twisted("challenge", super()._challenge(**parameters))

    def check(self, headers, message):
        self.twisted("check", message)  # raises, or not
        super().check(headers, message)


# ---- answers ----

def raw(body, status=200, **headers):
    """A twist: this body."""
    def answer(_server, _usual):
        raise Refusal(status, body if isinstance(body, bytes) else body.encode(),
                      {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}})
    return answer


def members(**changes):
    """A twist: the usual answer with other members; None removes one."""
    def answer(server, usual):
        filled = {k: v(server) if callable(v) else v for k, v in changes.items()}
        return {k: v for k, v in {**usual, **filled}.items() if v is not None}
    return answer


def endless(server, _usual):
    """A hundred megabytes, as far as somebody reads them."""
    def write(handler):
        handler.close_connection = True
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n")
        try:
            for _ in range(100):
                handler.wfile.write(b" " * 1000000)
                server.sent += 1000000
        except OSError:
            pass
    raise Refusal(200, write)


def dripping(server, _usual):
    """A byte now and then."""
    def write(handler):
        handler.close_connection = True
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
        try:
            for _ in range(400):
                handler.wfile.write(b" ")
                server.sent += 1
                time.sleep(0.1)
        except OSError:
            pass
    raise Refusal(200, write)


def to(place):
    """A twist: a redirect."""
    def answer(server, _usual):
        raise Refusal(302, {}, {"Location": place.replace("ORIGIN", server.origin)})
    return answer


def challenge(*values):
    """A twist: these WWW-Authenticate headers."""
    def answer(server, _usual):
        return {"WWW-Authenticate": [v.replace("ORIGIN", server.origin) for v in values]}
    return answer


def doubled(name, other="x"):
    """A twist of the parameters that come back: one of them twice, the right one first."""
    return lambda _server, usual: urllib.parse.urlencode(usual) + "&" + urllib.parse.urlencode({name: other})


# ---- rows ----

@dataclasses.dataclass
class Row:
    name: str
    twist: dict
    status: int  # of the command
    says: typing.Any = ()  # texts of stderr
    never: tuple = ()  # kinds of requests that are not made: prm, asm, register, authorize, code, refresh
    hides: tuple = ()  # texts that nobody sees
    limit: int = 25  # of requests
    more: tuple = ()  # arguments
    check: typing.Any = None  # check(server, done)


AT_REGISTRATION = ("register", "authorize", "code")
AT_DISCOVERY = ("asm", *AT_REGISTRATION)


def sent_little(server, _done):
    assert server.sent < 32 * MEBIBYTE, server.sent


def scope_is(text):
    def check(server, _done):
        assert server.asked_scopes == [text], server.asked_scopes
    return check


PRM = "ORIGIN/.well-known/oauth-protected-resource/mcp"

METADATA = [
    Row("prm of 100 MB", {"prm": endless}, 5, "the answer is larger than 1048576 bytes", AT_DISCOVERY, check=sent_little),
    Row("prm drips", {"prm": dripping}, 6, "no complete answer within 10 s", AT_DISCOVERY),
    Row("prm is html", {"prm": raw("<html>")}, 4, "JSON", AT_DISCOVERY),
    Row("prm is empty", {"prm": raw("")}, 4, (), AT_DISCOVERY),
    Row("prm is a list", {"prm": raw("[]")}, 4, (), AT_DISCOVERY),
    Row("prm is nested", {"prm": raw('{"resource":' + "[" * 100000 + "]" * 100000 + "}")}, 4, (), AT_DISCOVERY),
    Row("prm has a member twice", {"prm": raw('{"resource":"a","resource":"b"}')}, 4, "resource", AT_DISCOVERY),
    Row("prm has escape sequences", {"prm": members(resource="http://\x1b[31m/")}, 4, (), AT_DISCOVERY, ("\x1b",)),
    Row("prm has status 500", {"prm": raw("{}", 500)}, 4, "HTTP status 500", AT_DISCOVERY),
    Row("prm moves to another port", {"prm": to("http://127.0.0.1:1/x")}, 4, "redirected to another origin", AT_DISCOVERY),
    Row("prm moves to a metadata service", {"prm": to("http://169.254.169.254/latest/meta-data/")}, 4,
        "redirected to another origin", AT_DISCOVERY),
    Row("prm moves to a file", {"prm": to("file:///etc/passwd")}, 4, "redirected", AT_DISCOVERY, ("root:",)),
    Row("prm moves to a script", {"prm": to("javascript:alert(1)")}, 4, "redirected", AT_DISCOVERY),
    Row("prm moves with credentials", {"prm": to("ORIGIN".replace("//", "//u:p@") + "/x")}, 4, (), AT_DISCOVERY),
    Row("prm moves for ever", {"prm": to(PRM)}, 4, "redirected more than 3 times", AT_DISCOVERY),
    Row("prm of another origin", {"prm": members(resource="https://mcp.example/mcp")}, 4, "https://mcp.example/mcp",
        AT_DISCOVERY),
    Row("prm of another port", {"prm": members(resource="http://127.0.0.1:1/mcp")}, 4, (), AT_DISCOVERY),
    Row("prm of a neighbour", {"prm": members(resource=lambda s: s.origin + "/mc")}, 4, (), AT_DISCOVERY),
    Row("prm of a longer path", {"prm": members(resource=lambda s: s.origin + "/mcp/x")}, 4, (), AT_DISCOVERY),
    Row("prm with a fragment", {"prm": members(resource=lambda s: s.origin + "/mcp#x")}, 4, (), AT_DISCOVERY),
    Row("prm without a resource", {"prm": members(resource=None)}, 4, "resource", AT_DISCOVERY),
    Row("prm without an issuer", {"prm": members(authorization_servers=[])}, 4, (), AT_DISCOVERY),
    Row("prm with a number as issuer", {"prm": members(authorization_servers=[1])}, 4, "authorization_servers", AT_DISCOVERY),
    Row("prm with a text as issuers", {"prm": members(authorization_servers="https://as.example")}, 4,
        "authorization_servers", AT_DISCOVERY),
    Row("prm with a script as issuer", {"prm": members(authorization_servers=["javascript:alert(1)"])}, 4, (), AT_DISCOVERY),
    Row("prm with a plain issuer", {"prm": members(authorization_servers=["http://as.example"])}, 4, (), AT_DISCOVERY),
    Row("prm with a metadata service as issuer", {"prm": members(authorization_servers=["http://169.254.169.254"])}, 4, (),
        AT_DISCOVERY),
    Row("prm with a hundred thousand issuers", {"prm": members(authorization_servers=["https://as.example"] * 40000)}, 4, (),
        AT_DISCOVERY),
    Row("prm with line breaks in scopes", {"prm": members(scopes_supported=["a\r\nX-Evil: 1", "\x1b[2J"]), "challenge":
        challenge("Bearer")}, 4, "scope", ("authorize", "code"), ("\x1b", "\nX-Evil")),
    Row("prm with numbers as scopes", {"prm": members(scopes_supported=[7])}, 4, "scopes_supported", AT_DISCOVERY),
    Row("asm of 100 MB", {"asm": endless}, 5, "the answer is larger than 1048576 bytes", AT_REGISTRATION, check=sent_little),
    Row("asm is html", {"asm": raw("<html><script>alert(1)</script>")}, 4, (), AT_REGISTRATION),
    Row("asm moves away", {"asm": to("http://127.0.0.1:1/x")}, 4, "redirected to another origin", AT_REGISTRATION),
    Row("asm of another issuer", {"asm": members(issuer="https://evil.example")}, 4, "https://evil.example", AT_REGISTRATION),
    Row("issuer with a slash", {"asm": members(issuer=lambda s: s.origin + "/")}, 4, (), AT_REGISTRATION),
    Row("issuer in capitals", {"asm": members(issuer=lambda s: s.origin.upper())}, 4, (), AT_REGISTRATION),
    Row("issuer with another scheme", {"asm": members(issuer=lambda s: s.origin.replace("http", "https"))}, 4, (),
        AT_REGISTRATION),
    Row("issuer with an escape", {"asm": members(issuer=lambda s: s.origin + "/%2e")}, 4, (), AT_REGISTRATION),
    Row("issuer with foreign letters", {"asm": members(issuer=lambda s: s.origin.replace("1", "１"))}, 4, (),
        AT_REGISTRATION),
    Row("issuer is missing", {"asm": members(issuer=None)}, 4, "issuer", AT_REGISTRATION),
    Row("issuer is a list", {"asm": members(issuer=["x"])}, 4, "issuer", AT_REGISTRATION),
    *[Row(f"authorization endpoint {i}", {"asm": members(authorization_endpoint=url)}, 4 if url else 5, (), AT_REGISTRATION)
      for i, url in enumerate(("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://as.example/authorize",
                               "https://u:p@as.example/a", "https://as.example/a#x", "https://as.example/a\r\nX: y",
                               "https://as.example/a b", "--help", "/authorize", "", "https://as.example/\x1b[2J",
                               "https:///authorize", "https://as.example:99999/a"))],
    Row("authorization endpoint is a number", {"asm": members(authorization_endpoint=1)}, 4, "authorization_endpoint",
        AT_REGISTRATION),
    Row("token endpoint is plain", {"asm": members(token_endpoint="http://169.254.169.254/token")}, 4, (), AT_REGISTRATION),
    Row("token endpoint is missing", {"asm": members(token_endpoint=None)}, 5, "no token endpoint", AT_REGISTRATION),
    Row("registration endpoint is a file", {"asm": members(registration_endpoint="file:///tmp/x")}, 4, (), AT_REGISTRATION),
    Row("no pkce", {"asm": members(code_challenge_methods_supported=None)}, 5, "S256", AT_REGISTRATION),
    Row("plain pkce", {"asm": members(code_challenge_methods_supported=["plain"])}, 5, "S256", AT_REGISTRATION),
    Row("no code flow", {"asm": members(response_types_supported=["token"])}, 5, "code", AT_REGISTRATION),
]

CHALLENGES = [
    Row("ten challenges", {"challenge": challenge(
        "Basic realm=x", "Negotiate", 'Digest qop="auth", nonce="a,b=c", resource_metadata="http://127.0.0.1:1/d"', "NTLM",
        "token68== ", ", ,", 'Bearer realm="\\"x, Bearer y=\\"", scope="a b"', "Other a=b, Mutual", "Basic",
        f'bEaReR RESOURCE_METADATA="{PRM}"')}, 0, check=scope_is("a b")),
    Row("challenges in one line", {"challenge": challenge(
        f'Basic realm="a\\"", Custom abc==, bearer scope = "x" , resource_metadata = "{PRM}", Basic')}, 0, check=scope_is("x")),
    Row("no challenge at all", {"challenge": lambda *_: {}}, 0, check=scope_is("")),
    Row("a torn challenge", {"challenge": challenge('Bearer scope="a b, resource_metadata=')}, 0),
    Row("a long challenge", {"challenge": challenge("Bearer realm=" + "x" * 40000)}, 5, "headers of the answer are larger",
        ("prm", *AT_DISCOVERY)),
    Row("scopes with more parameters", {"challenge": challenge('Bearer scope="a&redirect_uri=https://evil.example/#"')}, 0,
        check=scope_is("a&redirect_uri=https://evil.example/#")),
    Row("scopes with escape sequences", {"challenge": challenge('Bearer scope="a\x1b[2Jb \x07"')}, 0, hides=("\x1b", "\x07"),
        check=scope_is("")),
    Row("scopes with quotes", {"challenge": challenge('Bearer scope="a\\"b \\\\"')}, 0, check=scope_is("")),
    Row("a hundred kilobytes of scopes", {"challenge": challenge('Bearer scope="' + "x " * 12000 + '"')}, 0,
        check=scope_is("")),
    *[Row(f"metadata at {i}", {"challenge": challenge(f'Bearer resource_metadata="{url}"')}, 4, (), ("prm", *AT_DISCOVERY))
      for i, url in enumerate(("javascript:alert(1)", "file:///etc/passwd", "http://169.254.169.254/latest/", "/relative",
                               "http://mcp.example/x", "https://u:p@mcp.example/", "http://127.0.0.1:1/x", "gopher://x/"))],
]

REGISTRATION = [
    Row("no client id", {"register": members(client_id=None)}, 4, "client_id", ("authorize", "code")),
    Row("a client id with line breaks", {"register": members(client_id="a\r\nX: y")}, 4, "client_id", ("authorize", "code")),
    Row("a client id of a megabyte", {"register": members(client_id="x" * 900000)}, 4, "client_id", ("authorize", "code")),
    Row("a client id that is a number", {"register": members(client_id=7)}, 4, "client_id", ("authorize", "code")),
    Row("a secret with control characters", {"register": members(client_secret="csec-12345678\n\x1b")}, 4, "client_secret",
        ("authorize", "code")),
    Row("registration is html", {"register": raw("<html>", 201)}, 4, (), ("authorize", "code")),
    Row("registration of 100 MB", {"register": endless}, 5, "larger than 1048576 bytes", ("authorize", "code"),
        check=sent_little),
    Row("registration moves away", {"register": raw("", 307, Location=HOST_OF_NOBODY)}, 3, "307", ("authorize", "code")),
    Row("registration fails with html", {"register": raw("<h1>\x1b[31mcsec-12345678</h1>", 500)}, 4, "500", ("authorize", "code"),
        ("\x1b",)),
]

ANSWERS = [
    Row("two states", {"authorize": doubled("state")}, 4, "state", ("code",)),
    Row("two codes", {"authorize": doubled("code")}, 4, "code", ("code",)),
    Row("two issuers", {"authorize": doubled("iss", "https://evil.example")}, 4, "iss", ("code",)),
    Row("two errors", {"authorize": lambda s, q: urllib.parse.urlencode(q) + "&error=a&error=b"}, 4, "error", ("code",)),
    Row("a wrong state", {"authorize": members(state="x" * 22)}, 6, (), ("code",), more=("--timeout", 2)),
    Row("no state", {"authorize": members(state=None)}, 6, (), ("code",), more=("--timeout", 2)),
    Row("the wrong state first", {"authorize": lambda s, q: "state=x&" + urllib.parse.urlencode(q)}, 6, (), ("code",),
        more=("--timeout", 2)),
    Row("no code", {"authorize": members(code=None)}, 4, "no code", ("code",)),
    Row("an empty code", {"authorize": members(code="")}, 4, "no code", ("code",)),
    Row("a malformed code", {"authorize": lambda s, q: "code=%zz&state=" + q["state"]}, 4, "code", ("code",)),
    Row("a wrong issuer", {"authorize": members(iss="https://evil.example")}, 3, "is not from", ("code",)),
    Row("an issuer with a slash", {"authorize": lambda s, q: {**q, "iss": q["iss"] + "/"}}, 3, "is not from", ("code",)),
    Row("no issuer", {"authorize": members(iss=None)}, 3, "does not name", ("code",)),
    Row("an error of another issuer", {"authorize": members(iss="https://evil.example", error="access_denied",
        error_description="call 555-1234")}, 3, "is not from", ("code",), ("555-1234", "access_denied")),
    Row("an error with html and escape sequences", {"authorize": members(
        code=None, error="access_denied", error_description="<script>x</script>\x1b[2J\x07\r\nSet-Cookie: a")}, 3,
        "access_denied", ("code",), ("\x1b", "\x07", "\nSet-Cookie")),
    Row("an error of thirty kilobytes", {"authorize": members(code=None, error="e" * 10000, error_description="d" * 20000)}, 3,
        (), ("code",), ("e" * 2000, "d" * 2000)),
]

TOKENS = [
    Row("a token answer in html", {"token": raw("<html>at-1234567890")}, 4, ()),
    Row("an empty token answer", {"token": raw("")}, 4, ()),
    Row("a token answer of 100 MB", {"token": endless}, 5, "larger than 1048576 bytes", check=sent_little),
    Row("a token answer that moves", {"token": raw("", 307, Location=HOST_OF_NOBODY)}, 3, "HTTP 307"),
    Row("no token", {"token": members(access_token=None)}, 4, "access_token"),
    Row("an empty token", {"token": members(access_token="")}, 4, "access_token"),
    Row("a token that is a list", {"token": members(access_token=["at-1234567890"])}, 4, "access_token"),
    *[Row(f"a token with {name}", {"token": members(access_token="at-1234567890" + text)}, 4, "access_token")
      for name, text in (("line breaks", "\r\nX-Evil: 1"), ("a space", " x"), ("NUL", "\0"), ("escape", "\x1b"),
                         ("umlauts", "äöü"), ("delete", "\x7f"))],
    Row("a token of a megabyte", {"token": members(access_token="x" * 1000000)}, 4, "access_token"),
    Row("two tokens", {"token": raw('{"access_token":"at-1234567890","access_token":"at-2345678901","token_type":"Bearer"}')},
        4, "access_token"),
    Row("no token type", {"token": members(token_type=None)}, 4, "Bearer"),
    Row("a strange token type", {"token": members(token_type="mac")}, 4, ("mac",)),
    Row("a refresh token with line breaks", {"token": members(refresh_token="rt-1234567890\n")}, 4, "refresh_token"),
    Row("scopes with control characters", {"token": members(scope="a\x1b[2J")}, 4, "scope", hides=("\x1b",)),
    *[Row(f"expires_in {json.dumps(value)}", {"token": members(expires_in=value)}, status)
      for value, status in (("3600", 0), (0, 0), (-1, 0), (True, 4), ({}, 4), ("soon", 4), (1e99, 0), (2 ** 70, 0),
                            (3600.5, 0))],
    Row("an echo of what is secret", {"token": lambda s, _: (_ for _ in ()).throw(Refusal(400, {
        "error": "invalid_request", "error_description": "bad: " + json.dumps(s.forms[-1])}))}, 3),
    Row("an error with escape sequences", {"token": raw(json.dumps({"error": "x\x1b[2J", "error_description": "\x9b31m\x07"}),
        400)}, 3, hides=("\x1b", "\x9b", "\x07")),
    Row("an error in html", {"token": raw("<h1>\x1b[31m" + "x" * 5000, 400)}, 3, hides=("\x1b", "x" * 1000)),
    Row("an error with status 500", {"token": raw("oops", 500)}, 4),
]


WITH_DPOP = {"asm": members(dpop_signing_alg_values_supported=["ES256"]),
             "challenge": challenge(f'DPoP algs="ES256", resource_metadata="{PRM}"')}


def nonce(status, value):
    """A twist: another nonce is wanted, each time."""
    def answer(server, _usual):
        server.n_nonces = getattr(server, "n_nonces", 0) + 1
        raise Refusal(status, {"error": "use_dpop_nonce"}, {
            "DPoP-Nonce": value.format(server.n_nonces),
            "WWW-Authenticate": f'DPoP error="use_dpop_nonce", resource_metadata="{PRM.replace("ORIGIN", server.origin)}"'})
    return answer


def few_nonces(server, _done):
    assert 1 <= server.n_nonces <= 5, server.n_nonces


NONCES = [
    Row("a new nonce for each token request", {**WITH_DPOP, "token": nonce(400, "n{}")}, 3, check=few_nonces),
    Row("the same nonce for each token request", {**WITH_DPOP, "token": nonce(400, "same")}, 3, check=few_nonces),
    Row("a nonce with control characters", {**WITH_DPOP, "token": nonce(400, "a\x1bb\x07")}, 3, hides=("\x1b",), check=few_nonces),
    Row("a nonce of ten kilobytes", {**WITH_DPOP, "token": nonce(400, "n" * 10000)}, 3, hides=("n" * 600,), check=few_nonces),
    Row("a token that is not bound", {**WITH_DPOP, "token": members(token_type="Bearer")}, 0),
]


@test
def a_server_may_want_nonces_for_ever(folder):
    """The server wants another nonce for each request with a token."""
    with Hostile(**WITH_DPOP, token=members(token_type="DPoP"), check=nonce(401, "n{}")) as server:
        done = login(folder, server)
        assert done.returncode == 3 and "Logged in" not in done.stdout, (done.stdout, done.stderr)
        assert server.count["authorize"] == 1 and sum(requests_of(server).values()) <= 20, server.count


PENDING = raw('{"error":"authorization_pending"}', 400)
SLOW = raw('{"error":"slow_down"}', 400)


def polls(least, most):
    def check(server, _done):
        assert least <= len(server.forms) <= most, len(server.forms)
    return check


DEVICES = [
    Row("a script as verification", {"device": members(verification_uri="javascript:alert(1)")}, 4, (), ("token",)),
    Row("a plain verification", {"device": members(verification_uri="http://as.example/")}, 4, (), ("token",)),
    Row("a whole verification that is a script", {"device": members(verification_uri_complete="javascript:alert(1)")}, 4, (),
        ("token",)),
    Row("a user code with escape sequences", {"device": members(user_code="A\x1b[2JB\r\nC")}, 4, "user_code", ("token",),
        ("\x1b", "A\r\nC")),
    Row("a user code of a megabyte", {"device": members(user_code="x" * 1000000)}, 4, "user_code", ("token",), ("x" * 100,)),
    Row("no device code", {"device": members(device_code=None)}, 4, "device_code", ("token",)),
    Row("a device code with line breaks", {"device": members(device_code="a\r\nb")}, 4, "device_code", ("token",)),
    Row("codes that have expired", {"device": members(expires_in=0)}, 4, "expires_in", ("token",)),
    Row("codes in html", {"device": raw("<html>")}, 4, (), ("token",)),
    Row("codes of 100 MB", {"device": endless}, 5, "larger than 1048576 bytes", ("token",), check=sent_little),
    Row("no pause between polls", {"device": members(interval=0), "poll": PENDING}, 6, (), (), more=("--timeout", 9),
        check=polls(1, 2)),
    Row("a negative pause", {"device": members(interval=-5), "poll": PENDING}, 6, (), (), more=("--timeout", 9),
        check=polls(1, 2)),
    Row("a pause of years", {"device": members(interval=10 ** 9)}, 6, (), ("token",), more=("--timeout", 3)),
    Row("always slower", {"device": members(interval=1), "poll": SLOW}, 6, (), (), more=("--timeout", 9), check=polls(1, 3)),
    Row("polls in html", {"poll": raw("<html>")}, 4),
]


def run_device(row):
    """A login with a code instead of a browser here."""
    with tempfile.TemporaryDirectory(prefix="mcptools-test-") as name, Hostile(**row.twist) as server:
        folder = pathlib.Path(name)
        server.device_polls = 0
        verify(row, folder, server, login(folder, server, "--device", *row.more))


def requests_of(server):
    return {k: n for k, n in server.count.items() if k in ("mcp", "prm", "asm", "register", "authorize", "code", "refresh",
                                                           "token")}


def login(folder, server, *more):
    write_config(folder, {"notes": {"url": server.url}})
    return run(folder, "login", "notes", *more, env={"BROWSER": str(browser(folder)[0]), "no_proxy": "*"}, timeout=2 * PATIENCE_S)


def stored(folder):
    state = folder / ".local" / "state" / "mcptools"
    return "".join(p.read_text(errors="replace") for p in state.rglob("*") if p.is_file()) if state.exists() else ""


def verify(row, folder, server, done, stores=False):
    shown = done.stdout + done.stderr
    assert done.returncode == row.status, (done.returncode, shown)
    for text in (row.says,) if isinstance(row.says, str) else row.says:
        assert text in shown, (text, shown)
    made = requests_of(server)
    assert not [kind for kind in row.never if made.get(kind)], made
    assert sum(made.values()) <= row.limit, made
    assert made.get("authorize", 0) <= 3, made
    for text in row.hides:
        assert text not in shown, (text, shown)
    assert not SECRET.search(shown), SECRET.search(shown)
    leaked = [text for text in server.secrets() if text in shown]
    assert not leaked, (leaked, shown)
    if row.status and not stores:
        assert "Logged in" not in shown and "access_token" not in stored(folder), shown
    if row.check:
        row.check(server, done)


def run_row(row):
    with tempfile.TemporaryDirectory(prefix="mcptools-test-") as name, Hostile(**row.twist) as server:
        folder = pathlib.Path(name)
        verify(row, folder, server, login(folder, server, *row.more))


def run_rows(rows, run_one):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        waiting = [(row, pool.submit(run_one, row)) for row in rows]
    failed = [f"{row.name}: {wait.exception()!r}" for row, wait in waiting if wait.exception()]
    assert not failed, f"{len(failed)} of {len(rows)}:\n" + "\n".join(failed)


def add_rows(name, rows, run_one=run_row):
    def check(_folder):
        run_rows(rows, run_one)
    check.__name__ = name
    test(check)


# ---- after a login ----

def logged_in(folder, server):
    done = login(folder, server)
    assert done.returncode == 0, (done.stdout, done.stderr)
    server.count.clear()
    server.seen.clear()


def call(folder, *more):
    """A call without a person: the browser may not be opened."""
    program = folder / "no-browser"
    program.write_text(f"#!/bin/sh\necho opened > {folder}/opened-browser\n")
    program.chmod(0o700)
    done = run(folder, "call", "notes.test-tool", *more, env={"BROWSER": str(program), "no_proxy": "*"}, timeout=2 * PATIENCE_S)
    assert not (folder / "opened-browser").exists(), done.stderr
    assert not SECRET.search(done.stdout + done.stderr), (done.stdout, done.stderr)
    return done


def refuse_always(server, message):
    raise Refusal(401, {"error": "invalid_token"}, server._challenge(error="invalid_token"))


def refuse_scope(server, _message):
    raise Refusal(403, {}, server._challenge(error="insufficient_scope", scope="more"))


def refuse_more_scopes(server, _message):
    server.wanted = getattr(server, "wanted", 0) + 1
    raise Refusal(403, {}, server._challenge(error="insufficient_scope", scope=f"more-{server.wanted}"))


def refuse_with_secrets(server, _message):
    raise Refusal(401, b"<h1>\x1b[31mat-0123456789</h1>" + b"x" * 5000000, {"Content-Type": "text/html"})


LOOPS = [
    Row("401 for ever", {"check": refuse_always}, 3),
    Row("401 for ever without a challenge", {"check": lambda s, _: (_ for _ in ()).throw(Refusal(401, {}))}, 3),
    Row("401 with a page", {"check": refuse_with_secrets}, 3, hides=("\x1b", "x" * 2000)),
    Row("403 for ever", {"check": refuse_scope}, 3),
    Row("403 with other scopes each time", {"check": refuse_more_scopes}, 3),
    Row("403 without a challenge", {"check": lambda s, _: (_ for _ in ()).throw(Refusal(403, {}))}, 3),
]


def run_loop(row):
    """The server refuses from the beginning, and in the second half after a login that worked."""
    with tempfile.TemporaryDirectory(prefix="mcptools-test-") as name, Hostile(**row.twist) as server:
        folder = pathlib.Path(name)
        done = login(folder, server)
        shown = done.stdout + done.stderr
        assert done.returncode and "Logged in to" not in shown, shown
        assert server.count["authorize"] <= 3 and sum(requests_of(server).values()) <= 40, server.count
    with tempfile.TemporaryDirectory(prefix="mcptools-test-") as name, Hostile() as server:
        folder = pathlib.Path(name)
        logged_in(folder, server)
        server.twist = row.twist
        verify(row, folder, server, call(folder), stores=True)
        assert not server.count["authorize"] and not server.count["register"], server.count


RENEWALS = [
    Row("a renewal in html", {"refresh": raw("<html>")}, 3),
    Row("a renewal without a token", {"refresh": members(access_token=None)}, 3),
    Row("a renewal of 100 MB", {"refresh": endless}, 3, check=sent_little),
    Row("a renewal that fails", {"refresh": lambda s, _: (_ for _ in ()).throw(
        Refusal(500, f"oops {s.forms[-1]}".encode()))}, 3),
    Row("a renewal that moves", {"refresh": raw("", 307, Location=HOST_OF_NOBODY)}, 3),
    Row("a renewal with another type", {"refresh": members(token_type="mac")}, 3),
    Row("a renewal with a broken token", {"refresh": members(access_token="a\r\nb")}, 3),
    Row("a renewal that repeats what is secret", {"refresh": lambda s, _: (_ for _ in ()).throw(Refusal(400, {
        "error": "invalid_request", "error_description": json.dumps(s.forms[-1])}))}, 3),
    Row("a renewal that is refused", {"refresh": raw('{"error":"invalid_grant"}', 400)}, 3),
    Row("a renewal that drips", {"refresh": dripping}, 3),
]


def run_renewal(row):
    with tempfile.TemporaryDirectory(prefix="mcptools-test-") as name, Hostile() as server:
        folder = pathlib.Path(name)
        logged_in(folder, server)
        server.expire()
        server.twist = row.twist
        verify(row, folder, server, call(folder), stores=True)
        assert 1 <= server.count["refresh"] <= 2 and not server.count["authorize"], server.count
        refused = "refused" in row.name
        assert ("refresh_token" in stored(folder)) != refused, stored(folder)
        server.twist = {}
        if not refused:  # what fails for a while is tried again
            server.refresh.update({server.forms[-1]["refresh_token"]: {"client": server.forms[-1]["client_id"], "scope": ""}})
            server.old.clear()
            assert call(folder).returncode == 0


def repeat_token(status):
    """A twist: a refusal that repeats the token, in the challenge and in the body."""
    def check(server, _message):
        token = next(iter(server.access), "")
        raise Refusal(status, {"error": f"bad token {token}"},
                      server._challenge(error="invalid_token", error_description=f"bad token {token}"))
    return check


@test
def a_token_that_the_server_repeats_is_not_shown(folder):
    for status in 400, 401, 403, 500:
        with Hostile() as server, tempfile.TemporaryDirectory(prefix="mcptools-test-", dir=folder) as name:
            logged_in(pathlib.Path(name), server)
            server.gives_refresh_tokens = False
            server.twist = {"check": repeat_token(status), "refresh": raw("{}", 503)}
            done = call(pathlib.Path(name))
            assert done.returncode and not SECRET.search(done.stdout + done.stderr), (status, done.stderr)
            assert status in (401,) or "bad token ***" in done.stderr, (status, done.stderr)


@test
def clients_of_a_gateway_do_not_multiply_refusals(folder):
    """Each call of a client may be refused; what follows a refusal happens once for all."""
    with Hostile() as server:
        logged_in(folder, server)
        with gateway(folder, env={"no_proxy": "*"}) as g:
            g.wait_ready()
            s = Session(g)
            server.forget()
            server.count.clear()
            with concurrent.futures.ThreadPoolExecutor(10) as pool:
                answers = list(pool.map(lambda n: s.post("tools/call", {"name": "notes__test-tool", "arguments": {}}, n), range(60)))
            assert all(b"mcptools login notes" in body for _, _, body in answers), answers
            assert server.count["refresh"] <= 2 and not server.count["authorize"] and not server.count["register"], server.count
            assert server.count["prm"] <= 10 and server.count["asm"] <= 10 and server.count["mcp"] <= 80, server.count


# ---- where credentials go ----

def went_to(server, text):
    """What carried the text to the server."""
    return [(method, target) for method, target, headers, body in server.seen
            if text in target or text.encode() in body or any(text in v for v in headers.values())]


def is_free_of(server, *texts):
    for text in texts:
        assert not went_to(server, text), (text, went_to(server, text))


def token_of(folder):
    done = run(folder, "auth", "token", "notes", env={"no_proxy": "*"})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@test
def tokens_stay_with_their_server(folder):
    with Hostile() as server, Hostile() as thief:
        logged_in(folder, server)
        token = token_of(folder)
        assert call(folder).returncode == 0
        assert went_to(server, token) and all(target == "/mcp" for _, target in went_to(server, token)), server.seen
        # the endpoint moves to another origin
        server.twist = {"check": lambda s, _: (_ for _ in ()).throw(Refusal(307, {}, {"Location": thief.url}))}
        assert call(folder).returncode == 4
        assert not thief.seen, thief.seen
        # the configuration names another server under the same name
        write_config(folder, {"notes": {"url": thief.url}})
        assert call(folder).returncode == 3
        assert thief.seen
        is_free_of(thief, token)


@test
def nothing_of_one_issuer_goes_to_another(folder):
    with Hostile(register=members(client_secret="csec-first-issuer"),
                 asm=members(token_endpoint_auth_methods_supported=["client_secret_post"])) as server, Hostile() as other:
        logged_in(folder, server)
        token = token_of(folder)
        client, refresh = next(iter(server.clients)), next(iter(server.refresh))
        other.resource, other.clients["c-0"] = server.url, []  # so that ids differ
        server.twist = {"prm": members(authorization_servers=[other.origin])}
        server.forget()
        done = call(folder)
        assert done.returncode == 3, done.stderr
        is_free_of(other, token, refresh, client, "csec-")
        done = login(folder, server)  # its tokens are refused by the server, which has not heard of them
        assert other.count["code"] == other.count["register"] == 1, (other.count, done.stderr)
        is_free_of(other, token, refresh, client + "&", "csec-")
        assert not any("csec-" in target for _, target, _, _ in server.seen)


@test
def headers_of_the_server_stay_there(folder):
    with Hostile(asm=lambda s, usual: {**usual, **{k: v.replace("127.0.0.1", "localhost") for k, v in usual.items()
                                                   if k == "token_endpoint"}}) as server:
        write_config(folder, {"notes": {"url": server.url, "headers": {"X-Key": "csec-of-the-server", "Cookie": "a=csec-cookie"}}})
        done = run(folder, "login", "notes", env={"BROWSER": str(browser(folder)[0]), "no_proxy": "*"})
        assert done.returncode == 0, done.stderr
        assert went_to(server, "csec-of-the-server") and all(
            target == "/mcp" for _, target in went_to(server, "csec-")), went_to(server, "csec-")
        for _, target, headers, _ in server.seen:
            names = {name.lower() for name in headers}
            if target != "/mcp" and not target.startswith("/authorize"):
                assert not [n for n in names if n.startswith("mcp-") or n in ("cookie", "authorization")], (target, names)
                assert headers["User-Agent"].startswith("mcptools/") and headers["Accept"] == "application/json", headers


# ---- names that lead into a private network ----

class PublicServer:
    """A proxy through which https://mcp.example is a Hostile server: no address of it is private."""

    def __init__(self, folder, server):
        pem, key = folder / "cert.pem", folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                        "2", "-subj", "/CN=mcp.example", "-addext", "subjectAltName=DNS:mcp.example,DNS:as.example", "-keyout", key,
                        "-out", pem], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(pem, key)
        self.server, self.asked, self.pem = server, [], str(pem)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, peer = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.tunnel, args=(connection, peer), daemon=True).start()

    def tunnel(self, connection, peer):
        try:
            self.asked.append(self.read_head(connection).split()[1])
            if not self.asked[-1].startswith(("mcp.example:", "as.example:")):
                connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                return
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            with self.context.wrap_socket(connection, server_side=True) as tls:
                self.server.httpd.RequestHandlerClass(tls, peer, self.server.httpd)
        except OSError:
            pass
        finally:
            connection.close()

    @staticmethod
    def read_head(connection):
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096) or b"\r\n\r\n"
        return head.decode()

    def close(self):
        self.socket.close()


PRIVATE = ["http://127.0.0.1:{port}", "http://localhost:{port}", "https://127.0.0.1:{port}", "https://10.0.0.1", "https://[::1]:{port}",
           "https://[::ffff:127.0.0.1]:{port}", "https://169.254.169.254", "https://2130706433:{port}", "https://0x7f.1:{port}",
           "https://192.168.0.1", "https://0.0.0.0:{port}", "https://[fd00::1]", "https://[64:ff9b::7f00:1]:{port}",
           "https://localhost:{port}"]


def run_private(folder, place, where, allowed=False):
    """A server with a public address names a private place: the place is not contacted, unless it is allowed."""
    with AuthServer() as inner, Hostile() as server:
        server.origin, server.url, server.resource = "https://mcp.example", "https://mcp.example/mcp", "https://mcp.example/mcp"
        url = place.format(port=inner.origin.rsplit(":", 1)[1])
        server.twist = {
            "issuer": {"prm": members(authorization_servers=[url])},
            "token endpoint": {"asm": members(token_endpoint=url + "/token")},
            "registration endpoint": {"asm": members(registration_endpoint=url + "/register")},
            "metadata": {"challenge": challenge(f'Bearer resource_metadata="{url}/.well-known/oauth-protected-resource/mcp"')},
        }[where]
        public = PublicServer(folder, server)
        try:
            write_config(folder, {"notes": {"url": server.url, "auth": {"type": "oauth", "allow_private": allowed}}})
            done = run(folder, "login", "notes", timeout=2 * PATIENCE_S, env={"BROWSER": str(browser(folder)[0]), "SSL_CERT_FILE": public.pem,
                                                                 "https_proxy": public.url, "no_proxy": ""})
        finally:
            public.close()
        shown = done.stdout + done.stderr
        assert done.returncode in (3, 4), (done.returncode, shown)
        if allowed:
            assert inner.count["asm"], (inner.count, shown)
            return shown
        assert not inner.count and not inner.requests, inner.count
        assert {a.rsplit(":", 1)[0] for a in public.asked} == {"mcp.example"}, public.asked
        assert "not public" in shown or "https URL" in shown or "invalid" in shown, shown
        return shown


@test
def issuers_are_compared_byte_by_byte(folder):
    """Also where two texts mean the same: the default port, capitals, an empty path, letters of other alphabets."""
    for number, issuer in enumerate(("https://as.example:443", "https://AS.example", "https://as.example/", "https://as.example.",
                                     "https://\u0430s.example", "https://xn--s-8tb.example", "https://as.example?", "http://as.example")):
        with Hostile(prm=members(authorization_servers=["https://as.example"]), asm=members(issuer=issuer)) as server:
            server.origin, server.url, server.resource = "https://as.example", "https://mcp.example/mcp", "https://mcp.example/mcp"
            inside = folder / str(number)
            inside.mkdir()
            public = PublicServer(inside, server)
            write_config(inside, {"notes": {"url": server.url}})
            done = run(inside, "login", "notes", timeout=2 * PATIENCE_S, env={"BROWSER": str(browser(inside)[0]), "SSL_CERT_FILE": public.pem,
                                                                 "https_proxy": public.url, "no_proxy": ""})
            public.close()
            assert done.returncode == 4 and "https://as.example" in done.stderr, (issuer, done.returncode, done.stderr)
            assert server.count["asm"] and not server.count["register"] and not server.count["authorize"], server.count


@test
def private_places_are_not_contacted(folder):
    cases = [(place, "issuer") for place in PRIVATE] + [(PRIVATE[0], where) for where in (
        "token endpoint", "registration endpoint", "metadata")]

    def one(number, place, where):
        inside = folder / str(number)
        inside.mkdir()
        return run_private(inside, place, where)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        waiting = [(case, pool.submit(one, n, *case)) for n, case in enumerate(cases)]
    failed = [f"{case}: {wait.exception()!r}" for case, wait in waiting if wait.exception()]
    assert not failed, "\n".join(failed)
    assert "auth.allow_private" in waiting[0][1].result()
    (folder / "allowed").mkdir()
    run_private(folder / "allowed", PRIVATE[0], "issuer", allowed=True)


# ---- the listener ----

def flood(server, answer):
    """Other visitors come before the browser: with other states, names, methods and paths, and without an end."""
    back = urllib.parse.urlsplit(server.seen[-1][1]).query
    port = urllib.parse.urlsplit(dict(urllib.parse.parse_qsl(back))["redirect_uri"]).port
    held = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(8)]  # they say nothing
    lines = ["GET /callback?code=evil&state=x", "GET /callback", "GET /callback?" + "a" * 30000, "HEAD /callback?state=x",
             "POST /callback?code=evil&state=" + answer["state"], "GET /favicon.ico", "GET /?state=" + answer["state"], "GET /" + "b" * 60000]
    for i in range(200):
        host = "evil.example" if i % 3 == 0 else f"127.0.0.1:{port}"
        line = lines[i % len(lines)] if i % 3 else f"GET /callback?code=evil&state={answer['state']}"
        with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
            try:
                s.sendall(f"{line} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                server.answers.add(s.recv(12))
            except ConnectionError:
                pass
    for s in held:
        s.close()
    return answer


@test
def other_visitors_do_not_disturb_a_login(folder):
    with Hostile(authorize=flood) as server:
        server.answers = set()
        done = login(folder, server)
        assert done.returncode == 0, done.stderr
        assert server.forms[0]["code"] != "evil" and server.count["code"] == 1, server.forms
        assert {b"HTTP/1.1 400", b"HTTP/1.1 404", b"HTTP/1.1 421", b"HTTP/1.1 431"} >= server.answers - {b""}, server.answers
        assert {b"HTTP/1.1 400", b"HTTP/1.1 404", b"HTTP/1.1 421"} <= server.answers, server.answers


# ---- where secrets are printed ----

def processes_below(pid):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if parent == pid:
                found += [entry, *processes_below(int(entry.name))]
    return found


@test
def nothing_secret_is_printed(folder):
    note = folder / "browser-environment"
    with Hostile(asm=members(token_endpoint_auth_methods_supported=["client_secret_post"])) as server:
        server.clients["c-own"] = type("AnyPort", (list,), {"__contains__": lambda *_: True})()
        write_config(folder, {"notes": {"url": server.url + "?key=csec-in-the-url", "auth": {"type": "oauth", "client_secret": "csec-configured",
                                                                    "client_id": "c-own"}},
                              "local": local_server()},
                     {"serve": {"tokens": ["gw-0123456789abcdef0123456789abcdef"], "access_log": str(folder / "access.log"),
                                "audit_log": str(folder / "audit.log")}})
        secrets_of = lambda: ["csec-", *server.access, *server.refresh, *server.codes]
        program, _ = browser(folder)
        program.write_text(program.read_text() + f"import os\nopen({str(note)!r}, 'w').write(str(os.environ) + str(sys.argv[0:1]))\n")
        shown = ""
        for command in (["login", "notes", "--log-level", "debug"], ["list", "--log-level", "debug"], ["config", "list"],
                        ["config", "get", "notes"], ["auth", "status"], ["auth", "status", "-o", "json"], ["config", "check"],
                        ["call", "notes.test-tool", "--log-level", "debug"], ["auth", "refresh", "notes", "--log-level", "debug"]):
            done = run(folder, *command, env={"BROWSER": str(program), "no_proxy": "*"})
            assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)
            shown += done.stdout + done.stderr
        shown += note.read_text()
        with gateway(folder, "--log-level", "debug", "--events", folder / "events", env={"no_proxy": "*"}) as g:
            bearer = {"Authorization": "Bearer gw-0123456789abcdef0123456789abcdef"}
            until(lambda: g.request("GET", "/readyz", headers=bearer)[0] == 200, "ready")
            s = Session(g, headers=bearer)
            s.call("tools/call", {"name": "notes__test-tool", "arguments": {}})
            server.expire()
            s.call("tools/call", {"name": "notes__test-tool", "arguments": {}}, 2)
            server.forget()
            shown += str(s.post("tools/call", {"name": "notes__test-tool", "arguments": {}}, 3))
            for path in ("/metrics", "/readyz", "/healthz", "/"):
                shown += g.request("GET", path, headers=bearer)[2].decode(errors="replace")
            below = processes_below(g.process.pid)
            assert below
            for process in [pathlib.Path(f"/proc/{g.process.pid}"), *below]:
                shown += "".join((process / name).read_bytes().decode(errors="replace") for name in ("cmdline", "environ"))
            shown += g.text()
        for name in ("access.log", "audit.log", "events", "serve.log"):
            text = (folder / name).read_text(errors="replace")
            assert text, name
            shown += text
        leaked = [text for text in secrets_of() if text in shown]
        assert not leaked, leaked
        assert not SECRET.search(shown), SECRET.search(shown)


add_rows("metadata", METADATA)
add_rows("challenges", CHALLENGES)
add_rows("registrations", REGISTRATION)
add_rows("answers", ANSWERS)
add_rows("tokens", TOKENS)
add_rows("devices", DEVICES, run_device)
add_rows("nonces", NONCES)
add_rows("loops", LOOPS, run_loop)
add_rows("renewals", RENEWALS, run_renewal)


if __name__ == "__main__":
    main()
