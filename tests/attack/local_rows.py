"""Other users and processes of this machine, configurations and packages that somebody else wrote."""

import contextlib
import http.client
import json
import os
import pathlib
import resource
import stat
import subprocess
import threading

from harness import environment, gateway
from row import attack, held
from scene import Session, server, until, write_config

CONFIG, LOCAL, PACKAGE = "configuration", "local process", "package"


def configuration(name, owasp, what, outcome):
    return attack(name, owasp, CONFIG, what, outcome)


def local(name, owasp, what, outcome):
    return attack(name, owasp, LOCAL, what, outcome)


SHELL = "a b; touch PWNED; $(touch PWNED) `touch PWNED` | touch PWNED && touch PWNED\n* ~ \"'"


def pwned(folder):
    return [p for p in folder.rglob("PWNED*")]


@configuration("argv-by-variable", "MCP05", "has variables in arguments whose values are shell text", "one argument each; no shell")
def argv_by_variable(scene):
    config = scene.folder / "mcptools.json"
    config.write_text(json.dumps({"mcpServers": {"a": {
        "command": "python3", "args": ["-c", "import json,sys,os; json.dump([sys.argv[1:], os.environ['E']], open(sys.argv[1], 'w')); sys.stdin.read()",
                                       str(scene.folder / "argv"), "${EVIL}", "x${EVIL}y", "$EVIL", "$(id)"], "env": {"E": "${EVIL}"}}}}))
    config.chmod(0o600)
    scene.run("list", "--config", config, "--timeout", 5, env={"EVIL": SHELL})
    arguments, variable = json.loads((scene.folder / "argv").read_text())
    assert arguments[1:] == [SHELL, f"x{SHELL}y", "$EVIL", "$(id)"] and variable == SHELL, arguments
    assert not pwned(scene.folder)


@configuration("command-with-shell-text", "MCP05", "names a command with shell text, a relative name, a name that is not in PATH", "it is not found; no shell, no program of the folder")
def command_with_shell_text(scene):
    evil = scene.folder / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {scene.folder}/PWNED\n")
    evil.chmod(0o755)
    for command in (f"sh -c 'touch {scene.folder}/PWNED'", f"true; touch {scene.folder}/PWNED", "evil", "$(touch PWNED)", "`touch PWNED`", "", " ", "\u0000", "evil\n"):
        config = scene.folder / "c.json"
        config.write_text(json.dumps({"mcpServers": {"a": {"command": command}}}))
        config.chmod(0o600)
        done = scene.run("list", "--config", config, "--timeout", 5)
        assert done.returncode, (command, done.stdout)
        assert not pwned(scene.folder), command


@configuration("urls-of-other-schemes", "MCP05", "has URLs of the schemes file, gopher, javascript, data, and with credentials or controls", "refused; no file is read")
def urls_of_other_schemes(scene):
    for url in ("file:///etc/passwd", "gopher://127.0.0.1:1/x", "javascript:alert(1)", "data:application/json,{}", "ftp://127.0.0.1/x", "http:///mcp",
                "http://127.0.0.1:99999/", "http://127.0.0.1:1/\r\nX-Evil: 1", "unix:///var/run/docker.sock", "//127.0.0.1/x", "dict://127.0.0.1:1/"):
        config = scene.folder / "c.json"
        config.write_text(json.dumps({"mcpServers": {"a": {"url": url}}}))
        config.chmod(0o600)
        done = scene.run("list", "--config", config, "--timeout", 5)
        assert done.returncode and "root:" not in done.stdout + done.stderr, (url, done)


@configuration("headers-with-line-breaks", "MCP05", "has headers and tokens with line breaks", "refused")
def headers_with_line_breaks(scene):
    for entry in ({"headers": {"X-A": "b\r\nX-Evil: 1"}}, {"headers": {"X-A\r\nX-Evil": "1"}}, {"headers": {"": "x"}}, {"headers": {"X A": "x"}},
                  {"auth": {"type": "bearer", "token": "a\r\nX-Evil: 1"}}):
        config = scene.folder / "c.json"
        config.write_text(json.dumps({"mcpServers": {"a": {"url": "http://127.0.0.1:1/mcp", **entry}}}))
        config.chmod(0o600)
        done = scene.run("list", "--config", config, "--timeout", 5)
        assert done.returncode and "header" in (done.stdout + done.stderr).lower(), (entry, done)


