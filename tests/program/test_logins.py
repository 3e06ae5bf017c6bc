"""Logins of the gateway: it uses those that another process makes, keeps them fresh, and opens no browser itself."""

import concurrent.futures
import datetime
import json
import time

from auth_server import AuthServer, browser
from harness import Session, answer, gateway, main, run, test, until, write_config


def login(folder, name="p", *more):
    """What a person does in another terminal."""
    program, opened = browser(folder)
    done = run(folder, "login", name, *more, env={"BROWSER": str(program)})
    assert done.returncode == 0, done
    return opened


def entry(g, name="p"):
    """What /readyz says of a server."""
    return next(s for s in json.loads(g.request("GET", "/readyz")[2])["servers"] if s["name"] == name)


def connected(g):
    return until(lambda: entry(g)["state"] == "connected" and entry(g), "p is connected")


def call(session, name="test-tool", id=1):
    """What a call says, and whether that is an error."""
    status, _, body = session.post("tools/call", {"name": "p__" + name, "arguments": {}}, id)
    assert status == 200, (status, body)
    said = answer(body)
    if "error" in said:
        return said["error"]["message"], True
    return said["result"]["content"][0]["text"], said["result"].get("isError", False)


@test
def serve_says_that_a_login_is_needed_and_opens_no_browser(folder):
    program, opened = browser(folder)
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url, "required": True}})
        with gateway(folder, env={"BROWSER": str(program), "DISPLAY": ":0"}) as g:
            until(lambda: "login" in entry(g), "the server asks for a login")
            said = entry(g)
            assert said["reason"] == "needs_auth" and said["login"] == {"state": "needed", "command": "mcptools login p"}, said
            assert said["error"] == {"kind": "auth", "message": "needs a login: run 'mcptools login p'"}, said
            assert g.request("GET", "/readyz")[0] == 503
            text, is_error = call(Session(g))
            assert is_error and "login" in text, text
            until(lambda: a.count["mcp 401"] >= 3, "the gateway tries again")
            assert a.count["authorize"] == a.count["register"] == 0 and not opened.exists(), a.count
            # one warning, however often it is tried
            assert g.text().count("warning: server 'p'") == 1, g.text()
            assert "server 'p' needs a login: run 'mcptools login p'" in g.text(), g.text()


@test
def the_command_line_says_login_needed(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})
        done = run(folder, "status")
        assert "p: login needed" in done.stdout and "mcptools login p" in done.stdout, done
        assert done.returncode == 3, done
        said = json.loads(run(folder, "status", "-o", "json").stdout)["servers"][0]
        assert said["login"]["state"] == "needed" and said["login"]["command"] == "mcptools login p", said
        done = run(folder, "call", "p.test-tool")
        assert done.returncode == 3 and "needs a login" in done.stderr and "mcptools login p" in done.stderr, done
        done = run(folder, "list")
        assert "login needed" in done.stdout + done.stderr, done
        assert a.count["authorize"] == 0, a.count


@test
def a_login_of_another_process_is_used_at_once(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})
        with gateway(folder) as g:
            until(lambda: "login" in entry(g), "the server asks for a login")
            for _ in range(3):  # the pause before the next attempt grows
                until(lambda n=a.count["mcp 401"]: a.count["mcp 401"] > n, "the gateway tries again")
            opened = login(folder)
            begin = time.monotonic()
            said = connected(g)
            assert time.monotonic() - begin < 5, "the pause was waited for"
            assert said["login"]["state"] == "ready" and said["login"]["expiresAt"] > time.time() + 3000, said
            assert call(Session(g)) == ("done: test-tool", False)
            assert len(opened.read_text().splitlines()) == 1 and a.count["authorize"] == 1, a.count
            assert g.text().count("server 'p' needs a login") == 1, g.text()
        assert run(folder, "call", "p.test-tool").stdout.strip() == "done: test-tool"
        assert a.count["authorize"] == 1


@test
def tokens_are_never_shown(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})
        login(folder)
        secrets = [*a.access, *a.refresh]
        assert len(secrets) == 2, secrets
        with gateway(folder, "--log-level", "debug") as g:
            connected(g)
            call(Session(g))
            said = g.text() + str(g.request("GET", "/readyz")[2]) + str(g.request("GET", "/metrics")[2])
        said += run(folder, "status", "-o", "json").stdout + run(folder, "config", "list", "-o", "json").stdout
        assert not any(secret in said for secret in secrets), said


