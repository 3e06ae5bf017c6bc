"""Configuration that the user did not write: nothing of it is started, contacted or expanded before `mcptools trust`."""

import contextlib
import hashlib
import json
import os
import pathlib
import socket
import subprocess
import threading

import harness
from harness import MCPTOOLS, PATIENCE_S, Session, environment, gateway, main, server, test, until, write_config
from terminal import Terminal

NOT = "is not trusted, so nothing in it is used; run: mcptools trust "
CHANGED = "has changed since it was trusted, so nothing in it is used; run: mcptools trust "


def clean(**more):
    return {"MCPTOOLS_TRUST": "", **more}


def run(folder, *arguments, env=None, home=None, **more):
    """Runs in `folder`, with the home folder beside it: its files are a project's."""
    return harness.run(folder, *arguments, env=clean(**{"HOME": str(home or folder.parent / "home"), **(env or {})}), **more)


def project(folder, name="project"):
    here = folder / name
    here.mkdir(parents=True, exist_ok=True)
    (folder / "home").mkdir(exist_ok=True)
    return here


def records(folder):
    path = folder / "home/.local/state/mcptools/trust.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def trap(folder, word="started"):
    """An entry that leaves a file behind when it is started."""
    return {"command": "sh", "args": ["-c", f"touch {folder / word}; exec {harness.TEST_SERVER} --tools 1"]}


class Listener:
    """Counts connections."""

    def __enter__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.n = 0
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                self.socket.accept()[0].close()
                self.n += 1

    def __exit__(self, *_):
        self.socket.close()


def hostile(folder, port):
    """Everything that a configuration can make happen, each with a file that shows it."""
    def touch(word):
        return "${cmd:touch %s}" % (folder / word)
    return {"mcpServers": {
        "local": trap(folder),
        "remote": {"url": f"http://127.0.0.1:{port}/mcp", "headers": {"X-A": touch("header")}},
        "login": {"url": f"http://127.0.0.1:{port}/mcp", "auth": {"type": "bearer", "token": touch("token")}},
        "env": {"command": "true", "env": {"A": touch("env")}},
        "file": {"command": "true", "args": ["${file:%s}" % (folder / "secret")]},
        "plugin": {"type": "plugin", "path": "./plugin.so"},
        "claw": {"type": "openclaw", "plugins": ["./claw"]},
    }, "mcptools": {
        "serve": {"http": "127.0.0.1:1", "tokens": [{"name": "t", "token": touch("serve")}], "access_log": str(folder / "access.log")},
        "hooks": [{"on": "before", "command": "touch", "args": [str(folder / "hook")]}],
        "telemetry": {"endpoint": f"http://127.0.0.1:{port}"},
        "policy": {"deny": ["*"]},
        "import": ["cursor"],
    }}


TRACES = ("started", "header", "token", "env", "serve", "hook", "access.log")


def nothing_happened(folder, listener):
    assert not [t for t in TRACES if (folder / t).exists()], [t for t in TRACES if (folder / t).exists()]
    assert not listener.n, listener.n


@test
def an_untrusted_file_starts_contacts_and_expands_nothing(folder):
    here = project(folder)
    with Listener() as listener:
        for name in ("mcptools.json", ".mcp.json"):
            (here / name).write_text(json.dumps(hostile(folder, listener.port)))
            for words in (["list"], ["list", "local"], ["call", "local.x"], ["status"], ["doctor", "--servers"], ["config", "check"], ["config", "list"],
                          ["config", "get", "local"], ["tools"], ["resources"], ["prompts"], ["read", "x://y"], ["login", "remote"], ["auth", "status"],
                          ["logs", "local"], ["__complete", "--", "call", "local."], ["completion", "bash"], ["inventory"], ["install"], ["agent", "list"],
                          ["tools", "--as", "t"], ["trust"], ["trust", "-o", "json"], ["config", "import", "claude-code", "--config", folder / "made.json", "--dry-run"]):
                done = run(here, *words)
                assert "Sanitizer" not in done.stderr, done
                nothing_happened(folder, listener)
            done = run(here, "call", "local.x", "-o", "json")
            assert done.returncode == 7 and json.loads(done.stdout)["error"]["kind"] == "policy", done
            assert f"{name}: {NOT}{here / name}" in json.loads(done.stdout)["error"]["message"], done
            (here / name).unlink()


