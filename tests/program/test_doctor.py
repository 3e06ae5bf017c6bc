"""`mcptools doctor`: each check with something to find."""

import json
import os
import re
import socket
import subprocess

from auth_server import AuthServer, browser
from harness import MCPTOOLS, environment, gateway, main, run, server, test, write_config


def doctor(folder, *arguments, env=None):
    """The exit status, and the findings as (check, state, message)."""
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    done = run(folder, "doctor", *arguments, "-o", "json", env={"XDG_RUNTIME_DIR": str(runtime), **(env or {})})
    found = json.loads(done.stdout)
    checks = [(c["check"], c["state"], c["message"]) for c in found["checks"]]
    assert found["errors"] == sum(state == "error" for _, state, _ in checks), found
    assert found["warnings"] == sum(state == "warning" for _, state, _ in checks), found
    return done.returncode, checks


def has(checks, check, state, *texts):
    assert any(c == check and s == state and all(t in m for t in texts) for c, s, m in checks), (check, state, texts, checks)


@test
def a_sound_configuration(folder):
    write_config(folder, {"one": server(), "off": server(enabled=False)}, {"serve": {"http": "127.0.0.1:0"}})
    status, checks = doctor(folder)
    assert status == 0, checks
    has(checks, "configuration", "ok", "mcptools.json: 2 servers, 1 disabled")
    has(checks, "programs", "ok", "used by one")
    has(checks, "gateway", "ok", "none runs")
    has(checks, "system", "ok", "the clock says")
    has(checks, "terminal", "ok", "not a terminal")
    text = run(folder, "doctor").stdout
    assert text.startswith("configuration\n  ok       ") and "\x1b" not in text, text


@test
def folders_that_cannot_be_made(folder):
    (folder / "home").mkdir()
    (folder / "home").chmod(0o555)
    folder.chmod(0o755)
    user = {"user": 65534, "extra_groups": []} if os.geteuid() == 0 else {}  # whom modes bind
    done = subprocess.run([MCPTOOLS, "doctor", "-o", "json"], cwd="/", env={**environment(folder), "HOME": str(folder / "home")}, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120, **user)
    checks = [(c["check"], c["state"], c["message"]) for c in json.loads(done.stdout)["checks"]]
    has(checks, "folders", "warning", f"logins: {folder}/home/.local/state/mcptools cannot be made: {folder}/home: Permission denied")


@test
def nothing_configured(folder):
    status, checks = doctor(folder)
    assert status == 0, checks
    has(checks, "configuration", "warning", "nothing is configured")


@test
def logins_that_expire(folder):
    program, _ = browser(folder)
    with AuthServer() as a:
        write_config(folder, {"p": {"url": a.url}})

        def login(refresh, expires_in):
            a.gives_refresh_tokens, a.expires_in = refresh, expires_in
            done = run(folder, "login", "p", env={"BROWSER": str(program)})
            assert done.returncode == 0, done
            return doctor(folder)[1]

        has(login(True, 600), "logins", "ok", a.url, "renewed by itself")
        run(folder, "logout", "p")
        has(login(False, 24 * 3600), "logins", "ok", a.url + ": logged in")
        has(login(False, 1800), "logins", "warning", a.url, "expires within the hour", "mcptools login " + a.url)
        store = next(p for p in (folder / ".local" / "state" / "mcptools").rglob("*") if "expires_at" in _text(p))
        store.write_text(re.sub(r'"expires_at":\s*\d+', '"expires_at":1000000000', store.read_text()))
        has(doctor(folder)[1], "logins", "warning", a.url, "the login has expired", "mcptools login " + a.url)


def _text(path):
    return path.read_text() if path.is_file() else ""


@test
def mistakes_of_the_configuration(folder):
    write_config(folder, {"bad": {"comand": "x"}, "gone": {"command": "no-such-program-anywhere"}})
    status, checks = doctor(folder)
    assert status == 2, checks
    has(checks, "configuration", "error", "mcpServers.bad")
    has(checks, "configuration", "warning", "comand: unknown key")
    has(checks, "programs", "error", "no-such-program-anywhere: not found", "used by gone")
    write_config(folder, {"gone": {"command": "no-such-program-anywhere"}})
    assert doctor(folder)[0] == 8


