"""Logins on the command line: the commands login, logout and auth, and the offer to log in during other commands.
terminal.py gives the program a terminal, auth_server.py is the protected server, and $BROWSER a script that follows
redirects."""

import contextlib
import json
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request

from auth_server import AuthServer, browser
from harness import MCPTOOLS, Session, gateway, main, run, server, test, until, write_config
from terminal import Terminal

SECRET = re.compile(r"\b[ar]t-[\w-]{10,}")


@contextlib.contextmanager
def protected(folder, **members):
    """A protected server, configured as "notes"."""
    with AuthServer() as a:
        for name, value in members.items():
            setattr(a, name, value)
        write_config(folder, {"notes": {"url": a.url}})
        yield a


def opens(folder):
    """An environment in which the browser logs in at once."""
    return {"BROWSER": str(browser(folder)[0])}


def idle(folder):
    """An environment in which a browser opens, and nobody logs in."""
    program = folder / "idle-browser"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o700)
    return {"BROWSER": str(program)}


def log_in(folder, *more):
    done = run(folder, "login", "notes", *more, env=opens(folder))
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done


def stored(folder):
    """All texts that a login has written."""
    state = folder / ".local" / "state" / "mcptools"
    return "".join(p.read_text(errors="replace") for p in state.rglob("*") if p.is_file()) if state.exists() else ""


def ends(terminal, status, *texts):
    """The command ends with the status, and its output has the texts."""
    got, out = terminal.end()
    out = out.decode().replace("\r\n", "\n")
    assert got == status, (got, out)
    for text in texts:
        assert text in out, (text, out)
    assert not SECRET.search(out), out
    return out


def says(done, status, *texts):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    for text in texts:
        assert text in done.stdout + done.stderr, (text, done.stdout, done.stderr)


# ---- the command login


@test
def login_opens_the_browser_and_verifies(folder):
    with protected(folder) as a:
        done = log_in(folder)
        host = a.origin.removeprefix("http://")
        assert done.stdout == f"Logged in to 'notes' (issuer {host}, scopes mcp:basic, expires in 60 minutes, renewed automatically)\n", done.stdout
        assert f"Opening the browser to log in to 'notes' at {host}" in done.stderr and "If it does not open" in done.stderr
        assert a.origin + "/authorize?" in done.stderr, done.stderr
        assert a.count["authorize"] == a.count["code"] == a.count["register"] == 1, a.count
        assert a.requests[-1][2].get("Authorization", "").startswith("Bearer at-"), a.requests[-1]
        assert not SECRET.search(done.stdout + done.stderr)
        says(run(folder, "call", "notes.test-tool"), 0, "done: test-tool\n")
        assert a.count["authorize"] == 1


@test
def login_again_makes_a_new_login(folder):
    with protected(folder) as a:
        log_in(folder)
        log_in(folder)
        assert (a.count["authorize"], a.count["code"], a.count["register"]) == (2, 2, 1), a.count


@test
def login_takes_a_url_and_scopes(folder):
    with AuthServer() as a:
        done = run(folder, "login", a.url, "--scope", "mcp:one mcp:two", env=opens(folder))
        says(done, 0, f"Logged in to '{a.url}' (", "scopes mcp:one mcp:two")
        assert a.asked_scopes == ["mcp:one mcp:two"], a.asked_scopes
        says(run(folder, "call", a.url, "test-tool"), 0, "done: test-tool\n")
        says(run(folder, "auth", "status", a.url), 0, "logged in", "mcp:one mcp:two")


@test
def login_prints_json(folder):
    with protected(folder) as a:
        row = json.loads(log_in(folder, "-o", "json").stdout)
        assert {k: row[k] for k in ("server", "state", "issuer", "client", "scopes")} == {
            "server": "notes", "state": "ready", "issuer": a.origin, "client": "registered", "scopes": ["mcp:basic"]}, row


@test
def login_at_another_issuer_is_refused(folder):
    with protected(folder) as a:
        done = run(folder, "login", "notes", "--issuer", "https://other.example", env=opens(folder))
        assert done.returncode != 0 and "https://other.example" in done.stderr, (done.returncode, done.stderr)
        assert a.count["register"] == a.count["authorize"] == 0, a.count


