"""`config add`, `remove`, `enable`, `disable`, `set`, `unset` and `get KEY`: what they write, what they refuse, what they leave alone."""

import json
import re

from harness import TEST_SERVER, main, run, test

FILE = """\
{
  // servers of the team
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "files"] }, // the first
    "hub": {
      "url": "https://hub.example/mcp" /* the hub */
    }
  },
  "mcptools": {
    "serve": { "http": "127.0.0.1:9000", }
  }
}
"""


def says(done, status, *parts):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    for part in parts:
        assert part in done.stdout + done.stderr, (part, done.stdout, done.stderr)


def config(folder, text=FILE, name="mcptools.json"):
    path = folder / name
    path.write_text(text)
    path.chmod(0o600)
    return path


def read(path):
    """The file without its comments."""
    return json.loads(re.sub(r",(?=\s*[}\]])", "", re.sub(r"//[^\n\"]*\n|/\*.*?\*/", "", path.read_text())))


@test
def the_first_server_makes_the_file_of_the_user(folder):
    users = folder / ".config" / "mcptools" / "mcptools.json"
    says(run(folder, "config", "add", "files", "--", "npx", "-y", "files", "--config", "x"), 0, f"{users}: added server 'files' (new file)")
    assert read(users) == {"mcpServers": {"files": {"command": "npx", "args": ["-y", "files", "--config", "x"]}}}
    assert users.stat().st_mode & 0o777 == 0o600 and users.parent.stat().st_mode & 0o777 == 0o700
    says(run(folder, "config", "add", "hub", "https://hub.example/mcp", "--header", "X-Team: a", "--type", "http"), 0, f"{users}: added")
    assert read(users)["mcpServers"]["hub"] == {"type": "http", "url": "https://hub.example/mcp", "headers": {"X-Team": "a"}}
    says(run(folder, "config", "add", "here", "--project", "--", "true"), 0, "mcptools.json: added server 'here' (new file)")
    says(run(folder, "config", "add", "there", "--url", "http://127.0.0.1:1/mcp", "--config", "other.json"), 0, "other.json: added server 'there' (new file)")
    assert list(read(folder / "mcptools.json")["mcpServers"]) == ["here"]
    says(run(folder, "config", "list"), 0, "here ", "files ", "hub ")


@test
def an_added_server_can_be_called(folder):
    says(run(folder, "config", "add", "t", "--env", "GREETING=hello", "--", TEST_SERVER), 0, "added server 't'")
    says(run(folder, "call", "t.tool0", "text=works"), 0, "ok")
    says(run(folder, "config", "disable", "t"), 0, "disabled server 't'")
    says(run(folder, "call", "t.tool0", "text=works"), 2, "server 't' is disabled")


@test
def what_is_there_is_not_replaced_unasked(folder):
    path = config(folder)
    says(run(folder, "config", "add", "files", "--", "other"), 2, "server 'files' is configured already, in mcptools.json:4; --force replaces it")
    assert path.read_text() == FILE
    says(run(folder, "config", "add", "files", "--force", "--", "other"), 0, "mcptools.json: replaced server 'files'")
    assert path.read_text() == FILE.replace('{ "command": "npx", "args": ["-y", "files"] }', '{ "command": "other" }')


@test
def an_addition_that_makes_no_sense_is_refused(folder):
    for words, status, wanted in (
            (("nothing",), 1, "server 'nothing' needs a URL, or '--' and the command"), (("a", "https://x/", "--url", "https://y/"), 1, "a URL or a command, not both"),
            (("a", "https://x/", "--env", "A=1"), 1, "--env is for servers with a command"), (("a", "--header", "A: 1", "--", "x"), 1, "--header is for servers with a URL"),
            (("a", "https://x/", "--header", "nonsense"), 1, "--header 'nonsense': must be 'NAME: VALUE'"), (("a", "--env", "=1", "--", "x"), 1, "must be NAME=VALUE"),
            (("a/b", "--", "x"), 2, "a server's name must not be empty or contain"), (("a", "https://x/", "--header", "A B: c"), 2, '"headers": a name must consist')):
        says(run(folder, "config", "add", *words), status, wanted)
    assert not (folder / ".config").exists() and not (folder / "mcptools.json").exists()