@test
def an_expired_token_is_renewed_once_for_all_calls(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})
        login(folder)
        with gateway(folder) as g:
            connected(g)
            session = Session(g)
            assert call(session) == ("done: test-tool", False)
            assert a.count["refresh"] == 0, a.count
            a.token_delay_s = 0.3
            a.expire()
            with concurrent.futures.ThreadPoolExecutor(12) as pool:
                said = list(pool.map(lambda n: call(session, id=n), range(10, 22)))
            assert said == [("done: test-tool", False)] * 12, said
            assert a.count["refresh"] == 1 and a.count["replay"] == 0, a.count
            assert a.count["call test-tool"] == 13, a.count  # no call was executed twice
            assert a.count["authorize"] == 1, a.count


@test
def two_gateways_redeem_a_refresh_token_once(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})
        login(folder)
        other = folder / "other"
        other.mkdir()
        with gateway(folder) as g, gateway(other, "--config", folder / "mcptools.json", env={"HOME": str(folder)}) as h:
            connected(g), connected(h)
            sessions = [Session(g), Session(h)]
            a.token_delay_s = 0.2
            for turn in range(1, 4):
                a.expire()
                with concurrent.futures.ThreadPoolExecutor(8) as pool:
                    said = list(pool.map(lambda n: call(sessions[n % 2], id=n), range(10 * turn, 10 * turn + 8)))
                assert said == [("done: test-tool", False)] * 8, (turn, said)
                assert a.count["replay"] == 0 and a.count["refresh"] == turn, a.count
            assert a.count["call test-tool"] == 24 and a.count["authorize"] == 1, a.count


@test
def tokens_are_renewed_in_the_background(folder):
    with AuthServer() as a:
        a.expires_in = 40
        write_config(folder, {"p": {"url": a.url}})
        login(folder)
        with gateway(folder) as g:
            connected(g)
            first = entry(g)["login"]["expiresAt"]
            a.expires_in = 3600
            until(lambda: a.count["refresh"], "the token is renewed without a request")
            until(lambda: entry(g)["login"]["expiresAt"] > first + 1000, "the new expiry is shown")
            assert a.count["mcp 401"] == 1, a.count  # of the login


@test
def a_dead_login_is_needed_again(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})
        login(folder)
        with gateway(folder) as g:
            connected(g)
            session = Session(g)
            a.forget()
            text, is_error = call(session)
            assert is_error and "run 'mcptools login p'" in text, text
            until(lambda: entry(g)["login"]["state"] == "needed", "the login is needed")
            assert g.text().count("server 'p' needs a login") == 1, g.text()
            begin = time.monotonic()
            text, is_error = call(session)
            assert is_error and time.monotonic() - begin < 5, text
            login(folder)
            until(lambda: call(session) == ("done: test-tool", False), "the new login is used")
            assert "server 'p': there is a login" in g.text() or "info" not in g.text(), g.text()


@test
def a_call_without_the_scope_names_it(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})
        login(folder)
        with gateway(folder) as g:
            connected(g)
            session = Session(g)
            text, is_error = call(session, "admin-tool")
            assert is_error and "mcp:admin" in text and "mcptools login p --scope" in text, text
            assert call(session) == ("done: test-tool", False)  # the others are not affected
            assert a.count["authorize"] == 1, a.count
            login(folder, "p", "--scope", "mcp:basic mcp:admin")
            until(lambda: call(session, "admin-tool") == ("done: admin-tool", False), "the wider login is used")


@test
def a_server_over_http_and_sse_has_a_login(folder):
    with AuthServer() as a:
        a.resource = a.origin
        write_config(folder, {"p": {"type": "sse", "url": a.origin + "/sse"}})
        assert run(folder, "call", "p.test-tool").returncode == 3
        login(folder)
        with gateway(folder) as g:
            connected(g)
            session = Session(g)
            assert call(session) == ("done: test-tool", False)
            a.expire()
            assert call(session) == ("done: test-tool", False)
            assert a.count["refresh"] == 1 and a.count["call test-tool"] == 2, a.count
            text, is_error = call(session, "admin-tool")
            assert is_error and "mcp:admin" in text, text


