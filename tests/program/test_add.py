"""`mcptools add`: from a registry, a URL or a command to an entry that works."""

import json
import os
import stat

from auth_server import AuthServer
from harness import TEST_SERVER, main, processes_with, run, server, test, write_config
from registry_server import FILES, GITHUB, Registry, plain
from terminal import Terminal

GITHUB_NAME, FILES_NAME = GITHUB["name"], FILES["name"]
KEY = "GITHUB_PERSONAL_ACCESS_TOKEN"


def add(folder, *words, registry=None, env=None, **more):
    env = {**({"MCPTOOLS_REGISTRY_URL": registry.url} if registry else {}), **(env or {})}
    return run(folder, "add", "--no-sandbox", *words, env=env, **more)


def entries(folder, path=".config/mcptools/mcptools.json"):
    file = folder / path
    return json.loads(file.read_text())["mcpServers"] if file.exists() else {}


def programs(folder, *names):
    """A folder with programs that are the test server, in front of PATH."""
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    for name in names:
        path = bin_folder / name
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$0" "$@" >"{folder}/{name}.args"\nenv >"{folder}/{name}.env"\n'
                        f'exec "{TEST_SERVER}"\n')
        path.chmod(0o755)
    return {"PATH": f"{bin_folder}:/usr/bin:/bin"}


def arguments(folder, name):
    return (folder / f"{name}.args").read_text().splitlines()[1:]


# ---- from a registry


@test
def github_as_a_container_with_a_secret(folder):
    with Registry() as r:
        r.add(GITHUB)
        env = programs(folder, "docker")
        p = add(folder, GITHUB_NAME, "--via", "oci", "--yes", "--env", f"{KEY}=ghp_12345", registry=r, env=env)
        assert p.returncode == 0, p
        assert "ghp_12345" not in p.stdout + p.stderr
        assert f"  $ docker run -i --rm -e {KEY} ghcr.io/github/github-mcp-server:0.33.0\n" in p.stdout, p.stdout
        assert "Connected: test-server 1, 3 tools: tool0, tool1, tool2\n" in p.stdout, p.stdout
        entry = entries(folder)["github-mcp-server"]
        secret = folder / f".config/mcptools/secrets/github-mcp-server.{KEY}"
        assert entry == {"command": "docker", "env": {KEY: f"${{file:{secret}}}"},
                         "args": ["run", "-i", "--rm", "-e", KEY, "ghcr.io/github/github-mcp-server:0.33.0"]}, entry
        assert secret.read_text() == "ghp_12345\n" and stat.S_IMODE(secret.stat().st_mode) == 0o600
        assert stat.S_IMODE(secret.parent.stat().st_mode) == 0o700
        assert arguments(folder, "docker") == entry["args"]
        assert f"{KEY}=ghp_12345" in (folder / "docker.env").read_text().splitlines()
        assert run(folder, "call", "github-mcp-server.tool0", env=env).returncode == 0
        # another secret that does not work leaves the one that does
        (folder / "bin/docker").write_text("#!/bin/sh\nexit 1\n")
        again = ("--via", "oci", "--yes", "--force", "--env", f"{KEY}=other")
        assert add(folder, GITHUB_NAME, *again, registry=r, env=env).returncode == 4
        assert secret.read_text() == "ghp_12345\n"
        p = add(folder, GITHUB_NAME, *again, "--no-check", "-o", "json", registry=r, env=env)
        assert p.returncode == 0 and json.loads(p.stdout)["file"].endswith("mcptools.json"), p
        assert secret.read_text() == "other\n" and len(list(secret.parent.iterdir())) == 1