@test
def login_is_for_servers_that_have_one(folder):
    bearer = {"url": "http://127.0.0.1:9/mcp", "auth": {"type": "bearer", "token": "t"}}
    header = {"url": "http://127.0.0.1:9/mcp", "headers": {"Authorization": "Basic x"}}
    write_config(folder, {"local": server(), "bearer": bearer, "header": header,
                          "off": {"url": "http://127.0.0.1:9/mcp", "enabled": False}})
    for command in (("login",), ("logout",), ("auth", "status"), ("auth", "refresh"), ("auth", "token")):
        says(run(folder, *command, "local"), 1, "server 'local' is not reached by a URL, so it has no login")
        says(run(folder, *command, "bearer"), 2, "server 'bearer' has credentials in its configuration")
        says(run(folder, *command, "header"), 2, "server 'header' has credentials in its configuration")
        says(run(folder, *command, "off"), 2, "server 'off' is disabled")
        says(run(folder, *command, "nots"), 1, "no server 'nots' is configured; known: local, bearer, header, off")
    write_config(folder, {"broken": {"url": "http://127.0.0.1:9/mcp", "auth": {"client_id": "${NO_SUCH_VARIABLE}"}},
                          "never": {"url": "http://127.0.0.1:9/mcp", "auth": {"type": "none"}}})
    says(run(folder, "login", "broken"), 2, "server 'broken': ", "NO_SUCH_VARIABLE is not set")
    says(run(folder, "login", "never"), 2, "server 'never' has no login")
    done = run(folder, "auth", "status")
    says(done, 8, "NO_SUCH_VARIABLE is not set")
    assert "never" not in done.stdout, done.stdout
    says(run(folder, "login"), 1, "usage: mcptools login SERVER|URL")
    for scope in ("", "  ", "a\"b", "a\tb"):
        says(run(folder, "login", "never", "--scope", scope), 1, "must be scopes, separated by spaces")
    says(run(folder, "login", "never", "--issuer", "as.example"), 1, "--issuer 'as.example': must begin with http")
    says(run(folder, "auth", "tokens", "bearer"), 1, "usage: mcptools auth status")
    says(run(folder, "auth", "token"), 1, "usage: mcptools auth status")


@test
def a_server_without_a_login_needs_none(folder):
    with protected(folder, is_open=True, is_silent=True) as a:
        done = run(folder, "login", "notes", env=opens(folder))
        says(done, 0, "'notes' needs no login.\n")
        assert json.loads(run(folder, "login", "notes", "-o", "json").stdout)["state"] == "none"
        assert a.count["authorize"] == a.count["register"] == 0


@test
def a_server_that_hides_its_login_is_told(folder):
    with protected(folder, is_silent=True, challenge_scope=None) as a:
        done = run(folder, "login", "notes", env=opens(folder))
        says(done, 3, "server 'notes'")
        assert a.count["authorize"] == a.count["register"] == 0, a.count


@test
def a_server_that_is_down_is_told(folder):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        write_config(folder, {"notes": {"url": f"http://127.0.0.1:{s.getsockname()[1]}/mcp"}})
        says(run(folder, "login", "notes", env=opens(folder)), 4, "server 'notes'", "connect")


@test
def a_refusal_of_the_person_is_told(folder):
    with protected(folder, denies=True) as a:
        done = run(folder, "login", "notes", env=opens(folder))
        says(done, 3, "mcptools: ")
        assert a.count["code"] == 0 and "access" not in done.stdout
        says(run(folder, "auth", "status"), 0, "not logged in")


@test
def nobody_logs_in_within_the_time_limit(folder):
    with protected(folder):
        says(run(folder, "login", "notes", "--timeout", "1", env=idle(folder)), 6, "the login was not finished within 1 seconds")
        error = json.loads(run(folder, "login", "notes", "--timeout", "1", "-o", "json", env=idle(folder)).stdout)["error"]
        assert (error["kind"], error["server"]) == ("timeout", "notes"), error


def redirect_port(url):
    target = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))["redirect_uri"]
    return urllib.parse.urlsplit(target).port


def shown_url(a, out):
    return re.search(re.escape(a.origin) + r"/authorize\?[^\s]+", out.decode())[0]


