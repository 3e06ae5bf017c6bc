"""Configuration that other programs wrote: `config import`, and --config with such a file.

tests/golden/import/ has a folder for each program: its file, the mcptools.json that the import makes of it (expected.json) and what
it says (expected.txt). UPDATE=1 writes the expected files anew."""

import http.server
import json
import os
import pathlib
import shutil
import threading

from harness import TEST_SERVER, main, mistakes, run, test

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden" / "import"
FILES = {  # the file of each program, in its folder
    "claude-code": "project.mcp.json", "cline": "cline_mcp_settings.json", "codex": "config.toml", "copilot": ".copilot/mcp-config.json",
    "cursor": ".cursor/mcp.json", "gemini": ".gemini/settings.json", "mcporter": "mcporter.json", "nexo": "mcp.yaml", "openclaw": "openclaw.json",
    "opencode": "opencode.json", "vscode": ".vscode/mcp.json", "windsurf": "mcp_config.json", "zed": "settings.json",
}


def server(**members):
    return {"command": TEST_SERVER, **members}


def imported(folder, name, text, *options):
    (folder / name).write_text(text)
    return run(folder, "config", "import", name, *(() if "--config" in options else ("--project",)), *options)


def says(done, status, *parts):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    for part in parts:
        assert part in done.stdout + done.stderr, (part, done.stdout, done.stderr)


@test
def files_of_other_programs_become_mcptools_json(folder):
    for variable in ("API_KEY", "API_TOKEN", "AUTH_TOKEN", "DB_URL", "GITHUB_TOKEN", "SEARCH_TOKEN", "PERPLEXITY_KEY", "DOCS_TOKEN"):
        os.environ.pop(variable, None)  # the import names those that are not set
    for program, file in FILES.items():
        here = (folder / program).resolve()
        shutil.copytree(GOLDEN / program, here, ignore=shutil.ignore_patterns("expected.*"))
        (here / file).chmod(0o600)
        done = run(here, "config", "import", file, "--project")
        said = (done.stdout + done.stderr + f"exit status {done.returncode}\n").replace(str(here), "FOLDER")
        made = (here / "mcptools.json").read_text().replace(str(here), "FOLDER")
        for name, text in (("expected.json", made), ("expected.txt", said)):
            path = GOLDEN / program / name
            if os.environ.get("UPDATE"):
                path.write_text(text)
            assert path.read_text() == text, f"{program}/{name}:\n{text}"


@test
def what_was_imported_has_no_mistake(folder):
    for program in FILES:
        shutil.copy(GOLDEN / program / "expected.json", folder / "mcptools.json")
        (folder / "mcptools.json").chmod(0o600)
        assert not mistakes(run(folder, "config", "check")), program


@test
def the_target_keeps_its_comments_and_order(folder):
    target = ('{\r\n  // servers of the team\r\n  "mcptools": { "limits": { "drain_s": 3 } },\r\n  "mcpServers": {\r\n    "b": { "command": "b" }, // the first\r\n'
              '    "a": { "command": "a" } /* the last */ // really\r\n  },\r\n}\r\n')
    (folder / "mcptools.json").write_bytes(target.encode())
    (folder / "mcptools.json").chmod(0o640)
    says(imported(folder, "config.toml", "[mcp_servers.c]\ncommand = 'c'\n[mcp_servers.a]\ncommand = 'other'\n"), 0, "added      c\n", "kept       a: ", "mcptools.json: written")
    made = (folder / "mcptools.json").read_bytes().decode()
    assert made == target.replace('"a": { "command": "a" } /*', '"a": { "command": "a" }, /*').replace(
        '// really\r\n', '// really\r\n    "c": { "command": "c" }\r\n'), made
    assert (folder / "mcptools.json").stat().st_mode & 0o777 == 0o640
    says(run(folder, "config", "import", "config.toml"), 0, "mcptools.json: unchanged")
    assert (folder / "mcptools.json").read_bytes().decode() == made
    says(run(folder, "config", "list"), 0, "b ", "a ", "c ")


@test
def a_new_target_belongs_to_its_owner_alone(folder):
    says(imported(folder, "c.toml", "[mcp_servers.a]\ncommand='a'\nenv={TOKEN='secret'}"), 0, "added      a")
    assert (folder / "mcptools.json").stat().st_mode & 0o777 == 0o600
    assert json.loads((folder / "mcptools.json").read_text()) == {"mcpServers": {"a": {"command": "a", "env": {"TOKEN": "secret"}}}}


