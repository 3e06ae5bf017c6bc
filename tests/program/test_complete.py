"""Completion: what `__complete` answers, and what bash, zsh and fish make of it. A shell that is missing is skipped."""

import json
import os
import pathlib
import shutil
import subprocess

from harness import MCPTOOLS, PATIENCE_S, environment, gateway, main, run, server, test, until, write_config

NO_SPACE, NO_FILES, FOLDERS = 2, 4, 16
PATIENT = {"MCPTOOLS_COMPLETE_MS": str(int(PATIENCE_S * 500))}


def complete(folder, *words, shell="fish", last=None, env=None):
    """The candidates, and the flags."""
    more = ["--last", last] if last is not None else []
    done = run(folder, "__complete", "--shell", shell, *more, "--", *words, env={**PATIENT, **(env or {})})
    assert (done.returncode, done.stderr) == (0, ""), done
    *lines, end = done.stdout.split("\n")[:-1]
    assert end[0] == ":", done
    return [line.split("\t")[0] for line in lines], int(end[1:])


def candidates(folder, *words, **more):
    return complete(folder, *words, **more)[0]


@test
def commands_and_options(folder):
    assert {"list", "call", "serve", "help", "completion"} <= set(candidates(folder, ""))
    assert "__complete" not in candidates(folder, "")
    assert candidates(folder, "ca") == ["call"]
    assert candidates(folder, "help", "ca") == ["call"]
    assert candidates(folder, "-o", "json", "lis") == ["list"]
    assert candidates(folder, "list", "--br") == ["--brief"]
    assert candidates(folder, "call", "--br") == []  # belongs to another command
    assert candidates(folder, "list", "--", "--br") == []
    assert candidates(folder, "list", "-o", "") == ["auto", "text", "json", "raw"]
    assert candidates(folder, "list", "--output=j") == ["--output=json"]
    assert candidates(folder, "tools", "--dialect", "nexo,c") == ["nexo,codex", "nexo,claude"]
    assert "openai-strict" in candidates(folder, "tools", "--for", "") and "mcp" in candidates(folder, "tools", "--for", "")
    assert "openclaw" in candidates(folder, "schema", "--for", "") and "mcp" not in candidates(folder, "schema", "--for", "")
    said = run(folder, "__complete", "--shell", "fish", "--", "tools", "--dialect", "nexo,co").stdout
    assert "nexo,codex\tlist_mcp_resources" in said, said
    said = run(folder, "__complete", "--shell", "fish", "--", "schema", "--for", "gem").stdout
    assert "gemini\tthe subset that Gemini accepts" in said, said
    assert candidates(folder, "agent", "") == ["list", "read", "install"]
    assert candidates(folder, "completion", "") == ["bash", "zsh", "fish"]
    assert candidates(folder, "completion", "bash", "") == []
    assert candidates(folder, "nonsense", "") == candidates(folder, "")


@test
def files_are_left_to_the_shell(folder):
    assert complete(folder, "schema", "--for", "xai", "") == ([], 0)
    assert complete(folder, "list", "--config", "") == ([], 0)
    assert complete(folder, "list", "--root", "") == ([], FOLDERS)
    assert complete(folder, "list", "--timeout", "") == ([], NO_FILES)


@test
def servers_of_the_configuration(folder):
    write_config(folder, {"one": server(), "two.dot": server(), "web": {"url": "https://u:secret@example.com/mcp?key=secret"}})
    assert candidates(folder, "list", "") == ["one", "two.dot", "web"]
    assert candidates(folder, "status", "t") == ["two.dot"]
    assert complete(folder, "call", "") == (["one.", "two.dot.", "web."], NO_FILES | NO_SPACE)
    assert candidates(folder, "serve", "--server", "o") == ["one"]
    assert candidates(folder, "list", "--url", "http://x/", "") == []
    assert "secret" not in run(folder, "__complete", "--", "list", "").stdout
    other = folder / "other"
    other.mkdir()
    config = write_config(other, {"three": server()})
    assert candidates(folder, "--config", config, "list", "") == ["three"]
    assert candidates(folder, "list", f"--config={config}", "") == ["three"]


@test
def keys_of_the_configuration(folder):
    write_config(folder, {"one": server()})
    assert candidates(folder, "config", "get", "ser") == ["serve."]
    assert "serve.http" in candidates(folder, "config", "set", "serve.") and "one." in candidates(folder, "config", "set", "")
    assert candidates(folder, "config", "set", "one.start") == ["one.start_timeout"]
    assert candidates(folder, "config", "set", "one.enabled", "") == ["true", "false"]
    assert candidates(folder, "config", "set", "serve.mode", "r") == ["router"]
    assert candidates(folder, "config", "set", "serve.nothing.deep", "") == []


