"""Servers of all client programs, read where they lie ("import")."""

import json
import os

from harness import MCPTOOLS, TEST_SERVER, Session, environment, gateway, main, test, until
import subprocess

from homes import OFF, furnish, servers
from terminal import Terminal


def run(home, project, *arguments, env=None):
    return subprocess.run([MCPTOOLS, *map(str, arguments)], cwd=project, text=True, stdin=subprocess.DEVNULL, capture_output=True,
                          env={**environment(home), **(env or {})}, check=False, timeout=120)


def native(project, settings, own=None):
    project.mkdir(exist_ok=True)
    path = project / "mcptools.json"
    path.write_text(json.dumps({"mcpServers": own or {}, "mcptools": settings}))
    path.chmod(0o600)
    return path


def listed(home, project, **more):
    done = run(home, project, "config", "list", "-o", "json", **more)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return {s["name"]: s for s in json.loads(done.stdout)["servers"]}


@test
def every_server_of_every_client_is_found(folder):
    project, names = furnish(folder)
    for value in ("all", True, sorted(set(names.values()))):
        native(project, {"import": value})
        found = listed(folder, project)
        assert set(found) == set(names), (set(names) - set(found), set(found) - set(names))
        plain = {"desktop", "mcpjson", "mcpjson-off", "mcpjson-new"}  # found without "import", too
        assert {name: s["client"] for name, s in found.items() if "client" in s} == {n: c for n, c in names.items() if n not in plain}
        assert {name for name, s in found.items() if not s["enabled"]} == OFF - {"mcpjson-new"}
        assert not [s for s in found.values() if "error" in s], found
    done = run(folder, project, "config", "check", env={"T": "1", "K": "1", "GOOSE_KEY": "1"})
    assert "0 errors" in done.stdout, done.stdout


@test
def only_the_named_clients_are_read(folder):
    project, _ = furnish(folder, only=["cursor", "codex", "zed"])
    native(project, {"import": ["cursor", "codex"]})
    assert set(listed(folder, project)) == {"cursor-user", "cursor-project", "codex-user", "codex-project"}
    for value in (False, []):
        native(project, {"import": value})
        assert not listed(folder, project)
    native(project, {"import": ["cursr"]})
    done = run(folder, project, "config", "check")
    assert done.returncode == 2 and "unknown program 'cursr'; did you mean 'cursor'?" in done.stdout, done.stdout


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(0o600)


@test
def names_that_clash_get_the_client_and_equal_entries_are_one(folder):
    project = folder / "p"
    put(folder / ".cursor/mcp.json", {"mcpServers": {"a": {"command": "/usr/bin/x", "args": ["1"]}, "b": {"command": "x"}, "u": {"url": "https://h/mcp/"}}})
    put(folder / ".codeium/windsurf/mcp_config.json", {"mcpServers": {"a": {"command": "x", "args": ["2"]}, "other": {"command": "x"}, "u": {"serverUrl": "https://h/mcp"},
                                                                      "own": {"command": "y"}, "off": {"command": "z", "disabled": True}}})
    put(folder / ".kiro/settings/mcp.json", {"mcpServers": {"a": {"command": "x", "args": ["3"]}, "off": {"command": "z"}}})
    put(project / ".cursor/mcp.json", {"mcpServers": {"b": {"command": "project"}}})
    native(project, {"import": "all"}, {"own": {"command": "mine"}})
    found = listed(folder, project)
    assert {n: s.get("command", s.get("url")) for n, s in found.items()} == {
        "own": "mine", "b": "project", "a": "/usr/bin/x", "u": "https://h/mcp/", "a-windsurf": "x", "other": "x", "off": "z", "a-kiro": "x"}, found
    assert found["off"]["enabled"] and found["b"]["source"].endswith(".cursor/mcp.json")


@test
def mcptools_itself_is_never_imported(folder):
    project = folder / "p"
    put(folder / ".cursor/mcp.json", {"mcpServers": {"mcptools": {"command": "/opt/bin/mcptools", "args": ["serve", "--stdio", "--config", "/x.json"]},
                                                     "http": {"url": "http://localhost:9000/mcp"}, "one": {"url": "http://127.0.0.1:9000/mcp/files"},
                                                     "near": {"url": "http://127.0.0.1:9000/mcpx"}, "call": {"command": "mcptools", "args": ["list"]}}})
    put(project / "mcptools.json", {"mcptools": {"import": "all", "serve": {"http": "127.0.0.1:9000"}}})
    assert set(listed(folder, project)) == {"near", "call"}