@test
def github_at_its_url_with_a_header(folder):
    with Registry() as r, AuthServer() as mcp:
        at = json.loads(json.dumps(GITHUB))
        at["remotes"][0]["url"] = mcp.url
        r.add(at)
        p = add(folder, GITHUB_NAME, "--via", "remote", "--yes", "--arg", "github_mcp_pat=${PAT}", registry=r)
        assert p.returncode == 0 and "The variable PAT is not set here, so the server was not tried" in p.stderr, p
        assert entries(folder)["github-mcp-server"] == {
            "type": "streamable-http", "url": mcp.url, "headers": {"Authorization": "Bearer ${PAT}"}}
        mcp.is_open = True
        p = add(folder, GITHUB_NAME, "--via", "remote", "--yes", "--force", registry=r, env={"GITHUB_MCP_PAT": "secret1"})
        assert p.returncode == 0 and "Connected: " in p.stdout, p
        assert entries(folder)["github-mcp-server"]["headers"] == {"Authorization": "Bearer ${GITHUB_MCP_PAT}"}
        assert ("authorization", "Bearer secret1") in [(k.lower(), v) for k, v in mcp.requests[-1][2].items()]


@test
def values_by_options_and_defaults(folder):
    with Registry() as r:
        r.add(FILES)
        env = programs(folder, "npx")
        p = add(folder, FILES_NAME, "--yes", "--arg", "folder=/a b", "--arg", "folder=~/c", "--arg", "--extra",
                "--env", "LICENSE_KEY", "--env", "OTHER=1", "--no-check", "--name", "files", registry=r, env=env)
        assert p.returncode == 0, p
        assert entries(folder)["files"] == {
            "command": "npx", "args": ["-y", "@someone/server-filesystem@1.0.2", "--level", "info", "/a b", f"{folder}/c",
                                       "--extra"],
            "env": {"LICENSE_KEY": "${LICENSE_KEY}", "OTHER": "1"}}, entries(folder)
        assert not (folder / "npx.args").exists()
        for wrong, said in ((("--arg", "level=infos", "--arg", "folder=x"), "must be one of: debug, info, error; did you mean 'info'?"),
                            (("--arg", "folder"), "--arg folder: must have a value"),
                            (("--header", "A: b"), "only a server with a URL has headers; use --env"),
                            (("--env", "CACHE_SIZE=many"), "CACHE_SIZE: 'many' must be a number"),
                            (("--env", "=x"), "must be NAME=VALUE"),
                            ((), "these values are missing: --arg folder=VALUE (Folder to serve), "
                                 "--env LICENSE_KEY=VALUE (License key)")):
            p = add(folder, FILES_NAME, "--yes", "--name", "other", *wrong, registry=r, env=env)
            assert p.returncode == 1 and said in p.stderr and "other" not in entries(folder), p


@test
def nothing_of_others_runs_without_consent(folder):
    with Registry() as r:
        r.add(FILES)
        env = programs(folder, "npx")
        given = ("--arg", "folder=/x", "--env", "LICENSE_KEY=k")
        p = add(folder, FILES_NAME, *given, registry=r, env=env)
        assert p.returncode == 1 and "confirm it with --yes" in p.stderr, p
        p = add(folder, FILES_NAME, *given, "--dry-run", registry=r, env=env)
        assert p.returncode == 0 and "not written" in p.stdout and '+      "command": "npx"' in p.stdout, p
        assert not entries(folder) and not (folder / "npx.args").exists()
        assert not (folder / ".config/mcptools/secrets").exists()


@test
def what_is_dangerous_needs_more_than_yes(folder):
    with Registry() as r:
        package = {"registryType": "oci", "identifier": "ghcr.io/a/b:1", "transport": {"type": "stdio"},
                   "runtimeArguments": [{"type": "named", "name": "-v", "value": "/:/host"}]}
        r.add(plain("com.evil/root", packages=[package])).add(
            plain("com.evil/plain", remotes=[{"type": "sse", "url": "http://mcp.example.com/sse"}]))
        env = programs(folder, "docker")
        p = add(folder, "com.evil/root", "--yes", registry=r, env=env)
        assert p.returncode == 7 and "danger: the container gets access to all files of this machine" in p.stdout, p
        assert "add it on a terminal, or with --force" in p.stderr and not entries(folder)
        p = add(folder, "com.evil/plain", "--yes", "--no-check", registry=r)
        assert p.returncode == 7 and "not encrypted" in p.stderr, p
        t = Terminal(folder, "add", "--no-sandbox", "com.evil/root", env={**env, "MCPTOOLS_REGISTRY_URL": r.url})
        t.until(b"danger: ")
        t.until(b"[y/N] ")
        t.type(b"\n")
        assert t.end()[0] == 7 and not entries(folder)
        p = add(folder, "com.evil/root", "--yes", "--force", registry=r, env=env)
        assert p.returncode == 0 and entries(folder)["root"]["args"][3:5] == ["-v", "/:/host"], p