@test
def an_interrupted_login_leaves_nothing(folder):
    with protected(folder) as a:
        t = Terminal(folder, "login", "notes", env=idle(folder))
        t.until(b"Ctrl-C cancels it.")
        port = redirect_port(shown_url(a, t.out))
        socket.create_connection(("127.0.0.1", port)).close()
        t.interrupt()
        ends(t, 130, "interrupted")
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
            raise AssertionError("the port is still open")
        assert a.count["code"] == 0
        says(run(folder, "auth", "status"), 0, "not logged in")


@test
def a_login_in_the_background_does_not_touch_the_terminal(folder):
    """A shell with job control would stop it otherwise, once something is typed for the shell."""
    with protected(folder) as a:
        script = f"set -m; '{MCPTOOLS}' login notes & wait; '{MCPTOOLS}' call notes.test-tool & wait; read line; echo got $line"
        slow = folder / "slow-browser"
        slow.write_text(f"#!/bin/sh\nwhile [ ! -e '{folder}/go' ]; do sleep 0.05; done\nexec '{opens(folder)['BROWSER']}' \"$1\"\n")
        slow.chmod(0o700)
        t = Terminal(folder, "-c", script, env={"BROWSER": str(slow)}, program="bash")
        t.until(b"Ctrl-C cancels it.")
        t.type(b"for the shell\n")
        (folder / "go").touch()
        t.until(b"Logged in to 'notes'")
        ends(t, 0, "done: test-tool", "got for the shell")
        assert a.count["authorize"] == 1


@test
def an_interrupt_from_the_keyboard_does_the_same(folder):
    with protected(folder):
        t = Terminal(folder, "login", "notes", env=idle(folder))
        t.until(b"Ctrl-C cancels it.")
        t.type(b"\x03")
        ends(t, 130, "interrupted")


# ---- without a browser


def arrive(url):
    """The URL at which the browser arrives, without going there."""
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None
    try:
        urllib.request.build_opener(Stay).open(url, timeout=20)
    except urllib.error.HTTPError as e:
        return e.headers["Location"]
    raise AssertionError("no redirect")


@test
def the_url_of_a_browser_elsewhere_can_be_pasted(folder):
    with protected(folder) as a:
        t = Terminal(folder, "login", "notes", "--no-browser", env=opens(folder))
        t.until(b"paste it here: ")
        assert b"Opening the browser" not in t.out and not (folder / "opened").exists()
        good = arrive(shown_url(a, t.out))
        at = len(t.out)
        t.type(b"http://127.0.0.1:1/callback?code=x&state=wrong\n")
        at = t.until(b"Paste the whole address again", at)
        t.type(b"hello\n")
        t.until(b"Paste the whole address again", at)
        assert a.count["code"] == 0
        t.type(good.encode() + b"\n")
        ends(t, 0, "Logged in to 'notes'")
        assert a.count["code"] == 1


@test
def without_a_browser_the_url_is_shown(folder):
    with protected(folder) as a:
        t = Terminal(folder, "login", "notes", env={"BROWSER": "/nowhere/browser", "DISPLAY": "", "WAYLAND_DISPLAY": ""})
        t.until(b"paste it here: ")
        t.type(arrive(shown_url(a, t.out)).encode() + b"\n")
        ends(t, 0, "That is not possible:", "Logged in to 'notes'")


@test
def a_denial_can_be_pasted(folder):
    with protected(folder, denies=True) as a:
        t = Terminal(folder, "login", "notes", "--no-browser")
        t.until(b"paste it here: ")
        t.type(arrive(shown_url(a, t.out)).encode() + b"\n")
        ends(t, 3)
        assert a.count["code"] == 0


@test
def the_device_flow_shows_a_code(folder):
    with protected(folder, device_polls=1) as a:
        done = log_in(folder, "--device")
        assert a.origin + "/device\n" in done.stderr and "\n  WDJB-MJHT\n" in done.stderr, done.stderr
        assert (a.count["device"], a.count["authorize"]) == (1, 0), a.count
        assert not (folder / "opened").exists()
        says(run(folder, "call", "notes.test-tool"), 0, "done: test-tool\n")


@test
def the_device_flow_can_be_denied_and_missing(folder):
    with protected(folder, device_polls=0, denies=True) as a:
        says(run(folder, "login", "notes", "--device"), 3)
        a.device_polls = None
        done = run(folder, "login", "notes", "--device")
        assert done.returncode and "device" in done.stderr, (done.returncode, done.stderr)
        assert a.count["authorize"] == 0