@test
def its_servers_are_shown_with_what_to_do(folder):
    here = project(folder)
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": trap(folder), "b": {"url": "http://127.0.0.1:1/"}}}))
    said = f".mcp.json: {NOT}{here / '.mcp.json'}"
    done = run(here, "list")
    assert done.returncode == 7 and done.stdout.count(said) == 2, done
    done = run(here, "list", "-o", "json")
    errors = json.loads(done.stdout)
    assert done.returncode == 7 and json.dumps(errors).count("is not trusted") == 2, done
    done = run(here, "config", "check")
    assert done.returncode == 2 and f"error: {said}\n1 file, 2 servers, 1 error" in done.stdout, done
    done = run(here, "doctor")
    assert done.returncode == 2 and said in done.stdout, done
    done = run(here, "call", "a.x")
    assert done.returncode == 7 and done.stderr.count(said) == 2 and done.stderr.startswith("mcptools: error: " + said), done


@test
def the_gateway_serves_what_is_the_users_own(folder):
    here = project(folder)
    own = folder / "home/.config/mcptools"
    own.mkdir(parents=True)
    write_config(own, {"mine": server("--tools", "1"), "both": server("--tools", "2")})
    with Listener() as listener:
        text = hostile(folder, listener.port)
        text["mcpServers"]["both"] = trap(folder)
        (here / "mcptools.json").write_text(json.dumps(text))
        with gateway(here, env=clean(HOME=str(folder / "home"))) as g:
            assert NOT in g.text(), g.text()
            s = Session(g)
            until(lambda: len(s.call("tools/list")["tools"]) == 3, "the user's servers are there, with their own names and policy")
        nothing_happened(folder, listener)
        done = run(here, "call", "both.tool-0001")
        assert done.returncode in (0, 5) and "not trusted" in done.stderr, done  # the user's own, not the project's
        nothing_happened(folder, listener)