@configuration("files-that-are-none", "LLM10", "is a device without end, a folder, 200 MB, or a link to itself", "refused at once")
def files_that_are_none(scene):
    loop, large = scene.folder / "loop.json", scene.folder / "large.json"
    loop.symlink_to(loop)
    with open(large, "wb") as f:
        f.truncate(200 << 20)
    for path in (loop, large, scene.folder, "/dev/zero", "/dev/full", "/proc/self/mem"):
        done = scene.run("list", "--config", path, timeout=20)
        assert done.returncode in (1, 2) and done.stderr, (path, done)


@configuration("texts-that-are-deep", "LLM10", "is JSON of depth 100,000, YAML that grows a billion times, TOML of deep tables", "refused at once")
def texts_that_are_deep(scene):
    laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)) + "mcpServers: {}\n"
    for name, text in (("a.json", "[" * 100000 + "]" * 100000), ("b.json", '{"mcpServers":' * 100000), ("c.yaml", laughs), ("d.toml", "[" + "a." * 50000 + "a]\n"),
                       ("e.yaml", "a: " + "[" * 100000), ("f.json5", "{a:" * 100000), ("g.json", '{"mcpServers":{"a":{"command":"x","args":' + "[" * 3000 + "]" * 3000 + "}}}")):
        path = scene.folder / name
        path.write_text(text)
        path.chmod(0o600)
        done = scene.run("list", "--config", path, timeout=30)
        assert done.returncode in (1, 2) and done.stderr, (name, done)


@configuration("file-of-another-user", "MCP09", "is an `mcptools.json` or `.mcp.json` in the working directory that another user wrote", "it is not read; nothing starts")
def file_of_another_user(scene):
    if os.geteuid() != 0:
        return
    for name in ("mcptools.json", ".mcp.json"):
        path = scene.folder / name
        path.write_text(json.dumps({"mcpServers": {"a": {"command": "touch", "args": [str(scene.folder / "PWNED")]}}}))
        os.chown(path, 65534, 65534)
        done = scene.run("list", "--timeout", 5)
        assert not pwned(scene.folder), (name, done)
        path.unlink()


@configuration("project-files-that-are-none", "LLM10", "is a `.mcp.json` or `mcptools.json` in the working directory that is a FIFO, a folder, a link to itself, a device or 200 MB",
               "it is refused or skipped at once; nothing waits for it")
def project_files_that_are_none(scene):
    for name in (".mcp.json", "mcptools.json"):
        path = scene.folder / name
        for make in (os.mkfifo, os.mkdir, lambda p: p.symlink_to(p), lambda p: p.symlink_to("/dev/zero"), lambda p: p.symlink_to("/dev/tty"), sparse):
            make(path)
            for words in (("list", "--timeout", 5), ("config", "check"), ("serve", "--stdio")):
                done = scene.run(*words, timeout=20)
                assert done.returncode in (0, 1, 2) and done.stdout + done.stderr or words[0] == "serve", (name, words, done)
            path.rmdir() if path.is_dir() else path.unlink()


def sparse(path):
    with open(path, "wb") as f:
        f.truncate(200 << 20)


