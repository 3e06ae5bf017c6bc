"""`install`, `uninstall`, `inventory`: mcptools in the files of client programs."""

import json
import os
import re
import subprocess
import tomllib

from harness import MCPTOOLS, TEST_SERVER, environment, main, run, test
from homes import OFF, furnish
from terminal import Terminal

CODEX, CURSOR, GEMINI, CLAUDE = ".codex/config.toml", ".cursor/mcp.json", ".gemini/settings.json", ".claude.json"


def put(path, content, mode=0o600):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content, indent=2)).encode()
    path.write_bytes(data)
    path.chmod(mode)
    return data


def own(folder, settings=None, servers=None):
    put(folder / ".config/mcptools/mcptools.json", {"mcpServers": servers or {}, **({"mcptools": settings} if settings else {})})
    return str(folder / ".config/mcptools/mcptools.json")


def mcptools(folder, *arguments, status=0, env=None):
    done = run(folder, *arguments, env=env)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def in_project(folder, project, *arguments):
    return subprocess.run([MCPTOOLS, *arguments], cwd=project, text=True, stdin=subprocess.DEVNULL, capture_output=True, env=environment(folder), check=False, timeout=120)


def stdio(config, **more):
    return {"command": MCPTOOLS_REAL, "args": ["serve", "--stdio", "--config", config], **more}