@test
def the_demo_server(folder):
    assert "demo.echo" in candidates(folder, "call", "")
    assert complete(folder, "call", "demo.echo", "") == (["text="], NO_FILES | NO_SPACE)
    assert candidates(folder, "call", "demo.echo", "text=a", "") == []
    assert candidates(folder, "call", "demo.statistics", "") == ["numbers:="]
    assert "demo://readme" in candidates(folder, "read", "") and "demo://greeting/" in candidates(folder, "read", "demo", "")
    assert candidates(folder, "prompt", "demo.tr") == ["demo.translate"]
    assert candidates(folder, "prompt", "demo.translate", "text=x", "") == ["language="]
    (folder / "notes.txt").write_text("x")
    (folder / "notes").mkdir()
    assert set(candidates(folder, "call", "demo.echo", "text=@no")) == {"text=@notes.txt", "text=@notes/"}


TOOL = json.dumps({"name": "paint", "description": "Paints\nsomething", "inputSchema": {
    "type": "object", "required": ["color"], "properties": {
        "deep": {"type": "boolean"}, "list": {"type": "array"}, "size": {"type": "integer"},
        "color": {"type": "string", "enum": ["red", "green"], "description": "the \x1b[31mcolour"}}}})


def painter():
    return server("--tools", 0, "--tool-json", TOOL, "--resources", 1, "--templates", 1, "--prompts", 1)


def knows_the_painter(folder, env=None):
    assert candidates(folder, "call", "one.", env=env) == ["one.paint"]
    assert candidates(folder, "call", "one.paint", "", env=env) == ["color=", "deep=", "list:=", "size="]
    assert candidates(folder, "call", "one.paint", "color=red", "", env=env) == ["deep=", "list:=", "size="]
    assert candidates(folder, "call", "one.paint", "color=", env=env) == ["color=red", "color=green"]
    assert candidates(folder, "call", "paint", "deep=", env=env) == ["deep=true", "deep=false"]  # the only server
    assert candidates(folder, "list", "one.", env=env) == ["one.paint"]
    assert candidates(folder, "read", "test://", env=env)[:1] == ["test://resource/0"]
    assert candidates(folder, "prompt", "one.", env=env) == ["one.prompt0"]
    assert "\x1b" not in run(folder, "__complete", "--", "call", "one.paint", "", env={**PATIENT, **(env or {})}).stdout


@test
def what_a_server_listed_before(folder):
    write_config(folder, {"one": painter()})
    assert candidates(folder, "call", "") == ["one."]  # nothing is known yet
    assert run(folder, "list", "one").returncode == 0
    knows_the_painter(folder)
    # an entry that was changed is another server
    write_config(folder, {"one": {**painter(), "env": {"X": "1"}}})
    assert candidates(folder, "call", "one.") == []
    # nothing is looked up that a program would have to tell
    write_config(folder, {"one": {**painter(), "env": {"X": "${cmd:touch expanded}"}}})
    candidates(folder, "call", "one.")
    assert not (folder / "expanded").exists()


@test
def what_the_running_gateway_knows(folder):
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    env = {"XDG_RUNTIME_DIR": str(runtime), "XDG_CACHE_HOME": str(folder / "none")}
    write_config(folder, {"one": painter()}, {"serve": {}})
    with gateway(folder, env={**env, "XDG_CACHE_HOME": str(folder / "cache")}) as g:
        g.wait_ready()
        until(lambda: candidates(folder, "call", "one.paint", "", env=env), "the gateway knows the tools")
        knows_the_painter(folder, env)
        # the server proposes values
        assert candidates(folder, "prompt", "one.prompt0", "a=", env=env) == ["a=one", "a=two"]
        assert candidates(folder, "prompt", "one.prompt0", "a=t", env=env) == ["a=two"]
        assert candidates(folder, "read", "test://template0/t", env=env) == ["test://template0/two"]
    assert candidates(folder, "call", "one.", env=env) == []


@test
def nothing_is_expanded_or_said(folder):
    write_config(folder, {"one": {"command": "touch", "args": ["started"]}, "two": server()},
                 {"serve": {"tokens": ["${cmd:touch expanded}"]}})
    for words in (("call", "one.", ""), ("call", "one.x", "a="), ("list", "$(touch expanded)"), ("read", ""), ("tools", "--as", "")):
        complete(folder, *words)
        complete(folder, *words, shell="bash")
    (folder / "mcptools.json").write_text("{ broken")
    assert complete(folder, "list", "") == ([], NO_FILES)
    assert not (folder / "started").exists() and not (folder / "expanded").exists()
    assert not (folder / ".cache").exists() and not (folder / ".local").exists()


@test
def words_of_bash_lose_their_quotes(folder):
    write_config(folder, {"my server": server(), "it's": server()})
    for word in ("my\\ s", "'my s", "\"my s", "m'y s'"):
        assert candidates(folder, "list", word, shell="bash") == ["my server"], word
    assert candidates(folder, "list", "\"it'", shell="bash") == ["it's"]
    assert candidates(folder, "list", "--output=j", shell="bash", last="j") == ["json"]
    assert candidates(folder, "list", "--output=", shell="bash", last="") == ["auto", "text", "json", "raw"]


# ---- the shells ----