@test
def trust_shows_and_records_and_one_byte_ends_it(folder):
    here = project(folder)
    file = here / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": trap(folder)}}))
    done = run(here, "trust")
    assert done.returncode == 7 and f"$ sh -c 'touch {folder}/started" in done.stdout and "add --yes" in done.stderr and not records(folder), done
    done = run(here, "trust", "--yes")
    assert done.returncode == 0 and f"{file}: trusted" in done.stdout, done
    only, = records(folder)
    assert only["path"] == str(file) and only["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest(), only
    state = folder / "home/.local/state/mcptools"
    assert state.stat().st_mode & 0o777 == 0o700 and (state / "trust.jsonl").stat().st_mode & 0o777 == 0o600
    assert run(here, "list").returncode == 0 and (folder / "started").exists()
    (folder / "started").unlink()
    before = file.read_text()
    file.write_text(before + " ")
    done = run(here, "list")
    assert done.returncode == 7 and CHANGED in done.stdout and not (folder / "started").exists(), done
    assert json.loads(run(here, "trust", "-o", "json").stdout)["files"][0]["state"] == "changed"
    file.write_text(before)  # as after a change of branches: that content was trusted
    assert run(here, "list").returncode == 0
    done = run(here, "trust")
    assert done.returncode == 0 and f"{file}: trusted\n" in done.stdout, done
    done = run(here, "trust", "--revoke", ".mcp.json")
    assert done.returncode == 0 and "not trusted any more" in done.stdout and not records(folder), done
    assert NOT in run(here, "list").stdout
    done = run(here, "trust", "--revoke", ".mcp.json", "-o", "json")
    assert done.returncode == 5 and json.loads(done.stdout)["error"]["kind"] == "not_found", done


@test
def a_copy_elsewhere_and_a_link_need_trust_of_their_own(folder):
    here, there = project(folder), project(folder, "there")
    text = json.dumps({"mcpServers": {"a": trap(folder)}})
    (here / ".mcp.json").write_text(text)
    assert run(here, "trust", "--yes").returncode == 0
    (there / ".mcp.json").write_text(text)
    assert run(there, "list").returncode == 7
    link = folder / "link"
    link.symlink_to(here)
    assert run(link, "list").returncode == 0  # the same file by another way
    (there / ".mcp.json").unlink()
    (there / ".mcp.json").symlink_to(here / ".mcp.json")
    assert run(there, "list").returncode == 7
    done = run(there, "trust", "--yes")
    assert done.returncode == 0 and f"note: it is a symbolic link to {here / '.mcp.json'}" in done.stdout, done
    assert run(there, "list").returncode == 0
    (there / "same.json").write_text(text)
    (there / ".mcp.json").unlink()
    (there / ".mcp.json").symlink_to("same.json")  # swapped: the same content, another file
    assert run(there, "list").returncode == 7
    listed = json.loads(run(there, "trust", "--list", "-o", "json").stdout)["files"]
    assert [(f["file"], f["state"]) for f in listed] == [(str(here / ".mcp.json"), "current"), (str(there / ".mcp.json"), "changed")], listed


@test
def what_is_shown_hides_nothing(folder):
    here = project(folder)
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {
        "a\x1b[2J": {"command": "sh", "args": ["-c", "true # \u202e\u200b\x1b]0;x\x07\r\n ok"], "env": {"API_KEY": "geheim", "LD_PRELOAD": "./evil.so"}},
        "long": {"command": "x", "args": [" " * 5000 + "evil"]},
        "secret": {"url": "https://user:geheim@example.com/mcp?key=geheim", "headers": {"Authorization": "geheim"}},
        "all": {"command": "${A:-x}", "args": ["--token", "geheim", "${cmd:pass show x}", "${file:/etc/passwd}", "$${B}"], "cwd": "~/x"}},
        "mcptools": {"serve": {"tokens": [{"name": "n", "token": "geheim"}, {"name": "m", "token": "${cmd:evil}"}]}, "hooks": [{"on": "before", "command": "./hook"}]}}))
    (here / ".mcp.json").rename(here / "mcptools.json")
    for words in (["trust"], ["trust", "mcptools.json"], ["trust", here]):
        done = run(here, *words)
        assert done.returncode == 7 and "geheim" not in done.stdout + done.stderr, done
        assert not [c for c in done.stdout if ord(c) < 32 and c != "\n"] and "\u202e" not in done.stdout and "\u200b" not in done.stdout, done
        for text in ("a\\u{1b}[2J", "\\u{202e}\\u{200b}\\u{1b}]0;x\\u{7}\\u{d}\\u{a} ok", "API_KEY=***", "LD_PRELOAD=./evil.so", "x '[5000 blanks]evil'",
                     "https://***@example.com/mcp?***", "Authorization: ***", "--token '***'",
                     "gets your variable A\n", "runs for a value: pass show x", "reads the file /etc/passwd", "in ~/x", "runs for a value: evil", "$ ./hook",
                     'serve.tokens[0].token = "***"'):
            assert text in done.stdout, (text, done.stdout)
        assert "variable B" not in done.stdout, done
    shown = json.loads(run(here, "trust", "-o", "json").stdout)["files"][0]
    assert [s["name"] for s in shown["servers"]] == ["a\x1b[2J", "long", "secret", "all"] and shown["state"] == "untrusted", shown
    assert shown["servers"][3]["expands"] == ["A", "cmd:pass show x", "file:/etc/passwd"] and shown["expands"] == ["cmd:evil"], shown
    assert shown["hooks"] == [{"command": "./hook"}] and {"key": "serve.tokens[0].name", "value": "n"} in shown["settings"], shown


