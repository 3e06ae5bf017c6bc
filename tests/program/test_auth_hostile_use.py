"""Hostile servers after a login: nothing secret is printed, nothing goes elsewhere, and few requests follow a refusal."""

import concurrent.futures
import json
import pathlib
import socket
import ssl
import subprocess
import tempfile
import threading
import urllib.parse

from auth_server import AuthServer, browser, Refusal
from harness import gateway, main, PATIENCE_S, run, server as local_server, Session, test, until, write_config
from hostile import (
    add_rows, call, challenge, dripping, endless, HOST_OF_NOBODY, Hostile, logged_in, login, members, raw, requests_of, Row,
    SECRET, sent_little, stored, verify)


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


add_rows("loops", LOOPS, run_loop)
add_rows("renewals", RENEWALS, run_renewal)


if __name__ == "__main__":
    main()