@test
def secrets_are_pointed_out_and_not_shown(folder):
    done = run(folder, "config", "add", "a", "--env", "API_KEY=geheim", "--env", "API_TOKEN", "--project", "--", "x")
    says(done, 0, "the value of API_KEY will stand in mcptools.json", "'${VARIABLE}' takes it from the environment")
    assert "API_TOKEN" not in done.stderr
    assert read(folder / "mcptools.json")["mcpServers"]["a"]["env"] == {"API_KEY": "geheim", "API_TOKEN": "${API_TOKEN}"}
    shown = [run(folder, "config", "get", "a.env"), run(folder, "config", "get", "a.env.API_KEY"), run(folder, "config", "set", "a.timeout", "3", "--dry-run"),
             run(folder, "config", "set", "serve.tokens", '["geheim-too"]', "--dry-run"), run(folder, "config", "add", "a", "--force", "--dry-run", "--", "y", "--api-key", "geheim")]
    for one in shown:
        says(one, 0, "***")
        assert "geheim" not in one.stdout + one.stderr, one


@test
def single_keys_are_set_by_their_type(folder):
    path = config(folder)
    for key, words, where, value in (
            ("serve.http", ["0:1"], ("mcptools", "serve", "http"), "0:1"), ("mcptools.serve.mode", ["router"], ("mcptools", "serve", "mode"), "router"),
            ("limits.call_timeout_s", ["2.5"], ("mcptools", "limits", "call_timeout_s"), 2.5), ("serve.dialects", ["codex", "lines"], ("mcptools", "serve", "dialects"), ["codex", "lines"]),
            ("policy.read_only", ["true"], ("mcptools", "policy", "read_only"), True), ("files.timeout", ["30"], ("mcpServers", "files", "timeout"), 30),
            ("mcpServers.files.env.A.B", ["1"], ("mcpServers", "files", "env", "A.B"), "1"), ("files.args", ["--", "-y", "x"], ("mcpServers", "files", "args"), ["-y", "x"]),
            ("files.args.-", ["z"], ("mcpServers", "files", "args"), ["-y", "x", "z"]), ("files.args.0", ["--", "-n"], ("mcpServers", "files", "args"), ["-n", "x", "z"]),
            ("hub.auth", ['{"type": "oauth"}'], ("mcpServers", "hub", "auth"), {"type": "oauth"}), ("files.tools.deny", ["a"], ("mcpServers", "files", "tools", "deny"), ["a"]),
            ("hub.headers.X-N", ["7"], ("mcpServers", "hub", "headers", "X-N"), "7")):
        says(run(folder, "config", "set", key, *words), 0, "mcptools.json: set ")
        found = read(path)
        for step in where:
            found = found[step]
        assert found == value, (key, found)
    assert "// servers of the team" in path.read_text() and "/* the hub */" in path.read_text()
    says(run(folder, "config", "check"), 0, " 0 errors")


@test
def wrong_keys_and_values_are_refused_with_the_right_ones(folder):
    path = config(folder)
    for key, words, status, wanted in (
            ("serve.mode", ["fast"], 2, "mcptools.serve.mode: must be full, router or search"), ("limits.call_timeout_s", ["12h"], 2, "must be a number of seconds from 0 to 86400"),
            ("files.enabled", ["maybe"], 2, "mcpServers.files.enabled: must be true or false"), ("files.timeot", ["1"], 1, "unknown key 'timeot'; did you mean 'timeout'?"),
            ("fils.timeout", ["1"], 2, "no server 'fils' is configured, and no setting has this name; did you mean 'files'?"), ("serv.http", ["1"], 2, "did you mean 'serve'?"),
            ("serve.http.port", ["1"], 1, "nothing can be below 'http'"), ("files.env", ["A=1"], 1, "the value must be JSON"), ("files.timeout", ["1", "2"], 1, "takes one value"),
            ("files.url", ["https://x/"], 2, 'has both "command" and "url"'), ("files.args.9", ["x"], 2, "mcptools.json:4:42: the list has 2 items only")):
        says(run(folder, "config", "set", key, *words), status, wanted)
        assert path.read_text() == FILE, key
    says(run(folder, "config", "sett", "a", "b"), 1, "unknown command 'config sett'; did you mean 'set'?")
    says(run(folder, "config", "set", "a"), 1, "usage: mcptools config ")