@test
def at_a_terminal_the_answer_decides(folder):
    here = project(folder)
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": trap(folder)}}))
    for answer, status in ((b"n\n", 7), (b"\n", 7), (b"yes\n", 0)):
        t = Terminal(here, "trust", env=clean(HOME=str(folder / "home")))
        t.until(b"[y/N] ")
        t.type(answer)
        assert t.end()[0] == status, answer
        assert len(records(folder)) == (not status), answer


@test
def our_own_changes_keep_trust_and_give_none(folder):
    here = project(folder)
    file = here / "mcptools.json"
    assert run(here, "config", "add", "a", "--project", "--", harness.TEST_SERVER).returncode == 0  # a new file is the user's
    assert run(here, "list").returncode == 0
    for words in (["config", "set", "a.timeout", "7"], ["config", "add", "b", "--", harness.TEST_SERVER], ["config", "disable", "b"], ["config", "remove", "b"],
                  ["add", "--name", "c", "--yes", "--", harness.TEST_SERVER], ["config", "set", "serve.mode", "search"], ["config", "unset", "serve.mode"]):
        done = run(here, *words)
        assert done.returncode == 0 and run(here, "list").returncode == 0, (words, done)
    for i in range(10, 20):
        assert run(here, "config", "set", "a.timeout", i).returncode == 0
    assert len(records(folder)) == 8 and run(here, "list").returncode == 0  # the last contents
    before = file.read_bytes()
    assert run(here, "config", "set", "a.timeout", "9", "--dry-run").returncode in (0, 1) and file.read_bytes() == before
    file.write_text(json.dumps({"mcpServers": {"evil": trap(folder)}}))
    for words in (["config", "add", "d", "--", harness.TEST_SERVER], ["config", "set", "serve.mode", "search"], ["config", "disable", "evil"], ["config", "enable", "evil"],
                  ["add", "--name", "e", "--yes", "--no-check", "--", harness.TEST_SERVER]):
        done = run(here, *words)
        assert done.returncode == 0, (words, done)
        done = run(here, "list")
        assert done.returncode == 7 and not (folder / "started").exists(), (words, done)
    alone = project(folder, "alone")
    done = run(alone, "config", "add", "a", "--project", "--", "true", env={"HOME": ""})
    assert done.returncode == 0 and (alone / "mcptools.json").exists() and "is not trusted where it is found: there is no folder" in done.stderr, done
    made = folder / "home/.config/mcptools/mcptools.json"
    assert run(folder / "home", "config", "add", "x", "--", harness.TEST_SERVER, home=folder / "home").returncode == 0
    assert made.exists() and not [r for r in records(folder) if r["path"] == str(made)]  # the user's own needs none


@test
def what_the_user_wrote_or_named_needs_no_trust(folder):
    here = project(folder)
    own = folder / "home/.config/mcptools"
    own.mkdir(parents=True)
    write_config(own, {"mine": server("--tools", "1")})
    assert run(here, "list").returncode == 0
    assert run(own, "list", home=folder / "home").returncode == 0  # it is in the working directory as well
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": server("--tools", "1")}}))
    assert run(here, "list", "--config", ".mcp.json").returncode == 0
    for value, status in ((str(here), 0), (f"/nowhere:{folder}/", 0), (str(here / ".mcp.json"), 0), (str(here) + "2", 8), (".", 8), ("", 8), ("/nowhere", 8)):
        assert run(here, "list", env={"MCPTOOLS_TRUST": value}).returncode == status, value
    assert not records(folder)
    cursor = folder / "home/.cursor"
    cursor.mkdir()
    (cursor / "mcp.json").write_text(json.dumps({"mcpServers": {"c": server("--tools", "1")}}))
    (own / "mcptools.json").write_text('{"mcptools": {"import": ["cursor"]}}')
    assert "connected" in run(folder / "home", "list", home=folder / "home").stdout  # the user's file, although it lies in the working directory