@test
def a_machine_needs_no_command(folder):
    with protected(folder, machine=("nightly", "s3cr3t-s3cr3t")) as a:
        machine = {"grant": "client_credentials", "client_id": "nightly", "client_secret": "s3cr3t-s3cr3t"}
        write_config(folder, {"notes": {"url": a.url, "auth": machine}})
        token = run(folder, "auth", "token", "notes", env=opens(folder))
        assert token.stdout.strip() in a.access, (token.returncode, token.stderr)
        says(run(folder, "call", "notes.test-tool"), 0, "done: test-tool\n")
        says(run(folder, "login", "notes", env=opens(folder)), 0, "Logged in to 'notes' (")
        a.forget()
        machine["client_secret"] = "wrong-secret"
        write_config(folder, {"notes": {"url": a.url, "auth": machine}})
        assert run(folder, "logout", "notes").returncode == 0
        for command in (("call", "notes.test-tool"), ("login", "notes"), ("auth", "token", "notes")):
            done = run(folder, *command, env=opens(folder))
            says(done, 3, "invalid_client")
            assert "wrong-secret" not in done.stdout + done.stderr, done.stderr
        assert a.count["authorize"] == a.count["register"] == 0 and not (folder / "opened").exists()


# ---- the offer in other commands


@test
def a_call_offers_the_login_and_goes_on(folder):
    with protected(folder) as a:
        t = Terminal(folder, "call", "notes.test-tool", env=opens(folder))
        t.until(b"'notes' needs a login. Log in now? [Y/n] ")
        assert a.count["register"] == a.count["authorize"] == 0, a.count
        t.type(b"\n")
        ends(t, 0, "Logged in to 'notes'", "done: test-tool\n")
        assert a.count["authorize"] == a.count["call test-tool"] == 1, a.count
        ends(Terminal(folder, "call", "notes.test-tool"), 0, "done: test-tool\n")


@test
def other_commands_do_the_same(folder):
    for command, text in ((("list",), "3 tools"), (("list", "notes"), "notes.test-tool"), (("resources",), "x://plain"),
                          (("read", "x://plain"), "text of x://plain"), (("tools",), "test-tool"),
                          (("call", "test-tool", "--for", "openai"), "done: test-tool")):
        with protected(folder) as a:
            t = Terminal(folder, *command, env=opens(folder))
            t.until(b"'notes' needs a login. Log in now? [Y/n] ")
            t.type(b"maybe\n")
            t.until(b"y or n: ")
            t.type(b"y\n")
            ends(t, 0, "Logged in to 'notes'", text)
            assert a.count["authorize"] == 1, (command, a.count)


@test
def an_adhoc_url_is_offered_as_well(folder):
    with AuthServer() as a:
        t = Terminal(folder, "call", a.url, "test-tool", env=opens(folder))
        t.until(f"'{a.url}' needs a login. Log in now? [Y/n] ".encode())
        t.type(b"y\n")
        ends(t, 0, "done: test-tool\n")


@test
def no_means_no(folder):
    with protected(folder) as a:
        write_config(folder, {"notes": {"url": a.url}, "more": {"url": a.origin + "/mcp"}, "local": server()})
        t = Terminal(folder, "call", "notes.test-tool", env=opens(folder))
        t.until(b"[Y/n] ")
        t.type(b"n\n")
        ends(t, 3, "mcptools: server 'notes': needs a login; run: mcptools login notes\n")
        t = Terminal(folder, "list", env=opens(folder))
        t.until(b"[Y/n] ")
        t.type(b"n\n")
        out = ends(t, 8, "run: mcptools login notes", "run: mcptools login more")
        assert out.count("[Y/n]") == 1, out
        assert a.count["register"] == a.count["authorize"] == 0 and not (folder / "opened").exists()


@test
def an_interrupt_at_the_question_ends_the_command(folder):
    with protected(folder) as a:
        t = Terminal(folder, "call", "notes.test-tool", env=opens(folder))
        t.until(b"[Y/n] ")
        t.type(b"\x03")
        ends(t, 130, "interrupted")
        assert a.count["authorize"] == 0


@test
def a_denied_offer_is_an_error_of_the_command(folder):
    with protected(folder, denies=True) as a:
        t = Terminal(folder, "call", "notes.test-tool", env=opens(folder))
        t.until(b"[Y/n] ")
        t.type(b"y\n")
        out = ends(t, 3, "server 'notes': the login failed: ")
        assert out.count("[Y/n]") == 1 and a.count["authorize"] == 1, (out, a.count)