@configuration("dotenv", "MCP05", "has a `.env` beside it, with LD_PRELOAD, PATH, MCPTOOLS_CONFIG, MCPTOOLS_TRUST and variables that it names", "it is not read")
def dotenv(scene):
    evil = scene.folder / "evil.json"
    evil.write_text(json.dumps({"mcpServers": {"evil": {"command": "touch", "args": [str(scene.folder / "PWNED")]}}}))
    shown = scene.folder / "shown"
    config = scene.folder / "mcptools.json"
    config.write_text(json.dumps({"mcpServers": {"a": {
        "command": "python3", "args": ["-c", "import json,sys,os; json.dump(dict(os.environ), open(sys.argv[1], 'w'))", str(shown)], "env": {"FROM": "${TRAP:-nothing}"}}}}))
    for path in (config, evil):
        path.chmod(0o600)
    (scene.folder / "bin").mkdir()
    (scene.folder / "bin" / "python3").write_text(f"#!/bin/sh\ntouch {scene.folder}/PWNED\n")
    (scene.folder / "bin" / "python3").chmod(0o755)
    lines = {"LD_PRELOAD": scene.folder / "evil.so", "PATH": f"{scene.folder}/bin", "MCPTOOLS_CONFIG": evil, "MCPTOOLS_TRUST": "/", "TRAP": "trap", "XDG_CONFIG_HOME": scene.folder}
    for name in (".env", ".env.local", ".envrc"):
        (scene.folder / name).write_text("".join(f"export {k}={v}\n{k}={v}\n" for k, v in lines.items()))
    scene.run("list", "--timeout", 5)
    seen = json.loads(shown.read_text())
    assert seen["FROM"] == "nothing", seen
    assert not [k for k, v in lines.items() if seen.get(k) == str(v)], seen
    assert not pwned(scene.folder)


@configuration("plugin-of-others", "MCP04", "names a plugin that another user owns, or that every user may write to", "it is not loaded, and the error says what to change")
def plugin_of_others(scene):
    plugin = scene.folder / "tools.so"
    plugin.write_text("no plugin: the owner is looked at first")
    config = write_config(scene.folder, {"p": {"type": "plugin", "path": str(plugin)}})

    def refused(why):
        done = scene.run("list", "--config", config, "--timeout", 20)
        assert done.returncode and why in done.stdout, (why, done)
    plugin.chmod(0o775)
    refused("file too short")
    plugin.chmod(0o757)
    refused("every user may write to it")
    plugin.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(plugin, 65534, 65534)
        refused("belongs to another user")


# ---- this machine ----

@local("log-files-full", "MCP08", "fills the disk of the logs (ENOSPC, and the limit of file sizes)", "the gateway goes on and says that lines are lost")
def log_files_full(scene):
    write_config(scene.folder, {"good": server("--tools", 1)}, {"serve": {"access_log": "/dev/full", "audit_log": str(scene.folder / "audit.log")}})

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    with gateway(scene.folder, before=small_files) as g:
        s = Session(g.wait_ready())
        for n in range(200):
            assert s.call("tools/call", {"name": "tool0", "arguments": {"n": n}}, n)["structuredContent"]
        assert (scene.folder / "audit.log").stat().st_size <= 20000


@local("descriptors-used-up", "LLM10", "uses up the descriptors of the gateway (EMFILE)", "who is connected is served; others are when there is room again")
def descriptors_used_up(scene):
    import socket
    write_config(scene.folder, {"good": server("--tools", 1)})

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    with gateway(scene.folder, before=few) as g:
        s = Session(g.wait_ready())
        with contextlib.ExitStack() as stack:
            for _ in range(200):
                with contextlib.suppress(OSError):
                    stack.enter_context(socket.create_connection(("127.0.0.1", g.port), timeout=2))

        def has_room():
            with contextlib.suppress(OSError, http.client.HTTPException):  # a connection without a descriptor is closed
                return g.request("GET", "/healthz")[0] == 200
        until(has_room, "there is room again")
        assert s.call("tools/call", {"name": "tool0", "arguments": {}})["structuredContent"]


@local("planted-sockets", "MCP07", "plants links, files and a foreign socket where the control socket will be", "the gateway does not write through them, and works without a socket")
def planted_sockets(scene):
    write_config(scene.folder, {"good": server("--tools", 1)})
    victim = scene.folder / "precious"
    victim.write_text("precious")
    runtime = pathlib.Path(environment(scene.folder)["XDG_RUNTIME_DIR"])
    outside = scene.folder / "outside"
    outside.mkdir()
    (runtime / "mcptools").symlink_to(outside)
    with gateway(scene.folder) as g:
        g.wait_ready()
        assert victim.read_text() == "precious"
        mode = stat.S_IMODE(os.stat(outside).st_mode)
        assert not list(outside.iterdir()) or mode & 0o077 == 0, (list(outside.iterdir()), oct(mode))


