"""Secrets in configuration: where they come from, what mistakes say, and that nothing shows them."""

import json
import os
import pathlib
import resource
import subprocess
import threading

from auth_server import AuthServer, browser
from guarded import guard
from harness import MCPTOOLS, Gateway, environment, main, run, server, test, until, write_config


def printer(**variables):
    """A server that prints a variable of its environment to a file and ends."""
    return {"command": "/bin/sh", "args": ["-c", 'printf %s "$A" > out'], "env": variables}


def env_of(folder, value, env=None, config=None):
    """What a server gets for the text in its environment: (the text, the result of the program)."""
    (folder / "out").unlink(missing_ok=True)
    config = config or write_config(folder, {"t": printer(A=value)})
    done = run(folder, "--config", config, "call", "t.x", env=env)
    return (folder / "out").read_text() if (folder / "out").exists() else None, done


def secret_file(folder, text, name="secret.txt"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return path


@test
def files_are_read(folder):
    secret_file(folder, b"\n  the secret \r\n")
    (folder / "home" / "sub").mkdir(parents=True)
    secret_file(folder / "home", b"at home", "sub/s")
    for written, text in ((f"${{file:{folder}/secret.txt}}", "the secret"), ("${file:secret.txt}", "the secret"),
                          ("${file:./secret.txt}", "the secret"), ("a${file:secret.txt}b${file:secret.txt}", "athe secretbthe secret"),
                          ("${file:~/sub/s}", "at home"), ("$${file:secret.txt}", "${file:secret.txt}"),
                          ("${file:-preset}", "preset"), ("${MISSING:-x}${file:secret.txt}", "xthe secret")):
        shown, done = env_of(folder, written, {"HOME": str(folder / "home")})
        assert shown == text, (written, shown, done.stderr)


@test
def paths_are_relative_to_the_configuration(folder):
    (folder / "etc").mkdir()
    secret_file(folder / "etc", b"beside the configuration")
    secret_file(folder, b"in the working directory")
    for written, text in (("secret.txt", "beside the configuration"), ("../secret.txt", "in the working directory")):
        config = write_config(folder / "etc", {"t": printer(A=f"${{file:{written}}}")})
        for path in (config, "etc/mcptools.json"):
            shown, done = env_of(folder, None, config=path)
            assert shown == text, (written, path, done.stderr)


@test
def commands_are_run_without_a_shell(folder):
    tool = folder / "my tool"
    tool.write_text("#!/bin/sh\nprintf '%s|' \"$@\"\necho 'this is not shown' >&2\n")
    tool.chmod(0o755)
    for written, text in ((f"${{cmd:'{tool}' a 'b c' \"}}\" $HOME;x}}", "a|b c|}|$HOME;x|"),
                          ("${cmd:printf '  %s  ' x}", "x"), (f"-${{cmd:'{tool}' \\}}}}-", "-}|-")):
        shown, done = env_of(folder, written)
        assert shown == text, (written, shown, done.stderr)
        assert "not shown" not in done.stderr


@test
def credentials_of_systemd_are_read(folder):
    secret_file(folder / "creds", b"from systemd\n", "token")
    shown, done = env_of(folder, "${credential:token}", {"CREDENTIALS_DIRECTORY": str(folder / "creds")})
    assert shown == "from systemd", done


@test
def mistakes_name_the_place_and_never_the_secret(folder):
    """Each row: what is written, what the error says; MARK is a secret that it must not show."""
    secret_file(folder, b"MARK\0MARK", "nul")
    secret_file(folder, b" \n", "empty")
    secret_file(folder, b"MARK" * 20000, "large")
    secret_file(folder / "creds", b"\n", "empty")
    os.mkfifo(folder / "fifo")
    rows = (
        ("${file:none}", "/none}: No such file"), ("${file:nul}", "NUL byte"), ("${file:empty}", "is empty"),
        ("${file:large}", "more than 64 KiB"), ("${file:creds}", "directory"), ("${file:fifo}", "is empty"),
        ("${file:}", "No such file"), ("${file:none", 'without "}"'),
        ("${cmd:sh -c 'echo MARK; echo MARK >&2; exit 7'}", "${cmd:sh …}: exited with status 7"),
        ("${cmd:sh -c 'kill -9 $$'}", "killed by signal 9"), ("${cmd:true MARK}", "wrote nothing"),
        ("${cmd:no-such-program MARK}", "not found in PATH"), ("${cmd:}", "command line is empty"),
        ("${cmd:head -c 70000 /dev/zero}", "more than 65536 bytes"), ("${cmd:head -c 7 /dev/zero}", "NUL byte"),
        ("${cmd:echo 'MARK}", 'without "}"'),
        ("${credential:none}", "No such file"), ("${credential:empty}", "is empty"), ("${credential:../nul}", "invalid name"),
        ("${credential:}", "invalid name"), ("${credential:..}", "invalid name"),
    )
    for written, says in rows:
        _, done = env_of(folder, written, {"CREDENTIALS_DIRECTORY": str(folder / "creds")})
        assert done.returncode == 2, (written, done)
        assert says in done.stderr and "env.A" in done.stderr, (written, done.stderr)
        assert "MARK" not in done.stdout + done.stderr, (written, done.stderr)
    _, done = env_of(folder, "${credential:x}")
    assert "CREDENTIALS_DIRECTORY is not set" in done.stderr and "LoadCredential=" in done.stderr, done.stderr


@test
def a_command_has_ten_seconds(folder):
    _, done = env_of(folder, "${cmd:sh -c 'echo MARK; sleep 600'}")
    assert done.returncode == 2 and "${cmd:sh …}: did not end within 10 s" in done.stderr, done
    assert "MARK" not in done.stderr


@test
def reading_the_configuration_runs_nothing(folder):
    config = write_config(folder, {"t": server(env={"A": "${cmd:touch ran}"}),
                                   "u": {"url": "http://127.0.0.1:9/mcp", "headers": {"X-A": "${cmd:touch ran}"}}},
                          {"serve": {"tokens": ["${cmd:touch ran}"]}})
    for command in (("config", "check"), ("config", "list"), ("config", "get", "t"), ("config", "get", "u")):
        run(folder, "--config", config, *command)
        assert not (folder / "ran").exists(), command


@test
def headers_and_auth_take_secrets(folder):
    folder = folder / "jürgen"  # a path is no part of a header
    secret_file(folder, b"good\n")
    with guard() as g:
        url = f"http://127.0.0.1:{g.server_address[1]}/mcp"
        for entry in ({"headers": {"Authorization": "Bearer ${file:secret.txt}"}},
                      {"auth": {"type": "bearer", "token": "${file:secret.txt}"}},
                      {"auth": {"type": "bearer", "token": "${cmd:cat secret.txt}"}}):
            config = write_config(folder, {"g": {"url": url, **entry}})
            done = run(folder, "--config", config, "resources", "g")
            assert done.returncode == 0 and "g://1" in done.stdout, done


@test
def tokens_of_clients_take_secrets(folder):
    secret_file(folder, b"token-in-a-file\n")
    config = write_config(folder, {"t": server()}, {"serve": {"tokens": [
        {"token": "${file:secret.txt}", "name": "file"}, {"token": "${cmd:echo from-cmd}", "name": "cmd"},
        {"token": "${TOKEN}", "name": "variable"}, "plain-token-itself"]}})
    gateway = Gateway(folder, "--config", config, env={"TOKEN": "from-the-environment"})
    try:
        for token, status in (("token-in-a-file", 200), ("from-cmd", 200), ("from-the-environment", 200),
                              ("plain-token-itself", 200), ("${file:secret.txt}", 401), ("${TOKEN}", 401)):
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}})
            answer = gateway.request("POST", "/mcp", body, {
                "Authorization": f"Bearer {token}", "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream"})
            assert answer[0] == status, (token, answer)
    finally:
        gateway.stop()