@test
def an_interrupted_offer_ends_the_command(folder):
    with protected(folder) as a:
        t = Terminal(folder, "list", "notes", env=idle(folder))
        t.until(b"[Y/n] ")
        t.type(b"y\n")
        t.until(b"Ctrl-C cancels it.")
        t.type(b"\x03")
        ends(t, 130, "interrupted")
        assert a.count["code"] == 0


@test
def without_a_terminal_the_command_is_named(folder):
    with protected(folder) as a:
        command = "mcptools login notes"
        says(run(folder, "call", "notes.test-tool", env=opens(folder)), 3, f"server 'notes': needs a login; run: {command}\n")
        says(run(folder, "list", env=opens(folder)), 3, f"server 'notes': needs a login; run: {command}\n")
        says(run(folder, "read", "x://plain", env=opens(folder)), 3, command)
        done = run(folder, "call", "notes.test-tool", "-o", "json", env=opens(folder))
        error = json.loads(done.stdout)["error"]
        assert (done.returncode, error["kind"], error["server"]) == (3, "auth", "notes"), (done.returncode, error)
        assert error["message"].endswith(f"needs a login; run: {command}"), error
        errors = json.loads(run(folder, "list", "-o", "json").stdout)["errors"]
        assert errors[0]["kind"] == "auth" and errors[0]["message"].endswith(command), errors
        (folder / "a dir").mkdir()
        config = write_config(folder / "a dir", {"notes": {"url": a.url}})
        says(run(folder, "list", "notes", "--config", config), 3, f"run: mcptools login notes --config '{config}'\n")
        says(run(folder, "list", a.url), 3, f"run: mcptools login {a.url}\n")
        assert a.count["register"] == a.count["authorize"] == 0 and not (folder / "opened").exists()


class Late(AuthServer):
    """Wants tokens for everything but the first request of a connection."""

    def check(self, headers, message):
        if message.get("method") != "server/discover":
            super().check(headers, message)


@test
def a_server_may_ask_for_a_login_late(folder):
    with Late() as a:
        write_config(folder, {"notes": {"url": a.url}})
        for command in ("list",), ("list", "notes"), ("status",), ("call", "notes.test-tool"), ("resources",):
            done = run(folder, *command)
            says(done, 3, "run", "mcptools login notes")
            assert "has no" not in done.stderr, done
        log_in(folder)
        says(run(folder, "call", "notes.test-tool"), 0, "done: test-tool\n")


@test
def step_up_names_the_scopes(folder):
    with protected(folder) as a:
        log_in(folder)
        done = run(folder, "call", "notes.admin-tool")
        says(done, 3, "server 'notes': needs the scope 'mcp:admin'; run: mcptools login notes --scope 'mcp:basic mcp:admin'\n")
        assert a.count["authorize"] == 1
        t = Terminal(folder, "call", "notes.admin-tool", env=opens(folder))
        t.until(b"'notes' wants the scope 'mcp:admin' for this. Log in again to allow it? [Y/n] ")
        t.type(b"\n")
        ends(t, 0, "done: admin-tool\n")
        assert set(a.asked_scopes[-1].split()) == {"mcp:basic", "mcp:admin"}, a.asked_scopes
        assert a.count["call admin-tool"] == 1


@test
def step_up_shows_all_scopes_of_a_long_list(folder):
    many = " ".join(f"scope:{i}" for i in range(60))
    with protected(folder, admin_scope=many + " last:one") as a:
        log_in(folder)
        done = run(folder, "call", "notes.admin-tool")
        says(done, 3, "server 'notes': needs more scopes; log in on a terminal\n")
        t = Terminal(folder, "call", "notes.admin-tool", env=opens(folder))
        t.until(b" last:one' for this. Log in again to allow it? [Y/n] ")
        assert many.encode() in t.out
        t.type(b"n\n")
        ends(t, 3, "needs more scopes")
        a.admin_scope = " ".join(f"scope:{i}" for i in range(15))
        says(run(folder, "call", "notes.admin-tool"), 3, f"needs more scopes; run: mcptools login notes --scope 'mcp:basic {a.admin_scope}'\n")