@test
def a_file_with_other_mistakes_can_be_edited(folder):
    path = config(folder, '{"mcpServers": {"a": {"command": 1}, "b": {"command": "b"}}, "mcptools": {"serve": {"mode": "fast"}}}')
    says(run(folder, "config", "set", "b.timeout", "3"), 0)
    says(run(folder, "config", "set", "serve.mode", "full"), 0)
    says(run(folder, "config", "remove", "a"), 0)
    assert path.read_text() == '{"mcpServers": {"b": {"command": "b", "timeout": 3}}, "mcptools": {"serve": {"mode": "full"}}}'
    path.write_text('{"mcpServers": {"a": {}, "a": {}}}')
    says(run(folder, "config", "remove", "a"), 2, 'mcptools.json:1:26: duplicate key "a", which line 1 has already')
    path.write_text("{ broken")
    says(run(folder, "config", "add", "x", "--", "y"), 2, "mcptools.json:1:3: not valid JSON")


@test
def servers_are_switched_off_and_on_and_removed(folder):
    path = config(folder)
    says(run(folder, "config", "disable", "files", "hub"), 0, "disabled server 'files'", "disabled server 'hub'")
    assert path.read_text() == FILE.replace('["-y", "files"] }', '["-y", "files"], "enabled": false }').replace(
        '/mcp" /* the hub */\n', '/mcp", /* the hub */\n      "enabled": false\n')
    says(run(folder, "config", "disable", "files"), 0, "mcptools.json: unchanged")
    says(run(folder, "config", "enable", "files", "hub"), 0, "enabled server 'files'")
    assert path.read_text() == FILE
    says(run(folder, "config", "remove", "fils"), 1, "no server 'fils' is configured; did you mean 'files'?")
    done = run(folder, "config", "remove", "files", "--dry-run")
    says(done, 0, '-    "files": { "command": "npx"', "not written: --dry-run")
    assert path.read_text() == FILE
    says(run(folder, "config", "remove", "files"), 0, "removed server 'files'")
    assert path.read_text() == FILE.replace('    "files": { "command": "npx", "args": ["-y", "files"] }, // the first\n', "")
    says(run(folder, "config", "unset", "serve.http"), 0, "removed serve.http")
    assert read(path)["mcptools"] == {"serve": {}}
    says(run(folder, "config", "unset", "serve.http"), 0, "unchanged", "serve.http is not set there")
    config(folder, '{"mcpServers": {"a": {"command": "a", "disabled": true}}}')
    says(run(folder, "config", "enable", "a"), 0, "enabled")
    assert path.read_text() == '{"mcpServers": {"a": {"command": "a"}}}'


@test
def entries_of_other_programs_stay_theirs(folder):
    theirs = config(folder, '{"mcpServers": {"theirs": {"command": "x"}}}', ".mcp.json")
    for words in (("disable", "theirs"), ("set", "theirs.timeout", "3"), ("remove", "theirs")):
        says(run(folder, "config", *words), 2, "server 'theirs' is configured in .mcp.json:1, a file of another program", "config import .mcp.json")
    assert theirs.read_text() == '{"mcpServers": {"theirs": {"command": "x"}}}'
    says(run(folder, "--config", ".mcp.json", "config", "disable", "theirs"), 0, ".mcp.json: disabled")
    (folder / "codex.toml").write_text("[mcp_servers.a]\ncommand='a'")
    says(run(folder, "--config", "codex.toml", "config", "disable", "a"), 2, "codex.toml: only JSON files can be edited")
    path = config(folder, '{"servers": {"a": {"command": "a"}}}')
    says(run(folder, "config", "add", "b", "--", "b"), 0)
    assert read(path) == {"servers": {"a": {"command": "a"}, "b": {"command": "b"}}}