@test
def project_files_of_other_programs_need_trust(folder):
    here = project(folder)
    own = folder / "home/.config/mcptools"
    own.mkdir(parents=True)
    (own / "mcptools.json").write_text('{"mcptools": {"import": "all"}}')
    for path, key in ((".cursor/mcp.json", "mcpServers"), (".vscode/mcp.json", "servers")):
        (here / path).parent.mkdir()
        (here / path).write_text(json.dumps({key: {"a": trap(folder)}}))
        done = run(here, "list")
        assert done.returncode == 7 and f"{path}: {NOT}{here / path}" in done.stdout and not (folder / "started").exists(), done
        done = run(here, "config", "import", "--all", "--config", folder / "made.json")
        assert "left out   a: " in done.stdout and NOT in done.stdout, done
        done = run(here, "trust", "--yes")
        assert done.returncode == 0 and f"{here / path}: trusted" in done.stdout, done
        done = run(here, "list")
        assert done.returncode == 0 and (folder / "started").exists(), done
        (folder / "started").unlink()
        (here / path).unlink()


@test
def an_installation_does_not_wash_a_file(folder):
    here = project(folder)
    (folder / "home/.cursor").mkdir()
    (here / "mcptools.json").write_text(json.dumps({"mcpServers": {"a": trap(folder)}}))
    done = run(here, "install", "cursor", "--yes")
    assert done.returncode == 7 and "is not trusted" in done.stderr and not (folder / "home/.cursor/mcp.json").exists(), done
    assert run(here, "trust", "--yes").returncode == 0
    done = run(here, "install", "cursor", "--yes", "--project", "--create")
    assert done.returncode == 0 and (here / ".cursor/mcp.json").exists(), done
    assert str(here / ".cursor/mcp.json") in [r["path"] for r in records(folder)]


@test
def a_running_gateway_keeps_what_was_trusted(folder):
    here = project(folder)
    file = here / "mcptools.json"
    write_config(here, {"a": server("--tools", "1")}, {"serve": {"http": "127.0.0.1:0"}})
    assert run(here, "trust", "--yes").returncode == 0
    env = clean(HOME=str(folder / "home"))
    with gateway(here, env=env) as g:
        g.wait_ready()
        s = Session(g)
        names = lambda: [t["name"] for t in s.call("tools/list")["tools"]]
        old = names()
        file.write_text(json.dumps({"mcpServers": {"a": server("--tools", "1"), "evil": trap(folder)}, "mcptools": {"serve": {"http": "127.0.0.1:0"}}}))
        until(lambda: CHANGED in g.text() and "the old one stays in use" in g.text(), "the change is told")
        assert names() == old and not (folder / "started").exists(), g.text()
        assert run(here, "call", "a.x").returncode == 7  # commands read the file as it is now
        assert run(here, "trust", "--yes").returncode == 0
        until(lambda: "configuration reloaded: +evil" in g.text(), "it is taken as soon as it is trusted")
        until(lambda: (folder / "started").exists() and len(names()) == 2, "its server runs")
    file.write_text(file.read_text() + " ")
    done = run(here, "serve", "--http", "127.0.0.1:0")
    assert done.returncode == 7 and "the gateway does not start without its settings" in done.stderr, done
    assert run(here, "trust", "--revoke", "mcptools.json").returncode == 0


@test
def a_gateway_stops_what_is_revoked(folder):
    here = project(folder)
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": server("--tools", "1")}}))
    assert run(here, "trust", "--yes").returncode == 0
    with gateway(here, env=clean(HOME=str(folder / "home"))) as g:
        g.wait_ready()
        s = Session(g)
        assert len(s.call("tools/list")["tools"]) == 1
        assert run(here, "trust", "--revoke", here).returncode == 0
        until(lambda: not s.call("tools/list")["tools"], "the server is gone")
        assert NOT in g.text(), g.text()