@test
def versions_names_and_ways(folder):
    with Registry() as r:
        npm = {"registryType": "npm", "identifier": "a", "version": "1.0.0"}
        r.add(plain("com.a/x", "1.0.0", packages=[npm])).add(
            plain("com.a/x", "1.1.0", packages=[{**npm, "version": "1.1.0"}, {"registryType": "cargo", "identifier": "z"}]))
        r.add(plain("com.a/old", packages=[npm]), "deprecated", message="use com.a/x")
        r.add(plain("com.a/none")).add(plain("com.a/gone"), "deleted")
        for words, args in ((("com.a/x@1.0.0",), ["-y", "a@1.0.0"]), (("com.a/x", "--force"), ["-y", "a@1.1.0"])):
            assert add(folder, *words, "--yes", "--no-check", registry=r).returncode == 0
            assert entries(folder)["x"]["args"] == args
        for words, status, said in (
                (("com.a/x",), 2, "a server 'x' is configured already"),
                (("com.a/x@9",), 5, f"the registry {r.url} has no server 'com.a/x' of version 9"),
                (("com.a/zzz",), 5, f"the registry {r.url} has no server 'com.a/zzz'"),
                (("com.a/gone",), 5, "has been deleted from the registry"),
                (("com.a/none",), 5, "the server cannot be run: it has neither packages nor a URL"),
                (("com.a/x", "--via", "cargo"), 1, "--via cargo: the server cannot be run in this way; it has npm"),
                (("old",), 1, "give the whole name of the server: com.a/old"),
                (("qqq",), 5, "has no server that matches all of these words")):
            p = add(folder, *words, "--yes", registry=r)
            assert p.returncode == status and said in p.stderr, (words, p)
        p = add(folder, "com.a/old", "--yes", "--no-check", registry=r)
        assert p.returncode == 0 and "note: its publisher has deprecated it: use com.a/x" in p.stdout, p


@test
def a_server_json_from_a_file(folder):
    (folder / "server.json").write_text(json.dumps(FILES))
    env = {**programs(folder, "npx"), "LICENSE_KEY": "k"}
    p = add(folder, "server.json", "--yes", "--arg", "folder=.", "--project", env=env)
    assert p.returncode == 0 and "Connected" in p.stdout, p
    assert entries(folder, "mcptools.json")["server-filesystem"]["args"][-1] == str(folder)
    (folder / "bad.json").write_text("[]")
    assert "bad.json: not a server.json" in add(folder, "bad.json").stderr


# ---- on a terminal


@test
def a_person_chooses_answers_and_confirms(folder):
    with Registry() as r:
        r.add(GITHUB).add(FILES).add(plain("com.a/filesystem"))
        env = {**programs(folder, "npx"), "MCPTOOLS_REGISTRY_URL": r.url}
        t = Terminal(folder, "add", "--no-sandbox", "filesystem", env=env)
        t.until(b"1) ")
        at = t.until(b"Number [1]: ")
        t.type(b"3\n")
        at = t.until(b"Type a number from 1 to 2", at)
        t.until(b"Number [1]: ", at)
        t.type(b"2\n")
        t.until(b"folder: Folder to serve (required, path, several, an empty line ends)")
        t.until(b"value: ")
        t.type(b"\n")  # it is required
        at = t.until(b"value: ", len(t.out))
        t.type(b"/data\n")
        at = t.until(b"value (empty: no further one): ", at)
        t.type(b"\n")
        t.until(b"LICENSE_KEY: License key")
        at = t.until(b"from the variable LICENSE_KEY when the server starts: ")
        t.type(b"s3cr3t\n")
        t.until(b"Optional settings:", at)
        t.until(b"--level: How much is logged, default info", at)
        t.until(b"Set some of them? [y/N] ", at)
        t.type(b"y\n")
        t.until(b"3) error", at)
        t.until(b"value [info]: ", at)
        t.type(b"1\n")
        t.until(b"CACHE_SIZE: Entries in the cache (optional, number)", at)
        at = t.until(b"value: ", at)
        t.type(b"ten\n")
        at = t.until(b"CACHE_SIZE: 'ten' must be a number", at)
        t.until(b"value: ", at)
        t.type(b"\n")
        t.until(b"Run this, and add it as 'server-filesystem' to ")
        t.until(b"[Y/n] ")
        assert not (folder / "npx.args").exists()
        t.type(b"\n")
        status, out = t.end()
        assert status == 0 and b"Connected" in out and b"s3cr3t" not in out, out
        assert arguments(folder, "npx") == ["-y", "@someone/server-filesystem@1.0.2", "--level", "debug", "/data"]
        assert "LICENSE_KEY=s3cr3t" in (folder / "npx.env").read_text().splitlines()


