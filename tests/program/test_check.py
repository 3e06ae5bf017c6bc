"""`config check`: finds what starting the servers would find, with file, line and column, and starts nothing."""

import json

from harness import TEST_SERVER, main, run, test


def check(folder, text, *options, env=None, name="mcptools.json"):
    path = folder / name
    path.write_text(text)
    path.chmod(0o600)
    return run(folder, "config", "check", "--config", name, *options, env=env)


def finds(done, *lines, status=2):
    """These lines and no others, in this order; a line may be the beginning of one."""
    found = done.stdout.splitlines()
    assert done.returncode == status and not done.stderr and len(found) == len(lines), (done.returncode, done.stdout, done.stderr)
    for line, wanted in zip(found, lines):
        assert line.startswith(wanted), (line, wanted)


@test
def each_mistake_has_its_place(folder):
    text = """{
  "mcpServers": {
    "a": { "url": "notaurl" },
    "b": { "url": "ftp://example.com/mcp" },
    "c": { "command": "true", "env": { "KEY": "${MCT_NOPE}" } },
    "d": { "command": "no-such-program", "args": ["-y", "x"] },
    "e": { "command": "true", "cwd": "/no/such/folder" },
    "f": { "command": "" },
    "g": { "command": "sh", "args": ["gone.sh"] },
    "h": { "command": "sh -c 'exit 0'" },
    "i": { "command": "./gone" },
    "j": { "url": "http://" },
    "k": { "url": "http://x/", "headers": { "X-A": "${MCT_NOPE}" }, "auth": { "type": "bearer", "token": "${MCT_NOPE}" } },
    "l": { "command": "true", "args": ["a", "${MCT_NOPE}"] },
    "m": { "type": "plugin", "path": "gone.so" },
    "n": { "command": "/" },
    "o": { "command": "no-such-program", "enabled": false }
  }
}"""
    unset = "the environment variable MCT_NOPE is not set; set it or write ${MCT_NOPE:-default}"
    finds(check(folder, text),
          'error: mcptools.json:3:5: mcpServers.a: "url" must begin with http:// or https://', 'error: mcptools.json:4:5: mcpServers.b: "url" must begin with http',
          f"error: mcptools.json:5:40: mcpServers.c.env.KEY: {unset}", "error: mcptools.json:6:12: mcpServers.d.command: program 'no-such-program' not found in PATH; install it",
          "error: mcptools.json:7:31: mcpServers.e.cwd: no such folder: /no/such/folder", 'error: mcptools.json:8:5: mcpServers.f: "command" is empty',
          "error: mcptools.json:9:38: mcpServers.g.args[0]: no such file: gone.sh; relative paths begin at",
          'error: mcptools.json:10:12: mcpServers.h.command: must be the program alone; write "command": "sh", "args": ["-c", "exit 0"]',
          "error: mcptools.json:11:12: mcpServers.i.command: no such file: ./gone", "error: mcptools.json:12:12: mcpServers.j.url: has no host",
          f"error: mcptools.json:13:45: mcpServers.k.headers.X-A: {unset}", f"error: mcptools.json:13:69: mcpServers.k.auth: {unset}",
          f"error: mcptools.json:14:45: mcpServers.l.args[1]: {unset}", "error: mcptools.json:15:30: mcpServers.m.path: no such file: ",
          "error: mcptools.json:16:12: mcpServers.n.command: / is not an executable file", "1 file, 15 servers, 15 errors, 0 warnings")


@test
def long_command_lines(folder):
    for n, advice in ((40, '"args": ["word", "word", '), (100, 'and the other 100 words as strings of "args"')):
        text = json.dumps({"mcpServers": {"a": {"command": " ".join(["sh"] + ["word"] * n)}}})
        finds(check(folder, text), f'error: mcptools.json:1:23: mcpServers.a.command: must be the program alone; write "command": "sh", {advice}',
              "1 file, 1 server, 1 error, 0 warnings")


@test
def what_is_there_is_no_mistake(folder):
    (folder / "bin").mkdir()
    program = folder / "bin" / "only-here"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    (folder / "x.sh").write_text("")
    (folder / "work").mkdir()
    (folder / "work" / "y.py").write_text("")
    servers = {"a": {"command": "only-here", "env": {"PATH": "${HOME}/bin"}}, "b": {"command": "~/bin/only-here"}, "c": {"command": "./bin/only-here"},
               "d": {"command": "sh", "args": ["x.sh"]}, "e": {"command": "sh", "args": ["y.py"], "cwd": "work"}, "f": {"command": "sh", "args": ["-c", "gone.sh"]},
               "g": {"command": "../bin/only-here", "cwd": "work"}, "h": {"url": "http://127.0.0.1:1/mcp", "headers": {"A": "${HOME}"}},
               "i": {"url": "https://x/", "headers": {"A": "${cmd:no-such-program}"}}}
    finds(check(folder, json.dumps({"mcpServers": servers})), "1 file, 9 servers, 0 errors, 0 warnings", status=0)
    finds(check(folder, json.dumps({"mcpServers": {"a": {"command": "only-here"}}})), "error: ", "1 file, 1 server, 1 error, 0 warnings")