@test
def mistakes_in_tokens_end_serve(folder):
    secret_file(folder, b"MARK-1 \nMARK-2", "two")
    for tokens, says in ((["${file:none}"], "'token-1'"), (["${MISSING}"], "MISSING is not set"), (["${file:two}"], "line breaks"),
                         ([{"token": "${EMPTY}", "name": "e"}], "'e': the token is empty"),
                         (["${SAME}", "same"], "duplicate"), (["${SAME}", "${SAME:-}"], "duplicate")):
        config = write_config(folder, {"t": server()}, {"serve": {"tokens": tokens}})
        done = run(folder, "--config", config, "serve", "--http", "127.0.0.1:0", env={"EMPTY": "", "SAME": "same"})
        assert done.returncode == 2 and says in done.stderr, (tokens, done)
        assert "MARK" not in done.stderr


@test
def a_file_with_secrets_elsewhere_may_be_read_by_others(folder):
    config = write_config(folder, {"t": server(env={"API_TOKEN": "${file:secret.txt}"})},
                          {"serve": {"tokens": ["${file:secret.txt}", "${cmd:echo x}"]}})
    secret_file(folder, b"x")
    config.chmod(0o644)
    done = run(folder, "--config", config, "config", "check")
    assert "chmod" not in done.stdout + done.stderr, done
    config = write_config(folder, {"t": server()}, {"serve": {"tokens": ["${file:secret.txt}", "in-the-file"]}})
    config.chmod(0o644)
    done = run(folder, "--config", config, "config", "check")
    assert "serve.tokens" in done.stdout + done.stderr, done