@local("planted-state", "MCP01", "makes the folders of state and logins readable for all, or links", "logins in them are not used or are made private")
def planted_state(scene):
    write_config(scene.folder, {"good": server("--tools", 1)})
    state = scene.folder / ".local" / "state"
    state.mkdir(parents=True)
    precious = scene.folder / "precious"
    precious.mkdir()
    (precious / "file").write_text("precious")
    (state / "mcptools").symlink_to(precious)
    done = scene.run("list", "--timeout", 10)
    assert done.returncode in (0, 1, 2, 4), done
    assert (precious / "file").read_text() == "precious"


@local("signals-without-end", "LLM10", "sends SIGHUP without end, so that the configuration is read again and again", "calls are answered")
def signals_without_end(scene):
    import signal
    write_config(scene.folder, {"good": server("--tools", 1)})
    with gateway(scene.folder) as g:
        s, stop = Session(g.wait_ready()), threading.Event()

        def storm():
            while not stop.wait(0.005):
                g.process.send_signal(signal.SIGHUP)
        t = threading.Thread(target=storm)
        t.start()
        for n in range(100):
            assert s.call("tools/call", {"name": "tool0", "arguments": {"n": n}}, n)["structuredContent"]
        stop.set()
        t.join()


@local("arguments-of-processes", "MCP01", "reads the command lines of all processes", "no secret of the configuration is in them")
def arguments_of_processes(scene):
    config = write_config(scene.folder, {"good": server("--tools", 1, env={"API_KEY": "s3cret-env"}), "u": {
        "url": "http://127.0.0.1:1/mcp", "auth": {"type": "bearer", "token": "s3cret-token"}, "headers": {"X-Key": "s3cret-header"}}},
        {"serve": {"tokens": ["s3cret-of-clients"]}})
    with gateway(scene.folder, "--config", config):
        seen = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        assert "s3cret" not in seen


# ---- held elsewhere ----

held("bundle-archives", "MCP04", PACKAGE, "is an archive with paths out of its folder, links, devices, bombs, doubled names", "refused; nothing is unpacked outside",
     "program/test_bundle.py", "hostile_archives")
held("bundle-hash", "MCP04", PACKAGE, "differs from the hash that the registry published", "refused", "program/test_bundle.py", "a_bundle_of_a_registry_must_have_its_hash")
held("bundle-signature", "MCP04", PACKAGE, "has a signature that is not right", "it is told", "program/test_bundle.py", "a_signature_is_checked")
held("bundle-manifest", "MCP04", PACKAGE, "has a manifest with variables, paths and members that cannot be", "refused, with the reason", "program/test_bundle.py",
     "manifests_that_cannot_be_used")
held("registry-consent", "MCP04", PACKAGE, "is named like a known one in a registry", "nothing of it runs before a person says yes", "program/test_add.py",
     "nothing_of_others_runs_without_consent", "what_is_dangerous_needs_more_than_yes")
held("control-socket-of-others", "MCP07", LOCAL, "connects to the control socket of another user", "refused", "program/test_control.py", "another_user_is_refused",
     "an_open_folder_of_sockets_is_not_used")
held("control-socket-lines", "LLM10", LOCAL, "sends malformed and endless lines to the control socket", "its connection ends", "program/test_control.py",
     "hostile_lines_cost_their_connection_only")
held("secrets-by-command", "MCP05", CONFIG, "has `${cmd:}` with shell text, commands that hang or fail", "no shell; ten seconds; the secret is not shown", "program/test_secrets.py",
     "commands_are_run_without_a_shell", "a_command_has_ten_seconds", "mistakes_name_the_place_and_never_the_secret", "reading_the_configuration_runs_nothing")
held("terminal", "MCP05", "stdio server", "puts escape sequences and bidi characters into all of its texts", "on a terminal they are harmless in every command and format",
     "program/test_terminal.py", "no_command_lets_text_steer_the_terminal", "nor_do_refusals_over_http", "nor_do_questions", "nor_does_watch", "nor_does_serve")
held("cores", "MCP01", LOCAL, "makes the program crash to read its core", "there is no core file", "program/test_secrets.py", "the_program_leaves_no_core_and_its_servers_may")