@test
def step_up_for_resources_too(folder):
    with protected(folder) as a:
        log_in(folder)
        says(run(folder, "read", "x://admin"), 3, "needs the scope 'mcp:admin'")
        t = Terminal(folder, "read", "notes", "x://admin", env=opens(folder))
        t.until(b"for this. Log in again to allow it? [Y/n] ")
        t.type(b"n\n")
        ends(t, 3, "needs the scope 'mcp:admin'")
        t = Terminal(folder, "read", "x://admin", env=opens(folder))
        t.until(b"[Y/n] ")
        t.type(b"y\n")
        ends(t, 0, "text of x://admin")
        assert a.count["authorize"] == 2, a.count


@test
def step_up_ends(folder):
    """What the authorization server does not grant is not asked for again."""
    with protected(folder, admin_scope="mcp:never offline_access") as a:
        log_in(folder)
        a._tokens = lambda of, expires_in=None: AuthServer._tokens(a, {**of, "scope": "mcp:basic"}, expires_in)
        t = Terminal(folder, "call", "notes.admin-tool", env=opens(folder))
        t.until(b"[Y/n] ")
        t.type(b"y\n")
        out = ends(t, 3, "server 'notes': the login was made, but without the scope 'mcp:never'\n")
        assert out.count("[Y/n]") == 1 and a.count["authorize"] == 2 and a.count["call admin-tool"] == 0, (out, a.count)


@test
def serve_never_opens_a_browser(folder):
    with protected(folder) as a:
        with gateway(folder, env=opens(folder)) as g:
            until(lambda: a.count["mcp 401"], "the server was asked")
            Session(g).call("tools/list")
            until(lambda: b"notes" in g.request("GET", "/readyz")[2] or "login" in g.text(), "the reason is there")
        assert a.count["authorize"] == 0 and not (folder / "opened").exists()


# ---- what is stored


@test
def status_shows_logins_and_no_tokens(folder):
    with protected(folder) as a:
        row = json.loads(run(folder, "auth", "status", "-o", "json").stdout)["logins"]
        assert row == [{"server": "notes", "state": "none"}], row
        says(run(folder, "auth", "status"), 0, "SERVER", "notes", "not logged in")
        log_in(folder)
        before = a.count["mcp"]
        done = run(folder, "auth", "status")
        host = a.origin.removeprefix("http://")
        assert re.search(rf"^notes +logged in +{host} +registered +in 60 minutes +mcp:basic$", done.stdout, re.M), done.stdout
        done = run(folder, "auth", "status", "notes", "-o", "json")
        row = json.loads(done.stdout)["logins"][0]
        until_time = row.pop("expiresAt")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", until_time), until_time
        assert row.pop("clientId").startswith("c-")
        assert row == {"server": "notes", "state": "ready", "issuer": a.origin, "resource": a.resource,
                       "grant": "authorization_code", "client": "registered", "scopes": ["mcp:basic"], "expired": False,
                       "canRefresh": True, "bound": False}, row
        assert not SECRET.search(done.stdout + done.stderr)
        assert a.count["mcp"] == before, "status asks no server"
        assert SECRET.search(stored(folder)), "the login is stored where this test looks"


@test
def status_without_logins_says_so(folder):
    write_config(folder, {"local": server()})
    done = run(folder, "auth", "status")
    assert (done.returncode, done.stdout) == (0, "") and "no configured server can have one" in done.stderr
    assert json.loads(run(folder, "auth", "status", "-o", "json").stdout) == {"logins": []}


@test
def status_knows_urls_that_are_not_configured(folder):
    with AuthServer() as a:
        assert run(folder, "login", a.url, env=opens(folder)).returncode == 0
        says(run(folder, "auth", "status"), 0, a.url, "logged in")
        write_config(folder, {"local": server()})
        row = json.loads(run(folder, "auth", "status", "-o", "json").stdout)["logins"]
        assert [(r["server"], r["state"]) for r in row] == [(a.url, "ready")], row
        write_config(folder, {"notes": {"url": a.url}})
        row = json.loads(run(folder, "auth", "status", "-o", "json").stdout)["logins"]
        assert [(r["server"], r["state"]) for r in row] == [("notes", "ready")], row
        says(run(folder, "logout", a.url), 0, "revoked the refresh token and the access token")
        write_config(folder, {"local": server()})
        says(run(folder, "auth", "status"), 0, "there are no logins")