MCPTOOLS_REAL = os.path.realpath(MCPTOOLS)
URL = "http://127.0.0.1:8931/mcp"
TOKEN = {"Authorization": "Bearer ${MCPTOOLS_TOKEN}"}
ROWS = {  # client: file, container, entry that starts mcptools, entry with a URL and a token (None: refused)
    "claude-code": (CLAUDE, "mcpServers", lambda c: stdio(c, type="stdio"), {"type": "http", "url": URL, "headers": TOKEN}),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", "mcpServers", stdio, None),
    "cursor": (CURSOR, "mcpServers", stdio, {"url": URL, "headers": {"Authorization": "Bearer ${env:MCPTOOLS_TOKEN}"}}),
    "vscode": (".config/Code/User/mcp.json", "servers", lambda c: stdio(c, type="stdio"), {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${env:MCPTOOLS_TOKEN}"}}),
    "codex": (CODEX, "mcp_servers", stdio, {"url": URL, "bearer_token_env_var": "MCPTOOLS_TOKEN"}),
    "gemini": (GEMINI, "mcpServers", stdio, {"type": "http", "url": URL, "headers": TOKEN}),
    "windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers", stdio, {"serverUrl": URL, "headers": {"Authorization": "Bearer ${env:MCPTOOLS_TOKEN}"}}),
    "zed": (".config/zed/settings.json", "context_servers", stdio, None),
    "opencode": (".config/opencode/opencode.json", "mcp", lambda c: {"type": "local", "command": [MCPTOOLS_REAL, "serve", "--stdio", "--config", c], "enabled": True},
                 {"type": "remote", "url": URL, "headers": {"Authorization": "Bearer {env:MCPTOOLS_TOKEN}"}, "oauth": False, "enabled": True}),
    "copilot": (".copilot/mcp-config.json", "mcpServers", lambda c: stdio(c, type="local", tools=["*"]), {"type": "http", "url": URL, "headers": TOKEN, "tools": ["*"]}),
    "cline": (".cline/data/settings/cline_mcp_settings.json", "mcpServers", lambda c: stdio(c, type="stdio", disabled=False), None),
    "kiro": (".kiro/settings/mcp.json", "mcpServers", stdio, {"url": URL, "headers": TOKEN}),
    "mcporter": (".mcporter/mcporter.json", "mcpServers", stdio, {"baseUrl": URL, "headers": TOKEN}),
    "continue": (".continue/mcpServers/mcptools.json", "mcpServers", stdio, None),
    "amp": (".config/amp/settings.json", "amp.mcpServers", stdio, {"url": URL, "headers": TOKEN}),
}


def read(path):
    return tomllib.loads(path.read_text()) if path.suffix == ".toml" else json.loads(path.read_text())


def before(client, container):
    if client == "continue":
        return None
    if client == "codex":
        return "# mine\nmodel = 'x'\n\n[mcp_servers.other]\ncommand = 'o'\n"
    return {container: {"other": {"type": "local", "command": ["o"]} if client == "opencode" else {"command": "o"}}, "more": {"a": 1}}


@test
def each_client_gets_its_entry_and_the_undo_is_exact(folder):
    config = own(folder)
    for client, (file, container, entry, _) in ROWS.items():
        path, text = folder / file, before(client, container)
        was = put(path, text) if text else None
        said = mcptools(folder, "install", client, "--yes", *(["--create"] if not was else []))
        assert f"written to {path}" in said, said
        assert read(path)[container]["mcptools"] == entry(config), (client, path.read_text())
        assert not was or "other" in read(path)[container]
        stamp = path.stat().st_mtime_ns
        assert "is already there" in mcptools(folder, "install", client) and path.stat().st_mtime_ns == stamp
        assert re.search(rf"^{client} .* installed", mcptools(folder, "install"), re.MULTILINE)
        said = mcptools(folder, "uninstall", client, "--yes")
        assert (path.read_bytes() if path.exists() else None) == was, (client, path.read_text())
        assert "before the installation" in said, said
    copies = list((folder / ".local/state/mcptools/backup").iterdir())
    assert copies and all(c.stat().st_mode & 0o777 == 0o600 for c in copies)


@test
def an_entry_with_a_url_names_the_variable_of_the_token(folder):
    own(folder, {"serve": {"tokens": ["topsecret-topsecret-topsecret"]}})
    for client, (file, container, _, entry) in ROWS.items():
        text = before(client, container)
        if text:
            put(folder / file, text)
        said = mcptools(folder, "install", client, "--http", "--yes", "--create", status=0 if entry else 1)
        assert "topsecret" not in said
        if entry:
            assert read(folder / file)[container]["mcptools"] == entry, (client, read(folder / file))
            assert "Set MCPTOOLS_TOKEN where" in said
        else:
            assert "without --http" in said, said
    own(folder, {"serve": {"http": "0.0.0.0:9000"}})
    mcptools(folder, "install", "gemini", "--http", "--yes")
    assert read(folder / GEMINI)["mcpServers"]["mcptools"] == {"type": "http", "url": "http://127.0.0.1:9000/mcp"}
    mcptools(folder, "uninstall", "gemini", "--yes")
    assert "mcptools" not in read(folder / GEMINI)["mcpServers"]


@test
def comments_order_indentation_line_ends_and_mark_stay(folder):
    own(folder)
    text = '\ufeff// top\r\n{\r\n\t"b": 1, // b\r\n\t"mcpServers": {\r\n\t\t"z": { "command": "z" }, // z\r\n\t},\r\n\t"a": 2,\r\n}\r\n'
    was = put(folder / CURSOR, text.encode(), 0o640)
    mcptools(folder, "install", "cursor", "--yes")
    made = (folder / CURSOR).read_bytes().decode()
    added = made.replace('\t\t"mcptools": ', "@").split("@")
    assert len(added) == 2 and added[0] == text[:text.index("\t},\r\n\t\"a\"")] and added[1].endswith(text[text.index("\t},\r\n\t\"a\""):]), made
    assert "\n" not in made.replace("\r\n", "") and (folder / CURSOR).stat().st_mode & 0o777 == 0o640
    mcptools(folder, "uninstall", "cursor", "--yes")
    assert (folder / CURSOR).read_bytes() == was


@test
def a_file_that_was_changed_meanwhile_loses_our_entry_only(folder):
    own(folder)
    put(folder / CURSOR, '{\n  // mine\n  "mcpServers": {"a": {"command": "a"}}\n}\n')
    mcptools(folder, "install", "cursor", "--yes")
    text = (folder / CURSOR).read_text()
    put(folder / CURSOR, text.replace('"command": "a"', '"command": "changed"'))
    assert "the entry is removed" in mcptools(folder, "uninstall", "cursor", "--yes")
    assert (folder / CURSOR).read_text() == '{\n  // mine\n  "mcpServers": {"a": {"command": "changed"}}\n}\n'
    assert "mcptools is not there" in mcptools(folder, "uninstall", "cursor", "--yes")
    put(folder / CODEX, "a = 1\n")
    mcptools(folder, "install", "codex", "--yes")
    put(folder / CODEX, (folder / CODEX).read_text() + "\n[other]\nb = 2\n")
    mcptools(folder, "uninstall", "codex", "--yes")
    assert (folder / CODEX).read_text() == "a = 1\n\n[other]\nb = 2\n", (folder / CODEX).read_text()


@test
def a_second_installation_is_undone_with_the_first(folder):
    own(folder)
    was = put(folder / GEMINI, "{}\n")
    mcptools(folder, "install", "gemini", "--yes")
    assert '-      "command": "' in mcptools(folder, "install", "gemini", "--http", "--yes")
    mcptools(folder, "uninstall", "gemini", "--yes")
    assert (folder / GEMINI).read_bytes() == was


@test
def files_that_their_program_would_refuse_are_not_touched(folder):
    own(folder)
    for client, file, text, why in (("claude-code", CLAUDE, '{"mcpServers": {}, // x\n}', ":1:"), ("gemini", GEMINI, "{", ":1:2:"), ("cursor", CURSOR, '{"mcpServers": []}', "leads into a list"),
                                    ("codex", CODEX, "[mcp_servers.a\n", ":1:"), ("codex", CODEX, "mcp_servers = {mcptools = {command = 'x'}}\n", "edit the file by hand"),
                                    ("codex", CODEX, "mcp_servers = {a = {command = 'x'}}\n", "cannot be edited"), ("windsurf", ".codeium/windsurf/mcp_config.json", '{"mcpServers": {"a": {},}}', ":1:")):
        was = put(folder / file, text)
        assert why in mcptools(folder, "install", client, "--yes", status=2), why
        assert (folder / file).read_bytes() == was
    assert not (folder / ".local/state/mcptools/installs.jsonl").exists()


@test
def tables_of_toml_are_found_between_texts_and_lists(folder):
    config = own(folder)
    block = f'[mcp_servers.mcptools]\ncommand = "{MCPTOOLS_REAL}"\nargs = ["serve", "--stdio", "--config", "{config}"]\n'
    text = ('a = """\n[mcp_servers.mcptools]\n"""\nb = [\n [ "[mcp_servers.mcptools]" ],\n]\n[ mcp_servers . "mcptools" ] # ours\ncommand = "old"\n\n[mcp_servers.mcptools.env]\nA = "1"\n# of x\n'
            "[x]\nc = '[mcp_servers.mcptools]'\n")
    put(folder / CODEX, text)
    mcptools(folder, "install", "codex", "--yes")
    made = (folder / CODEX).read_text()
    assert made == text[:text.index("[ mcp_servers")] + block + text[text.index("# of x"):], made
    put(folder / CODEX, made + "\n")
    mcptools(folder, "uninstall", "codex", "--yes")
    assert (folder / CODEX).read_text() == text[:text.index("[ mcp_servers")] + text[text.index("# of x"):] + "\n"
    put(folder / CODEX, b"a = 1\r\n[b]\r\nc = 2")
    mcptools(folder, "install", "codex", "--yes")
    assert (folder / CODEX).read_bytes().decode() == "a = 1\r\n[b]\r\nc = 2\r\n\r\n" + block.replace("\n", "\r\n")


@test
def the_preview_shows_no_secret_of_others(folder):
    own(folder)
    secret = {"command": "npx", "args": ["--token=topsecret1"], "env": {"T": "topsecret2"}, "headers": {"A": "topsecret3"}}
    put(folder / CURSOR, {"mcpServers": {"a": secret}})
    put(folder / CODEX, "[mcp_servers.a]\ncommand='a'\nenv={T='topsecret1'}\nargs=[\n'topsecret2']\nx = '''\ntopsecret3\n'''\n")
    put(folder / GEMINI, json.dumps({"mcpServers": {"a": secret}}))
    for client in ("cursor", "codex", "gemini"):
        said = mcptools(folder, "install", client, "--dry-run")
        assert "topsecret" not in said and "***" in said and "serve" in said, said
        assert "mcptools" not in (folder / ROWS[client][0]).read_text()


@test
def nothing_is_written_without_a_yes(folder):
    own(folder)
    was = put(folder / CURSOR, "{}\n")
    assert "use --yes to write it without a question" in mcptools(folder, "install", "cursor", status=1)
    shown = Terminal(folder, "install", "cursor")
    shown.until(b"Write this? [Y/n] ")
    shown.type(b"n\n")
    assert b"not written" in shown.end()[1] and (folder / CURSOR).read_bytes() == was
    shown = Terminal(folder, "install", "cursor")
    shown.until(b"Write this? [Y/n] ")
    shown.type(b"\n")
    status, said = shown.end()
    assert status == 0 and b"written to" in said and "mcptools" in read(folder / CURSOR)["mcpServers"]
    told = json.loads(run(folder, "install", "cursor", "kiro", "--create", "--yes", "-o", "json").stdout)["clients"]
    assert [(c["client"], c["already"], c["written"]) for c in told] == [("cursor", True, False), ("kiro", False, True)], told


@test
def only_programs_that_are_here_get_a_file(folder):
    config = own(folder)
    assert "Cursor does not seem to be installed" in mcptools(folder, "install", "cursor", "--yes", status=2)
    assert not (folder / ".cursor").exists()
    mcptools(folder, "install", "cursor", "--yes", "--create")
    assert read(folder / CURSOR) == {"mcpServers": {"mcptools": stdio(config)}} and (folder / CURSOR).stat().st_mode & 0o777 == 0o600
    mcptools(folder, "install", "cursor", "--yes", "--project")
    assert read(folder / ".cursor/mcp.json")
    assert "did you mean 'cursor'?" in mcptools(folder, "install", "cursr", status=1)
    assert "has no files of projects" in mcptools(folder, "install", "windsurf", "--project", "--create", status=1)
    put(folder / "elsewhere.json", "{}")
    mcptools(folder, "install", "claude-code", "--yes", "--file", "elsewhere.json")
    assert "mcptools" in read(folder / "elsewhere.json")["mcpServers"]
    assert "does not write YAML; add to" in mcptools(folder, "install", "goose", status=2)
    (folder / ".config/mcptools/mcptools.json").unlink()
    assert "there is no mcptools.json yet" in mcptools(folder, "install", "cursor", status=2)
    put(folder / "x/config.toml", "")
    own(folder)
    mcptools(folder, "install", "codex", "--yes", env={"CODEX_HOME": str(folder / "x")})
    assert "mcptools" in read(folder / "x/config.toml")["mcp_servers"]


@test
def a_link_stays_a_link_and_the_project_has_its_own_file(folder):
    own(folder)
    put(folder / "dotfiles/mcp.json", "{}\n")
    (folder / ".cursor").mkdir()
    (folder / CURSOR).symlink_to(folder / "dotfiles/mcp.json")
    mcptools(folder, "install", "cursor", "--yes")
    assert (folder / CURSOR).is_symlink() and "mcptools" in read(folder / "dotfiles/mcp.json")["mcpServers"]
    mcptools(folder, "uninstall", "cursor", "--yes")
    assert (folder / CURSOR).is_symlink() and (folder / "dotfiles/mcp.json").read_text() == "{}\n"
    put(folder / "mcptools.json", "{}")
    mcptools(folder, "install", "vscode", "--project", "--create", "--yes")
    made = read(folder / ".vscode/mcp.json")["servers"]["mcptools"]
    assert made["args"][-1] == str((folder / "mcptools.json").resolve()), made
    mcptools(folder, "uninstall", "vscode", "--project", "--yes")
    assert not (folder / ".vscode/mcp.json").exists()


@test
def taking_over_moves_the_other_servers_first(folder):
    entry = {"command": TEST_SERVER, "env": {"A": "${env:HOME}"}}
    was = put(folder / CURSOR, {"mcpServers": {"a": entry, "bad": {"url": "ftp://h"}, "c": {"url": "https://h/mcp"}}, "x": 1})
    said = mcptools(folder, "install", "cursor", "--take-over", "--yes", status=0)
    assert "added      a\n" in said and "left out   bad: " in said, said
    assert set(read(folder / CURSOR)["mcpServers"]) == {"bad", "mcptools"} and read(folder / CURSOR)["x"] == 1
    moved = read(folder / ".config/mcptools/mcptools.json")["mcpServers"]
    assert moved == {"a": {"command": TEST_SERVER, "env": {"A": "${HOME}"}}, "c": {"url": "https://h/mcp"}}, moved
    entry = read(folder / CURSOR)["mcpServers"]["mcptools"]
    assert "a  " in run(folder, "--config", entry["args"][-1], "list", "--brief").stdout + "a  "
    assert "is already there" in mcptools(folder, "install", "cursor", "--take-over", "--yes")
    mcptools(folder, "uninstall", "cursor", "--yes")
    assert (folder / CURSOR).read_bytes() == was
    put(folder / CODEX, "a = 1\n\n[mcp_servers.one]\ncommand = 'x'\n\n[mcp_servers.one.env]\nB = '2'\n\n[z]\ny = 1\n")
    mcptools(folder, "install", "codex", "--take-over", "--yes")
    assert set(read(folder / CODEX)["mcp_servers"]) == {"mcptools"} and read(folder / CODEX)["z"] == {"y": 1}
    assert read(folder / ".config/mcptools/mcptools.json")["mcpServers"]["one"] == {"command": "x", "env": {"B": "2"}}


@test
def ten_copies_of_each_program_are_kept(folder):
    own(folder)
    for n in range(7):
        put(folder / CURSOR, {"n": n})
        mcptools(folder, "install", "cursor", "--yes")
        mcptools(folder, "uninstall", "cursor", "--yes")
    assert len(list((folder / ".local/state/mcptools/backup").iterdir())) == 10
    assert read(folder / CURSOR) == {"n": 6}


@test
def an_undo_never_leaves_an_entry(folder):
    own(folder)
    put(folder / CLAUDE, {"numStartups": 1})
    mcptools(folder, "install", "claude-code", "--yes")
    put(folder / CLAUDE, {**read(folder / CLAUDE), "numStartups": 2})  # Claude Code writes its file all the time
    mcptools(folder, "install", "claude-code", "--http", "--yes")
    mcptools(folder, "uninstall", "claude-code", "--yes")
    assert read(folder / CLAUDE) == {"numStartups": 2}


@test
def the_inventory_has_every_entry_and_no_secret(folder):
    own(folder, {"serve": {"http": "127.0.0.1:9000"}})
    project, names = furnish(folder)
    found = json.loads(in_project(folder, project, "inventory", "-o", "json").stdout)["entries"]
    assert {e["name"]: e["client"] for e in found} == names, found
    assert {e["name"] for e in found if not e["enabled"]} == OFF
    assert {e["scope"] for e in found if e["client"] == "claude-code"} == {"local", "project", "user"}
    put(folder / CURSOR, {"mcpServers": {"gh": {"command": "npx", "args": ["gh-server", "--token=topsecret"], "env": {"T": "topsecret"}}, "us": {"url": "http://127.0.0.1:9000/mcp"},
                                         "bad": {"url": "ftp://u:topsecret@h"}}})
    put(folder / CODEX, "[mcp_servers.github]\ncommand='/usr/bin/npx'\nargs=['gh-server', '--token=topsecret']\nenv={T='topsecret'}\n")
    put(folder / GEMINI, "{")
    mcptools(folder, "install", "claude-code", "--yes")
    done = in_project(folder, project, "inventory")
    assert "topsecret" not in done.stdout + done.stderr and done.returncode == 8
    assert "settings.json:1:2" in done.stderr, done.stderr  # a file that hides its entries is named
    for line in ("gh                   npx gh-server --token=***  also in Codex", "us                   http://127.0.0.1:9000/mcp  through mcptools",
                 "Claude Code  local, ", "claude-off           true claude-off  off"):
        assert line in done.stdout, (line, done.stdout)
    told = json.loads(in_project(folder, project, "inventory", "-o", "json").stdout)
    by_name = {(e["client"], e["name"]): e for e in told["entries"]}
    assert by_name["codex", "github"]["also"] == [{"client": "cursor", "name": "gh"}] and "topsecret" not in json.dumps(told)
    assert {key for key, e in by_name.items() if e["throughMcptools"]} == {("cursor", "us"), ("claude-code", "mcptools")}
    assert "error" in by_name["cursor", "bad"] and "settings.json:1:2" in told["problems"][0], told["problems"]


@test
def unknown_clients_are_refused_first(folder):
    assert "unknown client 'nosuch'" in mcptools(folder, "install", "nosuch", status=1)  # there is no mcptools.json, which it would need
    assert "unknown client 'nosuch'" in mcptools(folder, "install", "cursor", "nosuch", "--yes", "--create", status=1)
    assert not (folder / CURSOR).exists()


@test
def the_inventory_names_files_that_it_cannot_read(folder):
    put(folder / CURSOR, '{"mcpServers": {')
    out = mcptools(folder, "inventory", status=8)
    assert ".cursor/mcp.json:1:" in out and "No client program has an entry" in out, out
    if os.geteuid() == 0:
        (folder / GEMINI).parent.mkdir()
        (folder / GEMINI).write_bytes(b" " * (16 << 20) + b" {}")  # root reads every file, but none of this size
    else:
        put(folder / GEMINI, "{}", mode=0)
    done = run(folder, "inventory", "-o", "json")
    problems = json.loads(done.stdout)["problems"]
    assert done.returncode == 8 and len(problems) == 2 and any(".gemini/settings.json" in p for p in problems), problems


main()