@test
def the_target_can_be_chosen_and_left_alone(folder):
    user = folder / ".config" / "mcptools" / "mcptools.json"
    user.parent.mkdir(parents=True)
    user.write_text("{}")
    text = "[mcp_servers.a]\ncommand='a'"
    (folder / "c.toml").write_text(text)
    says(run(folder, "config", "import", "c.toml", "--dry-run"), 0, f"{user}: not written (--dry-run)")
    assert user.read_text() == "{}"
    says(run(folder, "config", "import", "c.toml"), 0, f"{user}: written")
    assert json.loads(user.read_text())["mcpServers"]["a"] == {"command": "a"}
    (folder / "link.json").symlink_to(user)
    says(run(folder, "--config", "link.json", "config", "import", "d.toml"), 2, "d.toml: No such file")
    says(run(folder, "--config", "link.json", "config", "import", "c.toml"), 0, "kept       a")
    says(imported(folder, "e.toml", "[mcp_servers.e]\ncommand='e'", "--config", "link.json"), 0, "link.json: written")
    assert (folder / "link.json").is_symlink() and "e" in json.loads(user.read_text())["mcpServers"]
    done = imported(folder, "e.toml", "[mcp_servers.f]\ncommand='f'\nscopes=['x']", "-o", "json")
    told = json.loads(done.stdout)
    assert told["written"] and told["servers"] == [{"name": "f", "result": "added"}], told
    assert told["problems"][0]["severity"] == "warning" and "mcp_servers.f: settings of logins" in told["problems"][0]["message"], told


@test
def an_import_that_cannot_be_made_says_why_and_writes_nothing(folder):
    cases = [
        ("x.toml", "[mcp_servers.a]\ncommand = npx\n", "x.toml:2:11: not valid TOML: unknown value; strings need quotes"), ("x.toml", "model = 'x'", "x.toml: no servers found"),
        ("x.yaml", "mcp:\n\tservers:", "tabs cannot indent YAML: use spaces"),
        ("x.yml", "", "x.yml:1: the file must contain an object"), ("x.yaml", "mcp:\n  enabled: true\n", "no servers found"), ("x.yaml", "mcp:\n  call_timeout: 30\n", "x.yaml:2: mcp.call_timeout: must be a duration"),
        ("x.yaml", "mcp:\n  servers:\n    a: 1\n    a: 2\n", 'x.yaml:4: duplicate key "a", which line 3 has already'), ("x.json", "", "not valid JSON"), ("x.json", "{\"mcpServers\": []}", "must be an object"),
        ("x.toml", "[[mcp_servers]]\nname = 'x'\n", "x.toml:1: mcp_servers: must be an object"), ("x.json5", "{mcp: {servers: {a: }}}", "x.json5:1:21: not valid JSON5"),
    ]
    for name, text, wanted in cases:
        says(imported(folder, name, text), 2, wanted)
        assert not (folder / "mcptools.json").exists(), name
    says(imported(folder, "x.toml", "[mcp_servers.a]\ncommand='a'", "--from", "nothing"), 1, "--from 'nothing': must be one of codex, nexo")
    (folder / "mcptools.json").write_text("{ broken")
    says(imported(folder, "x.toml", "[mcp_servers.a]\ncommand='a'"), 2, "mcptools.json:1:3: not valid JSON")
    assert (folder / "mcptools.json").read_text() == "{ broken"
    says(run(folder, "config", "import"), 1, "name a file or a program to import from, or use --all")


@test
def a_servers_mistake_costs_that_server_only(folder):
    done = imported(folder, "c.toml", "[mcp_servers.a]\ncommand='a'\n[mcp_servers.b]\ncommand='b'\nurl='http://x'\n[mcp_servers.c]\nurl='http://x'\nbearer_token='topsecret'\n")
    says(done, 2, "added      a", "left out   b: c.toml:3: mcp_servers.b: has both", "left out   c: c.toml:8: mcp_servers.c.bearer_token: Codex does not read it")
    assert "topsecret" not in done.stdout + done.stderr
    assert list(json.loads((folder / "mcptools.json").read_text())["mcpServers"]) == ["a"]


