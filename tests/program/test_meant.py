"""Misspelt words: commands, options, servers, tools, arguments. Each message names the word that was meant, before anything is sent."""

import json
import os
import subprocess

from harness import MCPTOOLS, WRAPPER, environment, main, run, server, test, write_config


def says(done, status, *parts, without=()):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    for part in parts:
        assert part in done.stdout + done.stderr, (part, done.stdout, done.stderr)
    for part in without:
        assert part not in done.stdout + done.stderr, (part, done.stdout, done.stderr)


@test
def words_of_the_program(folder):
    for words, wanted in (
            (("lst",), "unknown command 'lst'; did you mean 'list'?"), (("list", "--brif"), "unknown option --brif; did you mean '--brief'?"),
            (("config", "chek"), "unknown command 'config chek'; did you mean 'check'?"), (("list", "-o", "jsn"), "must be auto, text, json or raw; did you mean 'json'?"),
            (("serve", "--mode", "ful"), "must be full, router or search; did you mean 'full'?"),
            (("tools", "--for", "opnai"), "did you mean 'openai'?"), (("schema", "--for", "antropic", "-"), "did you mean 'anthropic'?"), (("config", "import", "--from", "codx", "x"), "did you mean 'codex'?")):
        says(run(folder, *words), 1, wanted)


@test
def servers(folder):
    write_config(folder, {"demo": server(), "other": server()})
    known = "no server 'dmeo' is configured; did you mean 'demo'? known: demo, other"
    for words in (("list", "dmeo"), ("status", "dmeo"), ("resources", "dmeo"), ("watch", "dmeo"), ("read", "dmeo", "test://x"), ("config", "remove", "dmeo")):
        says(run(folder, *words), 1, known)
    says(run(folder, "call", "dmeo.tool0"), 5, known)
    write_config(folder, {"demo": server()})
    for words, status in ((("list", "dmeo"), 1), (("call", "dmeo.tool0"), 5), (("watch", "dmeo"), 1), (("read", "dmeo", "test://x"), 1)):
        says(run(folder, *words), status, "no server 'dmeo' is configured; did you mean 'demo'? known: demo", without=("has no",))
    says(run(folder, "status", "nosuch"), 1, "no server 'nosuch' is configured; known: demo")


@test
def many_servers(folder):
    """As many names as there is room for, and how many more there are."""
    write_config(folder, {f"server-number-{i:02}": server() for i in range(60)})
    done = run(folder, "list", "zzz")
    says(done, 1, "no server 'zzz' is configured; known: server-number-00, server-number-01, ")
    shown, more = done.stderr.split(" known: ")[1].rstrip().split(" and ")
    assert len(shown.split(", ")) + int(more.split()[0]) == 60 and more.endswith(" more"), done.stderr


@test
def the_built_in_server(folder):
    for words in (("list", "nosuch"), ("status", "nosuch"), ("read", "nosuch", "demo://x")):
        says(run(folder, *words), 1, "no server 'nosuch' is configured; known: demo")
    says(run(folder, "call", "dmo.echo", "text=a"), 5, "no server 'dmo' is configured; did you mean 'demo'?")
    says(run(folder, "call", "demo__echo", "text=a"), 0, "a")
    says(run(folder, "status", "demo"), 0, "demo: connected")


@test
def tools(folder):
    write_config(folder, {"demo": server()})
    for name in ("tool0", "demo.tool0", "demo__tool0"):
        says(run(folder, "call", name), 0, "ok")
    for name in ("demo.tol0", "tol0"):
        says(run(folder, "call", name), 5, "server 'demo' has no tool 'tol0'; did you mean 'tool0'? 'mcptools list demo' shows what it has")
    says(run(folder, "call", "demo.nothing-like-it"), 5, "server 'demo' has no tool 'nothing-like-it'; 'mcptools list demo' shows", without=("did you mean",))
    says(run(folder, "call", "demo.try-sampling"), 5, "tools that use sampling need --sampling-command")
    write_config(folder, {"demo": server(), "other": server()})
    says(run(folder, "call", "demo__tool0"), 0, "ok")
    says(run(folder, "call", "tol0"), 5, "unknown tool: tol0; did you mean 'tool0'? 'mcptools list' shows the servers")
    says(run(folder, "call", "tool0"), 5, "ambiguous tool tool0", "use demo__tool0 or other__tool0", without=("did you mean",))
    command = " ".join([server()["command"], *server()["args"]])
    says(run(folder, "call", "--stdio", command, "demo.tool0"), 5, "the server has no tool 'demo.tool0'; did you mean 'tool0'? 'mcptools list --stdio COMMAND'")


@test
def arguments(folder):
    says(run(folder, "call", "demo.echo", "tex=hello"), 1, "demo.echo has no argument 'tex'; did you mean 'text'? Arguments: text=STRING")
    says(run(folder, "call", "demo.echo", "nothing=hello"), 1, "demo.echo has no argument 'nothing'; arguments: text=STRING")
    says(run(folder, "call", "demo.echo"), 1, "demo.echo needs the argument 'text'; arguments: text=STRING")
    says(run(folder, "call", "demo.echo", "--args", '{"tex": "hello"}'), 5, without=("did you mean",))
    told = json.loads(run(folder, "call", "demo.echo", "tex=hello", "-o", "json").stdout)["error"]
    assert told["kind"] == "usage" and "did you mean 'text'?" in told["message"], told
    write_config(folder, {"t": server()})
    says(run(folder, "call", "t.tool0", "further=1"), 0, "ok")
    says(run(folder, "call", "t.tool0", "txt=1"), 1, "t.tool0 has no argument 'txt'; did you mean 'text'? Arguments: [text=STRING] [n=INTEGER]")


@test
def hooks_may_add_what_is_missing(folder):
    hook = folder / "hook"
    hook.write_text("#!/bin/sh\ncat >/dev/null\necho '{\"params\": {\"text\": \"added\"}}'\n")
    hook.chmod(0o755)
    write_config(folder, {}, {"hooks": [{"on": "before", "command": str(hook)}]}, name="hooks.json")
    done = run(folder, "call", "demo.echo", "--config", "hooks.json")
    assert "needs the argument" not in done.stdout + done.stderr, done


@test
def a_full_disk_is_named(folder):
    write_config(folder, {"t": server()})
    for words in (("list",), ("config", "list"), ("call", "t.tool0"), ("--help",)):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([*WRAPPER, MCPTOOLS, *words], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, env=environment(folder), check=False)
        assert done.returncode == 1 and done.stderr.endswith("mcptools: writing the output: No space left on device\n"), (words, done)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*WRAPPER, MCPTOOLS, "config", "list"], cwd=folder, stdout=writer, stderr=subprocess.PIPE, text=True, env=environment(folder), check=False)
    os.close(writer)
    assert done.stderr == "", done


if __name__ == "__main__":
    main()