@test
def a_server_with_static_credentials_has_no_login(folder):
    with AuthServer() as a:
        good = a.grant()["access_token"]
        write_config(folder, {"p": {"url": a.url, "auth": {"type": "bearer", "token": good}},
                              "h": {"url": a.url, "headers": {"Authorization": "Bearer wrong"}},
                              "n": {"url": a.url, "auth": {"type": "none"}}})
        assert run(folder, "call", "p.test-tool").stdout.strip() == "done: test-tool"
        for name in ("h", "n"):
            done = run(folder, "call", name + ".test-tool")
            assert done.returncode == 3 and "HTTP 401" in done.stderr and "mcptools login" not in done.stderr, done
        assert a.count["prm"] == a.count["asm"] == 0, a.count


@test
def logins_can_stay_in_memory(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}}, {"auth": {"store": "memory"}})
        login(folder)
        assert run(folder, "call", "p.test-tool").returncode == 3
        assert not list(folder.rglob("credentials")), list(folder.rglob("*"))


@test
def without_a_store_logins_last_as_long_as_the_program(folder):
    with AuthServer() as a:
        config = write_config(folder, {"p": {"url": a.url}, "s": {"url": a.url, "auth": {"type": "bearer", "token": "t"}}})
        env = {"HOME": "", "XDG_STATE_HOME": ""}
        done = run(folder, "call", "p.test-tool", "--config", config, env=env)
        assert done.returncode == 3 and done.stderr.count("logins are not kept") == 1, done
        assert "not kept" not in run(folder, "call", "s.test-tool", "--config", config, env=env).stderr


@test
def ways_to_authenticate_are_declared_where_they_are_configured(folder):
    with AuthServer() as a:
        ways = {"plain": ({}, []), "bound": ({"dpop": "required"}, ["io.modelcontextprotocol/auth/dpop"]),
                "machine": ({"grant": "client_credentials", "client_id": "c", "client_secret": "s"},
                            ["io.modelcontextprotocol/oauth-client-credentials"])}
        write_config(folder, {name: {"url": a.url, **({"auth": auth} if auth else {})} for name, (auth, _) in ways.items()})
        for name, (_, declared) in ways.items():
            a.messages.clear()
            run(folder, "status", name)
            said = a.messages[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
            assert sorted(said.get("extensions", {})) == declared, (name, said)


@test
def a_failed_branch_connects_when_the_login_arrives(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url, "isolation": "session", "protocol": "2025-11-25"}})
        login(folder)
        with gateway(folder) as g:
            connected(g)
            a.forget()
            session = Session(g)
            text, is_error = call(session)
            assert is_error and "needs a login" in text, text
            before = a.count["mcp 401"]
            until(lambda: a.count["mcp 401"] >= before + 3, "its connection is tried with growing pauses")
            login(folder)
            begin = time.monotonic()
            until(lambda: call(session) == ("done: test-tool", False), "the session's connection works")
            assert time.monotonic() - begin < 2, "its pause was waited for"


# ---- McpAuth of the dialect nexo ----

def ask(session, op, id=1):
    status, _, body = session.post("tools/call", {"name": "McpAuth", "arguments": {"server": "p", "op": op}}, id)
    assert status == 200, (status, body)
    result = answer(body)["result"]
    text = result["content"][0]["text"]
    return text if result.get("isError") else json.loads(text)


def seconds(said):
    return datetime.datetime.strptime(said["expires_at"], "%Y-%m-%dT%H:%M:%S%z").timestamp()


@test
def mcp_auth_tells_and_renews(folder):
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})
        with gateway(folder) as g:
            session = Session(g, "/mcp?dialect=nexo")
            assert ask(session, "status") == {"state": "unauthorised"}
            said = ask(session, "refresh")
            assert "needs a login: run 'mcptools login p'" in said, said
            login(folder)
            connected(g)
            said = ask(session, "status")
            assert said["state"] == "authenticated" and abs(seconds(said) - time.time() - 3600) < 60, said
            a.expires_in = 7200
            said = ask(session, "refresh")
            assert said["state"] == "authenticated" and abs(seconds(said) - time.time() - 7200) < 60, said
            assert a.count["refresh"] == 1, a.count
            assert call(session) == ("done: test-tool", False)


@test
def mcp_auth_says_expired(folder):
    with AuthServer() as a:
        a.expires_in, a.gives_refresh_tokens = 2, False
        write_config(folder, {"p": {"url": a.url}})
        login(folder)
        with gateway(folder) as g:
            session = Session(g, "/mcp?dialect=nexo")
            until(lambda: ask(session, "status")["state"] == "expired", "the token expires")
            assert seconds(ask(session, "status")) < time.time() + 1


if __name__ == "__main__":
    main()