@test
def a_broken_file_costs_that_file_and_a_mistake_its_entry(folder):
    project = folder / "p"
    put(folder / ".cursor/mcp.json", '{"mcpServers": {')
    put(folder / ".codex/config.toml", "[mcp_servers.bad]\nurl = 'ftp://h'\n[mcp_servers.t]\ncommand = '" + TEST_SERVER + "'\n")
    put(folder / ".kiro/settings/mcp.json", "\ufeff" + json.dumps({"mcpServers": {"k": {"command": TEST_SERVER, "args": ["--tools", "1"]}}}, indent=1).replace("\n", "\r\n"))
    native(project, {"import": "all"})
    done = run(folder, project, "list", "t", "--brief")
    assert done.returncode == 0 and "t.tool0" in done.stdout, (done.stdout, done.stderr)
    assert ".cursor/mcp.json:1:17: not valid JSON" in done.stderr and "config.toml:1: mcp_servers.bad" in done.stderr, done.stderr
    assert set(listed(folder, project)) == {"bad", "t", "k"}


@test
def texts_of_programs_without_variables_are_literal(folder):
    project = folder / "p"
    entry = {"command": TEST_SERVER, "env": {"A": "${HOME}/x"}}
    put(folder / ".config/Claude/claude_desktop_config.json", {"mcpServers": {"desktop": entry}})
    put(folder / ".lmstudio/mcp.json", {"mcpServers": {"lmstudio": {**entry, "args": ["1"]}}})
    put(folder / ".config/zed/settings.json", {"context_servers": {"zed": {**entry, "args": ["2"]}}})
    put(folder / ".cursor/mcp.json", {"mcpServers": {"cursor": {**entry, "args": ["3"]}}})
    shown = folder / "show.sh"
    shown.write_text(f'#!/bin/sh\necho "$A" >{folder}/$1\n')
    shown.chmod(0o755)
    for file in (folder / ".config/Claude/claude_desktop_config.json", folder / ".lmstudio/mcp.json", folder / ".config/zed/settings.json", folder / ".cursor/mcp.json"):
        text = json.loads(file.read_text())
        for name, server in next(iter(text.values())).items():
            server.update(command=str(shown), args=[name])
        put(file, text)
    native(project, {"import": "all"})
    run(folder, project, "list")
    assert {n: (folder / n).read_text().strip() for n in ("desktop", "lmstudio", "zed", "cursor")} == {
        "desktop": "${HOME}/x", "lmstudio": "${HOME}/x", "zed": "${HOME}/x", "cursor": f"{folder}/x"}


@test
def relocated_files_are_read(folder):
    project, away = folder / "p", folder / "away"
    put(away / ".claude.json", servers("claude"))
    put(away / "codex/config.toml", "[mcp_servers.codex]\ncommand = 'a'\n")
    put(away / ".gemini/settings.json", servers("gemini"))
    put(away / "cline.json", servers("cline"))
    native(project, {"import": "all"})
    env = {"CLAUDE_CONFIG_DIR": str(away), "CODEX_HOME": str(away / "codex"), "GEMINI_CLI_HOME": str(away), "CLINE_MCP_SETTINGS_PATH": str(away / "cline.json"), "COPILOT_HOME": "relative"}
    assert set(listed(folder, project, env=env)) == {"claude", "codex", "gemini", "cline"}
    assert not listed(folder, project)


@test
def a_running_gateway_follows_the_files_of_programs(folder):
    put(folder / ".cursor/mcp.json", {"mcpServers": {"a": {"command": TEST_SERVER}}})
    native(folder, {"import": ["cursor"]}, {"own": {"command": TEST_SERVER, "args": ["--tools", "1"]}})
    with gateway(folder) as g:
        servers_of = lambda: {tool["name"].split("__")[0] for tool in Session(g).call("tools/list")["tools"]}
        until(lambda: servers_of() == {"own", "a"}, "both servers are there")
        put(folder / "new.json", {"mcpServers": {"b": {"command": TEST_SERVER}}})
        os.replace(folder / "new.json", folder / ".cursor/mcp.json")
        until(lambda: servers_of() == {"own", "b"}, "the gateway reads the file of Cursor again")
        native(folder, {"import": []}, {"own": {"command": TEST_SERVER, "args": ["--tools", "1"]}, "c": {"command": TEST_SERVER}})
        until(lambda: servers_of() == {"own", "c"}, "the import has ended")