@test
def modes_of_files(folder):
    config = write_config(folder, {"one": server(env={"TOKEN": "s3cret"})})
    config.chmod(0o644)
    has(doctor(folder)[1], "configuration", "warning", "other users may read it", "chmod 600")
    config.chmod(0o602)
    _, checks = doctor(folder)
    assert any("other users may write" in m for _, _, m in checks), checks
    assert "s3cret" not in json.dumps(checks)


@test
def versions_of_runtimes(folder):
    """A runtime is asked for its version; a program that is none is not started."""
    programs = folder / "programs"
    programs.mkdir()
    for name, text in (("node", "echo v16.1.0"), ("npx", "echo 9.9.9"), ("uvx", "sleep 1000"), ("mine", f"touch {folder}/started")):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    write_config(folder, {"a": {"command": "npx", "args": ["x"]}, "b": {"command": "mine"},
                          "c": {"command": "${cmd:touch expanded}"}})
    _, checks = doctor(folder, env={"PATH": f"{programs}:{os.environ['PATH']}"})
    has(checks, "programs", "ok", "npx 9.9.9 at", "used by a")
    has(checks, "programs", "warning", "node v16.1.0", "is old", "used by a")
    has(checks, "programs", "ok", "mine at", "used by b")
    assert not (folder / "started").exists() and not (folder / "expanded").exists()


@test
def servers_only_when_asked(folder):
    write_config(folder, {"one": server("--tools", 3), "down": server("--exit-at-start")})
    status, checks = doctor(folder)
    assert status == 0 and not any(c == "servers" for c, _, _ in checks), checks
    status, checks = doctor(folder, "--servers")
    assert status == 8, checks
    has(checks, "servers", "ok", "one: connected, 3 tools")
    has(checks, "servers", "error", "down: ", "mcptools status down")


@test
def network_variables(folder):
    write_config(folder, {"web": {"url": "https://example.com/mcp"}})
    _, checks = doctor(folder, env={"SSL_CERT_FILE": "/no/such/file", "HTTPS_PROXY": "http://user:s3cret@proxy.example:3128"})
    has(checks, "network", "error", "SSL_CERT_FILE: '/no/such/file' cannot be read")
    has(checks, "network", "ok", "HTTPS_PROXY: proxy", "proxy.example:3128")
    has(checks, "network", "ok", "libcurl")
    assert "s3cret" not in json.dumps(checks)


@test
def the_port(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        write_config(folder, {"one": server()}, {"serve": {"http": f"127.0.0.1:{port}"}})
        has(doctor(folder)[1], "port", "warning", f"(process {os.getpid()}) has 127.0.0.1:{port}")


@test
def the_running_gateway(folder):
    write_config(folder, {"one": server()})
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    left = runtime / "mcptools"
    left.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as crashed:
        crashed.bind(str(left / "0123456789abcdef.sock"))
    with gateway(folder, env={"XDG_RUNTIME_DIR": str(runtime)}) as g:
        g.wait_ready()
        _, checks = doctor(folder)
        has(checks, "gateway", "ok", f"running (process {g.process.pid})", "of 1 servers connected")
        has(checks, "gateway", "warning", "1 socket was left")
    has(doctor(folder)[1], "gateway", "ok", "none runs")


@test
def clients_of_this_machine(folder):
    cursor = folder / ".cursor"
    cursor.mkdir()
    (cursor / "mcp.json").write_text(json.dumps({"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}))
    has(doctor(folder)[1], "clients", "ok", "Cursor", "does not use mcptools", "2 servers")
    (cursor / "mcp.json").write_text(json.dumps({"mcpServers": {"m": {"command": "mcptools", "args": ["serve", "--stdio"]}}}))
    has(doctor(folder)[1], "clients", "ok", "Cursor uses mcptools")


@test
def folders(folder):
    state = folder / ".local" / "state" / "mcptools"
    state.mkdir(parents=True)
    state.chmod(0o755)
    has(doctor(folder)[1], "folders", "warning", "logins: ", "chmod 700")
    state.chmod(0o700)
    has(doctor(folder)[1], "folders", "ok", "logins: ")


main()
