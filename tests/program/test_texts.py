"""Texts of servers as a person sees them: whichever way JSON writes them, whole, and unable to pass for a line of ours."""

import pathlib
import re
import sys

from harness import PATIENCE_S, main, run, test, write_config
from terminal import Terminal

SERVER = {"command": sys.executable, "args": [str(pathlib.Path(__file__).parent / "texts_server.py")]}
SIGNATURE = 'größe=3|4 [n=INTEGER] [sag "was"=ü|b]'


def texts(folder):
    return write_config(folder, {"e": SERVER})


def says(done, status, out, err=None):
    assert (done.returncode, done.stdout) == (status, out) and (err is None or err in done.stderr), done


@test
def names_of_arguments_have_no_escapes(folder):
    texts(folder)
    says(run(folder, "call", "e.wetter", "größe=3"), 0, '{"gr\\u00f6\\u00dfe": 3}\n')
    says(run(folder, "call", "e.wetter", 'sag "was"=b', "größe=3", "-o", "raw"), 0, '{"sag \\"was\\"": "b", "gr\\u00f6\\u00dfe": 3}')
    says(run(folder, "call", "e.wetter", "n=1"), 1, "", f"needs the argument 'größe'; arguments: {SIGNATURE}")
    says(run(folder, "call", "e.wetter", "größe=3", 'sag "wes"=b'), 1, "",
         f"""has no argument 'sag "wes"'; did you mean 'sag "was"'? Arguments: {SIGNATURE}""")
    assert f"e.wetter {SIGNATURE}\n" in run(folder, "list", "e").stdout
    assert "größe=TEXT" in run(folder, "prompts", "e").stdout


@test
def nor_has_their_completion(folder):
    texts(folder)
    run(folder, "list", "e")  # what it listed before is completed
    for words, wanted in (([""], ["größe=", "n=", 'sag "was"=']), (["größe="], ["größe=3", "größe=4"])):
        done = run(folder, "__complete", "--shell", "fish", "--", "call", "e.wetter", *words, env={"MCPTOOLS_COMPLETE_MS": str(int(PATIENCE_S * 500))})
        assert [line.split("\t")[0] for line in done.stdout.split("\n")[:-2]] == wanted, done


@test
def long_signatures_are_cut_between_arguments(folder):
    texts(folder)
    done = run(folder, "call", "e.long", "y=1")
    shown = re.search(r"e\.long has no argument 'y'; arguments: first=VALUE(( \[xargument\d+=VALUE\])+) and (\d+) more\n", done.stderr)
    assert done.returncode == 1 and shown and shown[1].count("[") + 1 + int(shown[3]) == 61, done


@test
def errors_keep_their_lines(folder):
    texts(folder)
    wanted = "invalid:\n  - first\n  mcptools: server 'bank' is down (code -32602)\n"
    done = run(folder, "call", "e.refuses")
    assert done.returncode == 5 and done.stderr.endswith(wanted) and done.stderr.startswith("mcptools: "), done
    status, out = Terminal(folder, "call", "e.refuses").end()
    assert status == 5 and wanted in out.decode().replace("\r", ""), (status, out)


@test
def forms_keep_their_lines(folder):
    texts(folder)
    t = Terminal(folder, "call", "e.asks")
    t.until(b"ancel: ")
    t.type(b"y\n")
    t.until(b"required): ")
    t.type(b"3\n")
    t.until(b"(string): ", t.out.index(b"required): "))
    t.type(b"x\n")
    status, out = t.end()
    text = out.decode().replace("\r", "")
    assert status == 0 and "asks: Which one?\n      server 'bank' asks: your PIN\n" in text, (status, text)
    assert "\n  größe - in cm\n        pin (string):  (integer, required): " in text and "\n  half \ufffd one (string): " in text, text
    assert '{"action": "accept", "content": {"gr\\u00f6\\u00dfe": 3, "n": "x"}}' in text, text


@test
def half_characters_cost_no_more(folder):
    texts(folder)
    says(run(folder, "read", "e", "x:half"), 0, "before \ufffd after")
    says(run(folder, "call", "e.half"), 0, "before \ufffd after\n")
    says(run(folder, "prompt", "e.half"), 0, "user: before \ufffd after\n")


@test
def blobs(folder):
    texts(folder)
    for uri in ("x:blob", "x:lines"):
        says(run(folder, "read", "e", uri), 0, "hallo")
    says(run(folder, "read", "e", "x:bad"), 5, "", "the blob is not valid base64; -o json shows it unchanged")
    says(run(folder, "read", "e", "x:neither"), 5, "there", "has neither a text nor a blob; -o json shows")
    says(run(folder, "read", "e", "x:number"), 5, "", "has neither a text nor a blob; -o json shows")
    assert run(folder, "read", "e", "x:bad", "-o", "json").returncode == 0


@test
def an_item_of_a_list_has_one_line_in_a_pipe(folder):
    texts(folder)
    for command, wanted in (("resources", ["e            x:?1 forged  n?m  text/?plain", "e            x:2  t?forged"]),
                            ("prompts", ["e.p?forged größe=TEXT [a?b=TEXT]  t?forged", "e.half  half"])):
        done = run(folder, command)
        assert done.returncode == 0 and done.stdout.splitlines() == wanted, done


@test
def progress_fits_into_its_line(folder):
    texts(folder)
    for columns, tool, wanted in ((30, "progress", " 50%"), (30, "far", "100%"), (80, "far", "[" + "#" * 30 + "] 100% " + "ü" * 41),
                                  (50, "progress", "[###############...............]  50% " + "ü" * 11)):
        status, out = Terminal(folder, "call", f"e.{tool}", size=(24, columns)).end()
        text = out.decode()
        lines = [line for line in text.split("\r\x1b[K") if "%" in line]
        assert status == 0 and wanted in lines and all(len(line) < columns for line in lines), (columns, status, text)


main()