@test
def names_are_given_once(folder):
    config(folder)
    says(run(folder, "config", "add", "x", "--env", "A=1", "--env", "B=2", "--env", "A=3", "--", "true"), 1, "--env: A is given twice")
    says(run(folder, "config", "add", "x", "https://h/", "--header", "X-a: 1", "--header", "x-A: 2"), 1, "--header: x-A is given twice")
    says(run(folder, "config", "add", "x", "--env", "A=1", "--env", "AB=2", "--", "true"), 0)


@test
def texts_that_must_be_json_are_shown_as_such(folder):
    config(folder)
    says(run(folder, "config", "set", "hooks.0.command", "x"), 1, "hooks.0.command: the value must be JSON; a text is written '\"x\"'")
    says(run(folder, "--config", str(folder), "config", "list"), 2, f"{folder}: is a folder")


@test
def a_named_file_is_created(folder):
    env = ["--config", str(folder / "sub/new.json")]
    says(run(folder, *env, "config", "add", "a", "--", "a"), 0, "added server 'a' (new file)")
    says(run(folder, "--config", "set.json", "config", "set", "serve.http", "127.0.0.1:9"), 0, "set serve.http (new file)")
    says(run(folder, "--config", "add.json", "add", "--name", "b", "--no-check", "--yes", "--", TEST_SERVER), 0)
    assert set(read(folder / "add.json")["mcpServers"]) == {"b"} and set(read(folder / "sub/new.json")["mcpServers"]) == {"a"}
    for command in (["config", "list"], ["config", "unset", "serve.http"], ["config", "remove", "a"], ["list"]):
        says(run(folder, "--config", "none.json", *command), 2, "none.json: No such file or directory")
    assert not (folder / "none.json").exists()


@test
def values_are_shown_with_their_defaults(folder):
    config(folder)
    for key, wanted in (("serve.http", "127.0.0.1:9000"), ("files.args.1", "files"), ("limits.call_timeout_s", "60"), ("policy.read_only", "false"), ("hub.enabled", "true")):
        done = run(folder, "config", "get", key)
        says(done, 0)
        assert done.stdout == wanted + "\n", (key, done.stdout)
    assert json.loads(run(folder, "config", "get", "files.args", "-o", "json").stdout) == ["-y", "files"]
    assert json.loads(run(folder, "config", "get", "files").stdout)["name"] == "files"
    config(folder, '''{"mcpServers": {"a": {"command": "a", "tools": {"allow": ["x"]}, // one
        "timeout": 9, "context": {"sessionKey": "s3cret"}, "env": {"X": "s3cret"}, "other": "s3cret"},
        "b": {"url": "http://h/", "required": true}}}''')
    done = run(folder, "config", "get", "a")
    got = json.loads(done.stdout)
    assert (got["timeout"], got["tools"], got["line"]) == (9, {"allow": ["x"]}, 1) and "s3cret" not in done.stdout, got
    listed = json.loads(run(folder, "config", "list", "-o", "json").stdout)["servers"]
    assert listed[0] == got and listed[1]["required"] is True, listed
    config(folder)
    says(run(folder, "config", "get", "files.timeout"), 2, "files.timeout is not set; default: limits.call_timeout_s")
    says(run(folder, "config", "get", "nothing.at.all"), 2, "no server 'nothing' is configured")
    told = json.loads(run(folder, "config", "set", "files.timeout", "3", "-o", "json").stdout)
    assert told == {"file": "mcptools.json", "written": True, "created": False}
    told = json.loads(run(folder, "config", "set", "files.timeout", "x", "-o", "json").stdout)
    assert "must be a number" in told["error"]["message"], told


if __name__ == "__main__":
    main()