@test
def nothing_is_started(folder):
    program = folder / "touches"
    program.write_text(f"#!/bin/sh\ntouch {folder}/started\n")
    program.chmod(0o755)
    text = json.dumps({"mcpServers": {"a": {"command": str(program), "env": {"A": f"${{cmd:{program}}}"}}, "b": {"url": "http://127.0.0.1:1/", "headers": {"A": f"${{cmd:{program}}}"}}}})
    finds(check(folder, text), "1 file, 2 servers, 0 errors, 0 warnings", status=0)
    assert not (folder / "started").exists()


@test
def keys_and_names_that_stand_twice(folder):
    text = '{"mcpServers": {\n "a b": {"command": "true", "command": "true"},\n "a.b": {"command": "true"},\n "a.b": {}},\n "mcptools": {"serve": {"mode": "full",\n  "mode": "full"}}}'
    finds(check(folder, text), "warning: mcptools.json:2:29: mcpServers.a b.command: duplicate key; the last one is used",
          "warning: mcptools.json:3: mcpServers.a.b: its tools have the same names for clients as those of 'a b'", "warning: mcptools.json:4:2: mcpServers.a.b: duplicate server name",
          "error: mcptools.json:6:3: mcptools.serve.mode: duplicate key; remove one", "1 file, 2 servers, 1 error, 3 warnings")


@test
def misspelt_keys_are_named_with_the_right_one(folder):
    text = '{"mcpServers": {"a": {"command": "true", "timeot": 1}},\n "mcptools": {"serv": {}, "limits": {"drain": 1}, "hooks": [{"on": "before", "comand": "x", "command": "true"}]}}'
    finds(check(folder, text), "warning: mcptools.json:1:42: mcpServers.a.timeot: unknown key, ignored; did you mean 'timeout'?",
          "warning: mcptools.json:2:15: mcptools.serv: unknown key, ignored; did you mean 'serve'?", "warning: mcptools.json:2:38: mcptools.limits.drain: unknown key, ignored; did you mean 'drain_s'?",
          "warning: mcptools.json:2:78: mcptools.hooks[0].comand: unknown key, ignored; did you mean 'command'?", "1 file, 1 server, 0 errors, 4 warnings", status=0)


@test
def files_with_a_mark_and_files_that_are_broken(folder):
    finds(check(folder, '\ufeff{"mcpServers": {"a": {"command": 1}}}'), "error: mcptools.json:1:23: mcpServers.a.command: must be a string", "1 file, 1 server, 1 error, 0 warnings")
    finds(check(folder, '{"mcpServers": {\n  "a": {"command" "x"}}}'), "error: mcptools.json:2:19: not valid JSON: ':' expected", "1 file, 0 servers, 1 error, 0 warnings")
    done = run(folder, "config", "check", "--config", "gone.json")
    assert done.returncode == 2 and "gone.json: No such file or directory" in done.stderr, done
    (folder / "mcptools.json").unlink()
    (folder / ".mcp.json").mkdir()
    done = run(folder, "config", "check")
    assert done.returncode == 2 and "error: .mcp.json: " in done.stdout, done


@test
def hooks_start_programs_too(folder):
    text = '{"mcpServers": {"a": {"command": "true"}}, "mcptools": {"hooks": [{"on": "before", "command": "no-such-program"}]}}'
    finds(check(folder, text), "error: mcptools.json: mcptools.hooks[0]: no-such-program: program not found", "1 file, 1 server, 1 error, 0 warnings")


@test
def the_places_are_members_of_json(folder):
    done = check(folder, '{"mcpServers": {"a": {"command": "no-such-program"}}}', "-o", "json")
    (problem,) = json.loads(done.stdout)["problems"]
    assert done.returncode == 2 and (problem["severity"], problem["file"], problem["line"], problem["column"]) == ("error", "mcptools.json", 1, 23), problem
    assert problem["message"].startswith("mcptools.json:1:23: mcpServers.a.command: program"), problem


@test
def what_it_does_not_find_connects(folder):
    text = json.dumps({"mcpServers": {"good": {"command": TEST_SERVER}, "bad": {"command": "no-such-program"}}})
    done = check(folder, text)
    listed = run(folder, "list", "-o", "json")
    states = {s["name"]: s["state"] for s in json.loads(listed.stdout)["servers"]}
    assert ("mcpServers.bad" in done.stdout, "mcpServers.good" in done.stdout) == (True, False), done.stdout
    assert states["good"] == "connected" and states["bad"] != "connected", states


if __name__ == "__main__":
    main()