@test
def mistakes_of_an_entry_are_found_without_starting_it(folder):
    entries = {"a": {"url": "ftp://u:topsecret@h/x"}, "b": {"url": "h.example/mcp?key=topsecret"}, "c": {"command": ""},
               "d": {"url": "http://h/", "headers": {"X Key:": "topsecret"}}, "e": {"serverUrl": "${NO_SUCH_URL}"}}
    (folder / "x.json").write_text(json.dumps({"mcpServers": entries}, indent=1))
    done = run(folder, "--config", "x.json", "config", "check")
    says(done, 2, 'x.json:3:3: mcpServers.a: "url" must begin with http', 'mcpServers.b: "url" must begin', 'mcpServers.c: "command" is empty',
         'mcpServers.d: "headers": a name must consist')
    assert "topsecret" not in done.stdout + done.stderr and "x.json:18:3: mcpServers.e.url: the environment variable NO_SUCH_URL is not set" in done.stdout, done.stdout


@test
def arguments_that_are_secrets_are_not_shown(folder):
    args = ["-y", "mcp-remote", "https://u:topsecret@h/mcp?k=topsecret", "--header", "Authorization: Bearer topsecret", "-e",
            "GITHUB_TOKEN=topsecret", "--api-key", "topsecret", "--api-key=topsecret", "--token", "${T}", "--password", "--plain", "a=b", "C:/x"]
    (folder / "x.json").write_text(json.dumps({"mcpServers": {"s": {"command": "npx", "args": args}}}))
    (folder / "x.json").chmod(0o644)
    for words in (("list",), ("get", "s"), ("list", "-o", "json"), ("check",)):
        done = run(folder, "--config", "x.json", "config", *words)
        assert "topsecret" not in done.stdout + done.stderr, (words, done.stdout)
    says(done, 2, "contains a secret (s.args)", "mcpServers.s.args[11]: the environment variable T is not set")
    shown = json.loads(run(folder, "--config", "x.json", "config", "get", "s").stdout)["args"]
    assert shown == ["-y", "mcp-remote", "https://***@h/mcp?***", "--header", "Authorization: ***", "-e", "GITHUB_TOKEN=***",
                     "--api-key", "***", "--api-key=***", "--token", "${T}", "--password", "--plain", "a=b", "C:/x"], shown


@test
def servers_in_a_wrong_place_are_told(folder):
    entry = {"command": "x", "args": []}
    for name, text, wanted in (
            ("a.json", json.dumps({"mcp-servers": {"a": entry}}), "a.json:1:2: mcp-servers: ignored, because no program has this key"),
            ("b.json", json.dumps({"MCPServers": {"a": entry}}), "b.json:1:2: MCPServers: ignored"),
            ("c.toml", "model = 'x'\n[mcp-servers.a]\ncommand = 'x'\n", "c.toml:2: mcp-servers: ignored, because no program has this key; write [mcp_servers.NAME]"),
            ("d.json", json.dumps({"a": entry}, indent=1), 'd.json:2:2: a: ignored: servers belong into "mcpServers"'),
            (".claude.json", json.dumps({"projects": {"/p": {"mcpServers": {"a": entry}}, "/q": {"mcpServers": {}}}}, indent=1),
             ".claude.json:3:3: projects./p: its servers are not read")):
        (folder / name).write_text(text)
        done = run(folder, "--config", name, "config", "check")
        says(done, 0, wanted, "0 servers, 0 errors, 1 warning\n")
    for name, text, wanted in (("e.yaml", "mcp:\n  enabled: true\n  servers:\n    - name: a\n", "e.yaml:3: mcp.servers: must be an object, not a list"),
                               ("f.json", '{"mcp": {\n"servers": []}}', "f.json:2:1: mcp.servers: must be an object, not a list")):
        (folder / name).write_text(text)
        says(run(folder, "--config", name, "config", "check"), 2, wanted)
    (folder / "g.json").write_bytes(json.dumps({"mcpServers": {}}).encode("utf-16"))
    says(run(folder, "--config", "g.json", "config", "check"), 2, "g.json: is UTF-16; save it as UTF-8")


@test
def zeds_command_may_be_an_object(folder):
    entry = {"command": {"path": TEST_SERVER, "args": ["--tools", "2"], "env": {"KEY": "${x}"}}, "settings": {}}
    done = imported(folder, "zed.json", json.dumps({"context_servers": {"t": entry}}))
    says(done, 0, "added      t")
    made = json.loads((folder / "mcptools.json").read_text())["mcpServers"]["t"]
    assert made == {"command": TEST_SERVER, "args": ["--tools", "2"], "env": {"KEY": "$${x}"}}, made