def importing(home, project, *arguments, status=0):
    done = run(home, project, "config", "import", *arguments, "--project")
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


@test
def config_import_all_copies_every_server_once(folder):
    project, names = furnish(folder)
    said = importing(folder, project, "--all", "--dry-run")
    assert "not written (--dry-run)" in said and not (project / "mcptools.json").exists()
    said = importing(folder, project, "--all")
    for line in ("Cursor, .cursor/mcp.json\nadded      cursor-project\n", "added      claude-off: disabled: Claude Code has it in disabledMcpServers\n",
                 "added      mcpjson-new: disabled: it has not been approved in Claude Code\n", "variables that must be set: T, K, GOOSE_KEY\n", "mcptools.json: written\n"):
        assert line in said, (line, said)
    made = json.loads((project / "mcptools.json").read_text())["mcpServers"]
    assert set(made) == set(names), set(made) ^ set(names)
    assert {n for n, s in made.items() if s.get("enabled") is False} == OFF
    assert made["desktop"]["env"] == made["zed-user"]["env"] == {"A": "$${LITERAL}"} and made["codex-user"]["args"] == ["$${LITERAL}"]
    assert made["continue-dropped"] == {"type": "streamable-http", "url": "https://c.example/mcp", "auth": {"type": "bearer", "token": "${K}"}}
    assert made["goose"] == {"command": "true", "args": ["g"], "env": {"GOOSE_KEY": "${GOOSE_KEY}"}, "timeout": 300}
    assert (project / "mcptools.json").stat().st_mode & 0o777 == 0o600
    before = (project / "mcptools.json").read_bytes()
    said = importing(folder, project, "--all")
    assert "added" not in said and "mcptools.json: unchanged" in said and (project / "mcptools.json").read_bytes() == before


@test
def config_import_takes_programs_and_files_together(folder):
    project = folder / "p"
    put(folder / ".cursor/mcp.json", {"mcpServers": {"a": {"command": "x", "args": ["1"]}, "same": {"command": "x"}, "mcptools": {"command": "mcptools", "args": ["serve", "--stdio"]}}})
    put(folder / ".kiro/settings/mcp.json", {"mcpServers": {"a": {"command": "x", "args": ["2"]}, "b": {"url": "ftp://h"}}})
    put(project / "c.toml", "[mcp_servers.c]\ncommand = 'c'\n")
    (project / "mcptools.json").write_text('{\n  // mine\n  "mcpServers": {"mine": {"command": "x"}}\n}\n')
    said = importing(folder, project, "cursor", "c.toml", "kiro", status=2)
    for line in ("added      a\n", "kept       same: the file has this server already, as mine\n", "skipped    mcptools: is mcptools itself\n", "added      c\n",
                 "added      a-kiro: another server is called a\n", "left out   b: ", "mcptools.json: written"):
        assert line in said, (line, said)
    text = (project / "mcptools.json").read_text()
    assert text.startswith('{\n  // mine\n  "mcpServers": {"mine": {"command": "x"}, "a": ') or "// mine" in text, text
    told = json.loads(run(folder, project, "config", "import", "kiro", "--config", "new.json", "-o", "json").stdout)
    assert told["servers"][0] == {"name": "a", "result": "added", "client": "kiro", "file": str(folder / ".kiro/settings/mcp.json")}, told
    assert "neither a file nor a program that mcptools knows; did you mean 'cursor'?" in importing(folder, project, "cursr", status=2)
    put(folder / ".gemini/settings.json", "{")
    said = importing(folder, project, "gemini", status=2)
    assert "settings.json:1:2: not valid JSON" in said and "unchanged" in said, said
    told = json.loads(run(folder, project, "config", "import", "gemini", "-o", "json").stdout)
    assert not told["servers"] and "settings.json:1:2" in told["problems"][0]["message"], told


@test
def a_new_user_is_told_what_can_be_imported(folder):
    project, _ = furnish(folder, only=["cursor", "codex"])
    put(folder / ".claude.json", servers("claude"))
    line = b"3 servers of Claude Code, Cursor and Codex can be imported: mcptools config import --all"
    for command in (("list",), ("config", "list")):
        assert Terminal(folder, *command).end()[1].count(line) == 1
    assert "can be imported" not in run(folder, project, "list").stderr  # no terminal
    native(folder, {})
    assert b"can be imported" not in Terminal(folder, "config", "list").end()[1]


main()