# ---- nothing shows them ----

KINDS = {"file": "MARK-file", "cmd": "MARK-cmd", "credential": "MARK-credential", "variable": "MARK-variable",
         "literal": "MARK-literal"}


def written(kind):
    return {"file": "${file:secrets/file}", "cmd": "${cmd:cat secrets/cmd}", "credential": "${credential:credential}",
            "variable": "${SECRET_VARIABLE}", "literal": KINDS["literal"]}[kind]


def planted(folder, url):
    """A configuration with a secret of each kind in each place, and the environment that has them."""
    for kind, text in KINDS.items():
        secret_file(folder, text.encode() + b"\n", f"secrets/{kind}")
    servers = {}
    for kind in KINDS:
        servers[f"env-{kind}"] = server(env={"A": written(kind)})
        servers[f"dead-{kind}"] = {"command": "/nonexistent", "env": {"A": written(kind)}}
        servers[f"url-{kind}"] = {"url": f"{url}/{kind}?key={written(kind)}", "headers": {"X-Key": written(kind)}}
        servers[f"auth-{kind}"] = {"url": f"{url}/{kind}", "auth": {"type": "api-key", "key": written(kind)}}
        servers[f"oauth-{kind}"] = {"url": f"{url}/{kind}", "auth": {
            "type": "oauth", "client_id": "c", "client_secret": written(kind), "initial_access_token": written(kind),
            "extra_params": {"p": written(kind)}}}
        servers[f"down-{kind}"] = {"url": f"http://127.0.0.1:9/{kind}?key={written(kind)}",
                                   "auth": {"type": "bearer", "token": written(kind)}}
        servers[f"args-{kind}"] = {"command": "/nonexistent", "args": ["--key", written(kind)]}
    tokens = [{"token": written(kind) + "-token", "name": kind} for kind in KINDS]
    settings = {"serve": {"tokens": tokens, "access_log": "access.log", "audit_log": "audit.log"}}
    config = write_config(folder, servers, settings)
    return config, {"CREDENTIALS_DIRECTORY": str(folder / "secrets"), "SECRET_VARIABLE": KINDS["variable"]}


def expect_clean(text, what, allowed=()):
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    for mark in set(KINDS.values()) - set(allowed):
        lines = [line for line in text.split("\n") if mark in line]
        assert not lines, f"{mark} in {what}: {lines[:5]}"


def children_of(pid):
    return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def below(pid):
    found = children_of(pid)
    return found + [p for child in found for p in below(child)]


@test
def nothing_shows_secrets(folder):
    with guard() as g:
        config, env = planted(folder, f"http://127.0.0.1:{g.server_address[1]}/mcp")
        for command in (("config", "list"), ("config", "list", "-o", "json"), ("config", "check"), ("status",),
                        ("status", "-o", "json"), ("list",), ("list", "-o", "json"), ("tools",), ("-v", "status"),
                        ("--log-level", "debug", "list"), ("resources",), ("watch", "--help"),
                        *(("config", "get", f"{place}-{kind}") for kind in KINDS for place in ("env", "url", "auth", "args", "oauth")),
                        ("auth", "status"), ("auth", "status", "-o", "json"),
                        *(("call", f"{place}-{kind}.x") for kind in KINDS for place in ("dead", "url", "down", "auth", "args"))):
            done = run(folder, "--config", config, *command, env=env)
            expect_clean(done.stdout + done.stderr, command)
        assert all(f"{place}-{kind}" in run(folder, "--config", config, "status", env=env).stdout
                   for place in ("down", "url") for kind in KINDS)
        gateway = Gateway(folder, "--config", config, "--log-level", "debug", "--events", "events.jsonl", env=env)
        try:
            owner = {"Authorization": "Bearer MARK-file-token"}
            until(lambda: b"\"starting\"" not in gateway.request("GET", "/readyz", headers=owner)[2], "servers start")
            for path in ("/readyz", "/healthz", "/metrics", "/", "/status"):
                for token in ("MARK-file-token", "wrong"):
                    expect_clean(gateway.request("GET", path, headers={"Authorization": f"Bearer {token}"})[2], path)
            expect_clean(pathlib.Path(f"/proc/{gateway.process.pid}/cmdline").read_bytes(), "cmdline")
            children = below(gateway.process.pid)
            assert len(children) >= len(KINDS), children
            seen = set()
            for pid in children:
                expect_clean(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes(), "a child's cmdline")
                text = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode()
                if any(e.startswith("A=") for e in text.split("\0")):  # a server gets its own secret and no other
                    own = [mark for mark in KINDS.values() if f"A={mark}\0" in text]
                    assert len(own) == 1, text
                    seen.add(own[0])
                    expect_clean(text, "a child's environment", own)
                elif MCPTOOLS not in os.readlink(f"/proc/{pid}/exe"):
                    expect_clean(text, "a child's environment")
            assert seen == set(KINDS.values()), seen
        finally:
            gateway.stop()
        expect_clean(gateway.text(), "the log")
        for name in ("access.log", "audit.log", "events.jsonl"):
            expect_clean((folder / name).read_bytes(), name)
        for path in (folder / ".cache").rglob("*"):
            if path.is_file():
                expect_clean(path.read_bytes(), path)


