"""What the tests of hostile servers share: a server whose answers are twisted, rows of such answers, and what is expected of a
command after each."""

import concurrent.futures
import dataclasses
import functools
import pathlib
import re
import tempfile
import time
import typing
import urllib.parse

from auth_server import AuthServer, browser, Refusal
from harness import PATIENCE_S, run, test, write_config

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


def streamed(length, piece, times, pause_s=0):
    """A twist: an answer that begins with this length, and goes on as long as somebody reads it."""
    def write(server, handler):
        handler.close_connection = True
        handler.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode())
        try:
            for _ in range(times):
                handler.wfile.write(piece)
                server.sent += len(piece)
                time.sleep(pause_s)
        except OSError:
            pass

    def answer(server, _usual):
        raise Refusal(200, functools.partial(write, server))
    return answer


endless = streamed(100000000, b" " * 1000000, 100)
dripping = streamed(1000, b" ", 400, 0.1)


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


def sent_little(server, _done):
    assert server.sent < 32 * MEBIBYTE, server.sent


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