def program_folder(folder):
    """A folder for PATH with the program, as a file that no test environment changes."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    (bin_folder / "mcptools").symlink_to(MCPTOOLS)
    return {**environment(folder), "PATH": f"{bin_folder}:{os.environ['PATH']}", "TERM": "dumb", **PATIENT}


def script(folder, shell):
    path = folder / f"mcptools.{shell}"
    path.write_text(run(folder, "completion", shell).stdout)
    here = pathlib.Path(__file__).parent.parent.parent / "share" / "completions" / path.name
    assert path.read_text() == here.read_text(), "the program has the files of share/completions"
    return path


def shell_output(folder, *argv, env):
    done = subprocess.run(argv, cwd=folder, env=env, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done
    return done.stdout.splitlines()


def missing(shell):
    if shutil.which(shell):
        return False
    print(f"# SKIP: {shell} is not installed", flush=True)
    return True


LINES = [
    # line up to the cursor, what the last word becomes
    ("mcptools lis", ["list"]),
    ("mcptools list --output=j", ["--output=json"]),
    ("mcptools call demo.ec", ["demo.echo"]),
    ("mcptools call demo.echo te", ["text="]),
    ("mcptools read demo://rea", ["demo://readme"]),
    ("mcptools read demo demo://g", ["demo://greeting/"]),
    ("mcptools prompt demo.translate text='a b' la", ["language="]),
    ("mcptools call demo.echo text=@no", ["text=@notes.txt"]),
    ("mcptools agent ", ["list", "read", "install"]),
]


@test
def in_bash(folder):
    if missing("bash"):
        return
    env = program_folder(folder)
    (folder / "notes.txt").write_text("x")
    path = script(folder, "bash")
    # COMP_WORDS as bash makes it: split at blanks and around = and :
    driver = folder / "driver.bash"
    driver.write_text(f'''source {path}
COMP_LINE=$1; COMP_POINT=${{#1}}; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9
_mcptools mcptools "${{COMP_WORDS[COMP_CWORD]}}"
((${{#COMPREPLY[@]}})) && printf '%s\\n' "${{COMPREPLY[@]}}"
exit 0
''')
    for line, wanted in LINES:
        words = []
        for word in line.split(" ") if "'" not in line else ["mcptools", "prompt", "demo.translate", "text='a b'", "la"]:
            part = ""
            for c in word:
                if c in "=:" and "'" not in part:
                    words += [part, c] if part else [c]
                    part = ""
                    continue
                part += c
            if part or not word or word[-1] not in "=:":
                words.append(part)
        found = shell_output(folder, "bash", "--norc", str(driver), line, *words, env=env)
        last = words[-1]
        cut = line.rsplit(" ", 1)[1][:-len(last)] if last else line.rsplit(" ", 1)[1]
        assert [cut + f for f in found] == wanted, (line, words, found)
    # what is typed is not executed
    shell_output(folder, "bash", "--norc", str(driver), "mcptools list $(touch hit)x", "mcptools", "list", "$(touch hit)x", env=env)
    assert not (folder / "hit").exists()


@test
def in_fish(folder):
    if missing("fish"):
        return
    env = program_folder(folder)
    (folder / "notes.txt").write_text("x")
    path = script(folder, "fish")
    for line, wanted in LINES:
        found = shell_output(folder, "fish", "--no-config", "-c", f"source {path}; complete -C \"$argv[1]\"", line, env=env)
        assert [f.split("\t")[0] for f in found] == wanted, (line, found)
    found = shell_output(folder, "fish", "--no-config", "-c", f"source {path}; complete -C \"$argv[1]\"", "mcptools list (touch hit)x", env=env)
    assert not (folder / "hit").exists(), found


ZSH = r'''
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1= ; stty -echo 2>/dev/null; autoload -Uz compinit; compinit -u -D; zstyle ':completion:*' list-prompt ''; source $1"
zpty -w z "comptest() { compadd() { local -a shown; local i; for ((i = 1; i <= \$#; i++)); do [[ \${@[i]} == -a ]] && shown=(\${(P)@[i+1]}); done; print -rl -- BEGIN \$shown END >>$2; builtin compadd \"\$@\" }; _mcptools; unfunction compadd }"
zpty -w z "zle -C comptest complete-word comptest; bindkey '^I' comptest; print READY >>$2"
while ! grep -q READY $2 2>/dev/null; do sleep 0.05; done
zpty -n -w z "$3"$'\t'
while ! grep -q END $2; do sleep 0.05; done
zpty -d z
'''


@test
def in_zsh(folder):
    if missing("zsh"):
        return
    env = program_folder(folder)
    (folder / "notes.txt").write_text("x")
    path = script(folder, "zsh")
    for number, (line, wanted) in enumerate(LINES):
        out = folder / f"out{number}"
        shell_output(folder, "zsh", "-f", "-c", ZSH, "zsh", str(path), str(out), line, env=env)
        text = out.read_text()
        found = text[text.index("BEGIN\n") + 6:text.index("END")].split()
        assert found == wanted, (line, found)


main()