# ---- logins in sealed files ----

SECRET_TOOL = """#!/bin/sh
echo "$*" >> "$HOME/arguments"
case "$1" in
lookup) [ -f "$HOME/keyring" ] || exit 1; cat "$HOME/keyring";;
store) cat > "$HOME/keyring";;
esac
"""


@test
def logins_are_sealed_with_a_key_of_the_keyring(folder):
    tool = secret_file(folder / "bin", SECRET_TOOL.encode(), "secret-tool")
    tool.chmod(0o755)
    program, _ = browser(folder)
    env = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "BROWSER": str(program)}
    with AuthServer() as server:
        config = write_config(folder, {"s": {"url": server.url}}, {"auth": {"store": "secret-service"}})
        done = run(folder, "--config", config, "login", "s", env=env)
        assert done.returncode == 0, done
        stored = list((folder / ".local/state/mcptools/credentials").glob("*.json"))
        assert len(stored) == 1
        text, key = stored[0].read_text(), (folder / "keyring").read_text()
        assert text.startswith('{"sealed":') and server.origin not in text and "at-" not in text, text
        assert key not in (folder / "arguments").read_text() + text
        done = run(folder, "--config", config, "call", "s.test-tool", env=env)
        assert done.returncode == 0 and "done: test-tool" in done.stdout, done
        assert server.count["authorize"] == 1
        (folder / "keyring").unlink()  # the key is gone, and with it the login
        done = run(folder, "--config", config, "call", "s.test-tool", env=env)
        assert done.returncode == 3 and "login s" in done.stderr, done
        tool.write_text("#!/bin/sh\necho 'Cannot autolaunch D-Bus' >&2\nexit 1\n")
        done = run(folder, "--config", config, "call", "s.test-tool", env=env)
        assert done.returncode == 3 and "Cannot autolaunch D-Bus" in done.stderr, done
        assert "libsecret-tools" in done.stderr and 'the store "file"' in done.stderr, done


# ---- cores ----

def name_of(pid):
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()


def core_limit(pid):
    for line in pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines():
        if line.startswith("Max core file size"):
            return line.split()[4]
    raise AssertionError("no limit")


@test
def the_program_leaves_no_core_and_its_servers_may(folder):
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    wanted = 4096 if hard == resource.RLIM_INFINITY or hard >= 4096 else hard
    config = write_config(folder, {"t": {"command": "sleep", "args": ["600"]}})
    sanitizer = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":disable_coredump=0"}
    gateway = Gateway(folder, "--config", config, env=sanitizer,
                      before=lambda: resource.setrlimit(resource.RLIMIT_CORE, (wanted, hard)))
    try:
        assert core_limit(gateway.process.pid) == ("1" if hard else "0")
        servers = until(lambda: [p for p in below(gateway.process.pid) if name_of(p) == "sleep"], "the server runs")
        for pid in servers:
            assert core_limit(pid) == str(wanted)
        copies = [p for p in below(gateway.process.pid) if p not in servers]
        assert copies  # the reaper has a copy of the memory
        for pid in copies:
            assert core_limit(pid) != str(wanted) or not wanted
    finally:
        gateway.stop()
    assert soft == resource.getrlimit(resource.RLIMIT_CORE)[0]


main()