@test
def codex_config_is_used_as_it_is(folder):
    (folder / "config.toml").write_text(f"model = 'x'\n[mcp_servers.t]\ncommand = '{TEST_SERVER}'\nenv_vars = ['GIVEN', 'ABSENT']\nenabled_tools = ['tool0', 'tool1']\ndisabled_tools = ['tool1']\n")
    done = run(folder, "--config", "config.toml", "list", "t", "--brief", env={"GIVEN": "1"})
    says(done, 0, "tool0", "config.toml:4: mcp_servers.t.env_vars: the environment variable ABSENT is not set")
    assert done.stdout.split() == ["t.tool0"], done.stdout


@test
def nexo_config_is_used_as_it_is(folder):
    (folder / "secrets").mkdir()
    (folder / "secrets" / "t").write_text("  from-a-file\n")
    program = folder / "program.sh"
    program.write_text(f"#!/bin/sh\nenv > {folder}/env\nexec {TEST_SERVER}\n")
    program.chmod(0o755)
    text = (f"mcp:\n  servers:\n    t:\n      transport: stdio\n      command: {program}\n      env:\n        A: ${{file:secrets/t}}\n        B: ${{EMPTY-unset}}\n"
            "        C: ${EMPTY:-empty}\n        D: ${NO_SUCH-def{}ault}\n        E: ${GIVEN-unused}\n")
    (folder / "mcp.yaml").write_text(text)
    says(run(folder, "--config", "mcp.yaml", "list", "t", "--brief", env={"EMPTY": "", "GIVEN": "given"}), 0, "tool0")
    given = (folder / "env").read_text().splitlines()
    for wanted in ("A=from-a-file", "B=", "C=empty", "D=def{}ault", "E=given"):
        assert wanted in given, (wanted, given)
    assert "from-a-file" not in run(folder, "--config", "mcp.yaml", "config", "list", "-o", "json").stdout
    for path, why in (("../x", "${file:../x}: only files"), ("/etc/passwd", "only files without"), ("secrets/none", "No such file"), ("/run/secretsX/a", "only files")):
        (folder / "mcp.yaml").write_text(text.replace("secrets/t", path))
        says(run(folder, "--config", "mcp.yaml", "list", "t"), 2, "env.A", why)
    (folder / "mcp.yaml").write_text(text.replace("secrets/t", str(folder / "other" / "t")))
    (folder / "other").mkdir()
    (folder / "other" / "t").write_text("x")
    says(run(folder, "--config", "mcp.yaml", "list", "t"), 2, "CONFIG_SECRETS_DIR")
    says(run(folder, "--config", "mcp.yaml", "list", "t", env={"CONFIG_SECRETS_DIR": str(folder / "other")}), 0)


@test
def a_disabled_server_is_not_started(folder):
    mark = folder / "started"
    program = folder / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    entry = {"command": str(program)}
    for file, text in (("a.json", json.dumps({"mcpServers": {"a": {**entry, "disabled": True}, "t": server()}})),
                       ("mcp_config.json", json.dumps({"mcpServers": {"a": {**entry, "disabled": True}, "t": server()}})),
                       ("c.toml", f"[mcp_servers.a]\ncommand='{program}'\nenabled=false\n[mcp_servers.t]\ncommand='{TEST_SERVER}'"),
                       ("opencode.json", json.dumps({"mcp": {"a": {"type": "local", "command": [str(program)], "enabled": False}, "t": {"type": "local", "command": [TEST_SERVER]}}}))):
        (folder / file).write_text(text)
        says(run(folder, "--config", file, "list"), 0, "t ")
        assert not mark.exists(), file


@test
def a_server_that_wants_a_login_costs_only_itself(folder):
    (folder / "openclaw.json").write_text("{mcp: {servers: {a: {url: 'http://127.0.0.1:1/mcp', auth: 'oauth'}, t: " + json.dumps(server(toolFilter={"include": ["tool*"], "exclude": ["*1"]})) + "}}}")
    done = run(folder, "--config", "openclaw.json", "list", "t", "--brief")
    says(done, 0)
    assert done.stdout.split() == ["t.tool0", "t.tool2"], done.stdout
    assert not mistakes(run(folder, "--config", "openclaw.json", "config", "check"))
    assert {s["name"]: s.get("auth") for s in json.loads(run(folder, "--config", "openclaw.json", "config", "list", "-o", "json").stdout)["servers"]} == {"a": "oauth", "t": None}