@test
def token_goes_to_pipes_alone(folder):
    with protected(folder) as a:
        says(run(folder, "auth", "token", "notes"), 3, "run: mcptools login notes")
        log_in(folder)
        token = run(folder, "auth", "token", "notes").stdout
        assert token.endswith("\n") and token.strip() in a.access, token
        ends(Terminal(folder, "auth", "token", "notes"), 1, "would be shown on the terminal")
        status, out = Terminal(folder, "auth", "token", "notes", "--yes").end()
        assert (status, out.strip()) == (0, token.strip().encode()), out
        assert a.count["refresh"] == 0


@test
def an_old_token_is_renewed_first(folder):
    with protected(folder, expires_in=5) as a:
        log_in(folder)
        a.expires_in = 3600
        token = run(folder, "auth", "token", "notes").stdout.strip()
        assert token in a.access and a.access[token]["until"] > time.time() + 60 and a.count["refresh"] == 1, a.count


@test
def refresh_renews(folder):
    with protected(folder) as a:
        says(run(folder, "auth", "refresh", "notes"), 3, "run: mcptools login notes")
        log_in(folder)
        before = run(folder, "auth", "token", "notes").stdout
        says(run(folder, "auth", "refresh", "notes"), 0, "Renewed the login to 'notes' (issuer ")
        assert a.count["refresh"] == 1 and run(folder, "auth", "token", "notes").stdout != before
        a.forget()
        done = run(folder, "auth", "refresh", "notes")
        says(done, 3, "run: mcptools login notes")
        assert a.count["authorize"] == 1


@test
def logout_revokes_and_forgets(folder):
    with protected(folder) as a:
        log_in(folder)
        token = run(folder, "auth", "token", "notes").stdout.strip()
        host = a.origin.removeprefix("http://")
        done = run(folder, "logout", "notes")
        says(done, 0, f"Logged out of 'notes': revoked the refresh token and the access token at {host}.\n")
        assert a.count["revoke"] == 2 and not a.access and not a.refresh, (a.count, a.access)
        assert token not in stored(folder) and not SECRET.search(stored(folder))
        says(run(folder, "logout", "notes"), 0, "There is no login to 'notes'.\n")
        assert a.count["revoke"] == 2
        says(run(folder, "call", "notes.test-tool"), 3, "needs a login")


@test
def logout_without_revocation_says_so(folder):
    with protected(folder, revokes=False):
        log_in(folder)
        says(run(folder, "logout", "notes"), 0, "Logged out of 'notes'.", "revokes no tokens")
        says(run(folder, "auth", "status"), 0, "not logged in")


@test
def logout_forgets_even_if_revoking_fails(folder):
    with protected(folder) as a:
        log_in(folder)
        a.httpd.shutdown()
        a.httpd.server_close()
        done = run(folder, "logout", "notes")
        assert done.returncode and "the login is forgotten, but could not be revoked: " in done.stderr, (done.returncode, done.stderr)
        assert not SECRET.search(stored(folder))
        a.httpd.shutdown = a.httpd.server_close = lambda: None


@test
def logout_all_forgets_registrations(folder):
    with protected(folder) as a:
        log_in(folder)
        says(run(folder, "logout", "notes", "--all"), 0, "Forgot all logins to 'notes', and the client registrations.")
        assert "c-1" not in stored(folder), stored(folder)
        log_in(folder)
        assert a.count["register"] == 2


@test
def waiting_commands_can_be_interrupted(folder):
    with protected(folder) as a:
        log_in(folder)
        a.token_delay_s = 1.5
        for command in (("auth", "refresh", "notes"), ("logout", "notes")):
            a.delayed.clear()
            t = Terminal(folder, *command)
            assert a.delayed.wait(20), command
            t.interrupt()
            ends(t, 130, "interrupted")
        a.token_delay_s = 0
        log_in(folder)


@test
def each_command_has_help(folder):
    for command, words in (("login", ("--device", "--no-browser", "--scope SCOPES", "--issuer URL")), ("logout", ("--all",)),
                           ("auth", ("--yes", "auth status [SERVER]", "auth token SERVER"))):
        says(run(folder, command, "--help"), 0, f"usage: mcptools {command} ", *words)
    says(run(folder, "list", "--device"), 1, "--device is valid only with these commands: login")


if __name__ == "__main__":
    main()
