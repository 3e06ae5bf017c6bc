"""Hostile servers and authorization servers during a login: each row changes one answer of auth_server.py. Whatever they send,
a command ends with a message and its exit status, after few requests."""

import json
import pathlib
import tempfile
import urllib.parse

from auth_server import Refusal
from harness import main, test
from hostile import (
    add_rows, challenge, doubled, dripping, endless, HOST_OF_NOBODY, Hostile, login, members, raw, requests_of, Row, sent_little,
    to, verify)


AT_REGISTRATION = ("register", "authorize", "code")
AT_DISCOVERY = ("asm", *AT_REGISTRATION)


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


add_rows("metadata", METADATA)
add_rows("challenges", CHALLENGES)
add_rows("registrations", REGISTRATION)
add_rows("answers", ANSWERS)
add_rows("tokens", TOKENS)
add_rows("devices", DEVICES, run_device)
add_rows("nonces", NONCES)


if __name__ == "__main__":
    main()