@test
def mcptools_does_not_start_itself(folder):
    entry = {"command": "mcptools", "args": ["serve", "--stdio"]}
    (folder / "mcptools.json").write_text(json.dumps({"mcpServers": {"mcptools": entry, "other": {**entry, "args": ["serve", "--stdio", "--config", "x.json"]}, "t": server()}}))
    assert not mistakes(run(folder, "config", "check"))
    says(run(folder, "config", "list"), 0, "mcptools itself, never started", "x.json")
    says(run(folder, "list"), 8, "t ", "other")
    says(run(folder, "config", "import", "mcptools.json", "--config", "made.json"), 0, "skipped    mcptools: is mcptools itself", "added      other")
    own = {"command": "/bin/mcptools", "args": ["serve", "--config", str(folder / "made.json")]}
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"again": own}}))
    says(run(folder, "config", "import", "mcp.json", "--config", "made.json"), 0, "skipped    again: is mcptools itself", "unchanged")
    enabled = lambda *options: [s["enabled"] for s in json.loads(run(folder, "config", "list", "-o", "json", *options).stdout)["servers"]]
    assert enabled() == [False, True, True]
    # a file that is not found by itself starts another mcptools, which reads what is found; unless it is named
    (folder / "mcptools.json").rename(folder / "front.json")
    assert enabled("--config", "front.json") == [True, True, True]
    (folder / "x.json").write_text(json.dumps({"mcpServers": {"again": {**entry, "args": ["serve", "--stdio", "--config", "x.json"]}}}))
    assert enabled("--config", "x.json") == [False]


@test
def a_key_mcp_without_servers_is_told(folder):
    for text, wanted in (('{"mcp": {}}', "x.json:1:2: mcp: ignored: it has no servers"), ('{"mcp": []}', "x.json:1:2: mcp: ignored: it must be an object"),
                         ('{"mcp": {"server": 1}}', "ignored: it has no servers")):
        (folder / "x.json").write_text(text)
        says(run(folder, "--config", "x.json", "config", "check"), 0, wanted)
    (folder / "x.json").write_text("\ufeff" + json.dumps({"mcp": {"t": {"type": "local", "command": [TEST_SERVER]}}}).replace(",", ",\r\n"))
    says(run(folder, "--config", "x.json", "list", "t", "--brief"), 0, "tool0")


def headers_sent(folder, entry):
    """The headers of the first request to the server of the entry."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(dict(self.headers))
            self.send_error(404)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        entry = {"url": f"http://127.0.0.1:{listener.server_port}/mcp", "type": "streamable-http", **entry}
        (folder / "x.json").write_text(json.dumps({"servers": {"a": entry}}))
        run(folder, "--config", "x.json", "list", "a")
        listener.shutdown()
    return {name.lower(): value for name, value in seen[0].items()}


@test
def an_api_key_needs_no_header(folder):
    auth = {"type": "api-key", "key": "k-${NUMBER:-1}"}
    assert headers_sent(folder, {"auth": auth})["x-api-key"] == "k-1"
    assert headers_sent(folder, {"auth": {**auth, "header": "X-Other"}})["x-other"] == "k-1"
    assert headers_sent(folder, {"auth": auth, "headers": {"x-api-key": "own"}})["x-api-key"] == "own"
    assert headers_sent(folder, {"auth": {"type": "bearer", "token": "t"}})["authorization"] == "Bearer t"
    assert headers_sent(folder, {"bearerToken": "t", "headers": {"Authorization": "own"}})["authorization"] == "own"


@test
def a_headers_value_is_checked_when_it_is_known(folder):
    (folder / "x.json").write_text(json.dumps({"mcpServers": {"a": {"url": "http://127.0.0.1:1/", "headers": {"X-A": "${VALUE}"}}}}))
    done = run(folder, "--config", "x.json", "list", "a", env={"VALUE": "topsecret\r\nX-B: 1"})
    says(done, 2, "headers.X-A", "has a character that HTTP headers must not have")
    assert "topsecret" not in done.stdout + done.stderr


main()