@test
def words_are_asked_for_and_a_single_match_is_taken(folder):
    with Registry() as r:
        r.add(GITHUB)
        t = Terminal(folder, "add", "--no-sandbox", "--no-check", env={"MCPTOOLS_REGISTRY_URL": r.url})
        t.until(b"Search the registry for: ")
        t.type(b"github\n")
        t.until(b"It can be run in 2 ways:")
        t.until(b": ", t.until(b"Number ["))
        t.type(b"2\n")
        t.until(b"GITHUB_MCP_PAT when the server starts: ")
        t.type(b"\n")
        t.until(b"[Y/n] ")
        t.type(b"y\n")
        status, out = t.end()
        assert status == 0 and entries(folder)["github-mcp-server"] == {
            "type": "streamable-http", "url": "https://api.githubcopilot.com/mcp/",
            "headers": {"Authorization": "Bearer ${GITHUB_MCP_PAT}"}}, out


@test
def a_person_says_no(folder):
    with Registry() as r:
        r.add(GITHUB)
        env = {**programs(folder, "docker"), "MCPTOOLS_REGISTRY_URL": r.url}
        t = Terminal(folder, "add", "--no-sandbox", GITHUB_NAME, env=env)
        t.until(b"It can be run in 2 ways:")
        t.until(b"Number [1]: ")
        t.type(b"\n")
        t.until(b"starts: ")
        t.type(b"\n")
        t.until(b"[Y/n] ")
        t.type(b"n\n")
        status, out = t.end()
        assert status == 7 and b"not added" in out, out
        assert not entries(folder) and not (folder / "docker.args").exists()


@test
def an_interruption_leaves_nothing_and_the_terminal_shows_what_is_typed(folder):
    with Registry() as r:
        r.add(GITHUB)
        env = {**programs(folder, "docker"), "MCPTOOLS_REGISTRY_URL": r.url}
        t = Terminal(folder, "add", "--no-sandbox", GITHUB_NAME, "--via", "oci", env=env)
        t.until(b"starts: ")
        t.interrupt()
        status, out = t.end()
        assert status == 130 and out.endswith(b"interrupted\r\n") and not entries(folder), out


# ---- what the user has written


@test
def a_command(folder):
    p = add(folder, "--", TEST_SERVER, "--tools", "3")
    assert p.returncode == 0 and "Connected: test-server 1, 3 tools" in p.stdout, p
    assert entries(folder) == {"test-server": {"command": TEST_SERVER, "args": ["--tools", "3"]}}
    p = add(folder, "--name", "twice", "--env", "A=b", "--", "sh", "-c", f"exec {TEST_SERVER}")
    assert p.returncode == 0 and entries(folder)["twice"]["args"] == ["-c", f"exec {TEST_SERVER}"], p
    assert entries(folder)["twice"]["env"] == {"A": "b"}
    for words, name in ((("npx", "-y", "@scope/server-git@1.2"), "server-git"), (("uvx", "mcp-x==1"), "mcp-x__1"),
                        (("docker", "run", "-i", "--rm", "ghcr.io/a/b:1"), "b"), (("node", "dist/index.mjs"), "index"),
                        (("/opt/my.tool",), "my_tool")):
        p = add(folder, "--no-check", "--", *words)
        assert p.returncode == 0 and f"added {name}" in p.stdout, p