@test
def records_that_others_may_have_written_trust_nothing(folder):
    here = project(folder)
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": trap(folder)}}))
    assert run(here, "trust", "--yes").returncode == 0
    state = folder / "home/.local/state/mcptools"
    path = state / "trust.jsonl"
    whole = path.read_bytes()

    def refused(what):
        done = run(here, "list")
        assert done.returncode == 7 and "nothing in it is used" in done.stdout and not (folder / "started").exists(), (what, done)
        return done.stdout

    for text in (b"", whole[:-20], whole.replace(b"{", b"", 1), b"\x00" * 4096, b"[" * 100000, b"null\n", b'{"path":1}\n'):
        path.write_bytes(text)
        refused(text[:20])
    path.write_bytes(b"torn {\n" + whole + b'{"path":')
    assert run(here, "list").returncode == 0  # each line stands for itself
    (folder / "started").unlink()
    path.chmod(0o620)
    assert "others may change" in refused("mode")
    assert run(here, "trust", "--yes").returncode == 2  # what may not be believed is not added to
    path.chmod(0o600)
    state.chmod(0o777)
    assert "others may change" in refused("folder")
    state.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
        assert "belongs to another user (uid 12345)" in refused("owner")
        os.chown(path, 0, 0)
    path.unlink()
    path.mkdir()
    refused("folder")
    path.rmdir()
    os.mkfifo(path)
    refused("pipe")
    path.unlink()
    done = run(here, "list", env={"HOME": "", "XDG_STATE_HOME": "relative"})
    assert done.returncode == 7 and "there is no folder for records of trust" in done.stdout, done


@test
def many_processes_lose_no_record(folder):
    here = project(folder)
    places = [project(folder, f"p{i}") for i in range(12)]
    for place in places:
        (place / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": server()}}))
    env = {**environment(here), **clean(HOME=str(folder / "home"))}
    running = [subprocess.Popen([MCPTOOLS, "trust", "--yes"], cwd=p, env=env, stdout=subprocess.DEVNULL) for p in places]
    assert [p.wait(PATIENCE_S) for p in running] == [0] * len(places)
    assert {r["path"] for r in records(folder)} == {str(p / ".mcp.json") for p in places}


@test
def files_that_cannot_be_what_they_seem_are_refused(folder):
    here = project(folder)
    path = here / ".mcp.json"
    os.mkfifo(path)
    for words in (["list"], ["trust", ".mcp.json", "--yes"], ["config", "check"]):
        done = run(here, *words)
        assert "is not a regular file" in done.stdout + done.stderr, done
    path.unlink()
    path.write_text("{ broken")
    done = run(here, "list")
    assert done.returncode in (0, 7) and NOT in done.stderr, done  # it does not keep others from working
    done = run(here, "trust", ".mcp.json", "--yes")
    assert done.returncode == 2 and "not valid JSON" in done.stderr and not records(folder), done
    path.write_text(json.dumps({"mcpServers": {f"s{i}": {"command": "true"} for i in range(1000)}}))
    assert run(here, "list").stdout.count("is not trusted") == 64
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
        done = run(here, "trust", ".mcp.json", "--yes")
        assert done.returncode == 2 and "belongs to another user" in done.stderr and not records(folder), done
        os.chown(path, 0, 0)
    path.chmod(0o666)
    done = run(here, "trust", ".mcp.json", "--yes")
    assert done.returncode == 0 and "its mode 0666 lets other users change it" in done.stdout, done


@test
def a_name_cannot_put_a_command_into_the_hint(folder):
    here = project(folder, "a'; touch evil; '\x1b[2J")
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": server()}}))
    done = run(here, "call", "a.x")
    command = done.stderr.splitlines()[0].split("run: ")[1]
    assert "\x1b" not in done.stderr and command.startswith("mcptools trust '/") and "'\\''; touch evil" in command, done


@test
def another_gateway_is_not_used_for_it(folder):
    """A gateway that has the file with trust does not lend its server to a command that has none."""
    here = project(folder)
    (here / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": trap(folder)}}))
    env = clean(HOME=str(folder / "home"))
    with gateway(here, env={**env, "MCPTOOLS_TRUST": str(here)}) as g:
        g.wait_ready()
        done = run(here, "call", "a.x", env={"XDG_RUNTIME_DIR": str(pathlib.Path(environment(here)["XDG_RUNTIME_DIR"]))})
        assert done.returncode == 7, done


if __name__ == "__main__":
    main()