@test
def a_command_that_does_not_work(folder):
    broken = ("--", "sh", "-c", "echo no licence >&2; exit 3")
    p = add(folder, "--name", "broken", *broken)
    assert p.returncode == 4 and "--no-check adds it untried" in p.stderr and "| no licence" in p.stderr, p
    assert not entries(folder)
    for answer, status in ((b"n\n", 4), (b"y\n", 0)):
        t = Terminal(folder, "add", "--no-sandbox", "--name", "broken", *broken)
        t.until(b"| no licence")
        t.until(b"Add it anyway? [y/N] ")
        t.type(answer)
        ended, out = t.end()
        assert ended == status and ("broken" in entries(folder)) == (status == 0), out


@test
def lines_end_between_words(folder):
    t = Terminal(folder, "add", "--no-sandbox", "--name", "b", "--", TEST_SERVER, size=(40, 40))
    status, out = t.end()
    lines = out.decode().replace("\r", "").splitlines()
    assert status == 0 and "Starting it. A first start may take a" in lines, lines
    said = next(i for i, line in enumerate(lines) if "Connected" in line)
    assert lines[said + 1].startswith("  ") and len(lines[said + 1]) <= 40, lines


@test
def a_url(folder):
    with AuthServer() as mcp:
        p = add(folder, mcp.url, "--name", "notes")
        assert p.returncode == 0 and "It needs a login: mcptools login notes" in p.stderr, p
        assert entries(folder) == {"notes": {"url": mcp.url}}
        mcp.is_open = True
        p = add(folder, mcp.url, "--header", "X-Team: a", "--header", "X-Key: ${TEAM_KEY}", env={"TEAM_KEY": "k"})
        assert p.returncode == 0 and "3 tools: test-tool, slow-tool, admin-tool" in p.stdout, p
        assert entries(folder)["local"] == {"url": mcp.url, "headers": {"X-Team": "a", "X-Key": "${TEAM_KEY}"}}
    for url, name in (("https://mcp.notion.com/mcp", "notion"), ("https://www.example.com:1/x", "example"),
                      ("https://docs.mcp.cloudflare.com/sse", "docs"), ("https://localhost/mcp", "localhost")):
        assert f"added {name}" in add(folder, url, "--no-check").stdout, url
    p = add(folder, "https://mcp.other.example/mcp", "--env", "A=b", "--no-check")
    assert p.returncode == 1 and "a server with a URL has no environment; use --header" in p.stderr, p


@test
def a_url_with_a_login_on_a_terminal(folder):
    with AuthServer() as mcp:
        t = Terminal(folder, "add", "--no-sandbox", mcp.url, "--name", "notes")
        t.until(b"'notes' needs a login. Log in now? [Y/n]")
        t.type(b"n\n")
        status, out = t.end()
        assert status == 0 and b"mcptools login notes" in out and "notes" in entries(folder), out


@test
def comments_stay_and_the_file_here_is_used(folder):
    path = write_config(folder, {"a": server("1")})
    path.write_text('{\n  // mine\n  "mcpServers": {\n    "a": {"command": "x"}, // first\n  }\n}\n')
    assert add(folder, "--", TEST_SERVER).returncode == 0
    text = path.read_text()
    assert "// mine" in text and "// first" in text and '"test-server"' in text, text
    p = add(folder, "--name", "a", "--", TEST_SERVER)
    assert p.returncode == 2 and "a server 'a' is configured already (mcptools.json:4)" in p.stderr, p
    p = add(folder, "--name", "a/b", "--", TEST_SERVER)
    assert p.returncode == 1 and "must have no spaces and no '/'" in p.stderr, p


@test
def no_process_is_left(folder):
    mark = f"{folder.name}-mark"
    p = add(folder, "--name", "x", "--", "sh", "-c", f": {mark}; {TEST_SERVER}")
    assert p.returncode == 0, p
    assert not [pid for pid in processes_with(mark) if pid != os.getpid()]


main()
