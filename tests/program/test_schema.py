"""Schemas for model providers on the command line."""

import contextlib
import json
import os
import pty
import subprocess

from harness import MCPTOOLS, WRAPPER, main, run, test

PROFILES = ["none", "openclaw", "gemini", "openai", "openai-strict", "anthropic", "xai", "deepseek", "llamacpp"]
SCHEMA = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}, "n": {"enum": [1, 2]}}, "$defs": {"A": {"type": "string", "minLength": 1}}}


def schema(folder, given, *words):
    return run(folder, "schema", *words, stdin=given)


@test
def from_stdin_and_from_a_file(folder):
    wanted = '{"type":"object","properties":{"a":{"type":"string"},"n":{"enum":["1","2"],"type":"string"}}}\n'
    path = folder / "schema.json"
    path.write_text(json.dumps(SCHEMA, indent=2))
    for given, words in (json.dumps(SCHEMA), ()), (json.dumps(SCHEMA), ("-",)), ("", (str(path),)):
        done = schema(folder, given, "--for", "gemini", *words)
        assert done.returncode == 0 and done.stderr == "" and done.stdout == wanted, done


@test
def a_reference_to_nothing_is_told(folder):
    for ref in ("#/$defs/none", "https://example.com/s.json", "other.json"):
        for profile in ("openai", "openai-strict", "anthropic", "gemini"):
            done = schema(folder, json.dumps({"type": "object", "properties": {"a": {"$ref": ref}}}), "--for", profile)
            assert json.loads(done.stdout)["properties"]["a"] == {}, (profile, done)
            assert "{} stands for references that lead to nothing in the schema" in done.stderr, (profile, ref, done.stderr)


@test
def every_profile_prints_one_line(folder):
    for profile in PROFILES:
        done = schema(folder, json.dumps(SCHEMA, indent=2) + "\n", "--for", profile)
        assert done.returncode == 0 and done.stdout.count("\n") == 1, done
        assert json.loads(done.stdout)["type"] == "object", done
    assert json.loads(schema(folder, json.dumps(SCHEMA, indent=2), "--for", "none").stdout) == SCHEMA


@test
def indented_on_a_terminal(folder):
    path = folder / "schema.json"
    path.write_text('{"properties":{"a":{}}}')
    ours, theirs = pty.openpty()
    done = subprocess.run([*WRAPPER, MCPTOOLS, "schema", "--for", "openclaw", str(path)], stdout=theirs, cwd=folder, check=False)
    os.close(theirs)
    written = b""
    with contextlib.suppress(OSError):  # a terminal that nobody writes to any more is at its end with EIO
        while part := os.read(ours, 65536):
            written += part
    os.close(ours)
    text = written.decode().replace("\r", "")
    assert done.returncode == 0 and text.startswith('{\n  "properties": {\n    "a": {}\n  },\n'), text


@test
def mistakes(folder):
    for words, given, said in (
        (("--for", "klingon"), "{}", "--for 'klingon': must be one of " + ", ".join(PROFILES)),
        ((), "{}", "missing --for: must be one of none, "),
        (("--for", "xai"), '{"a":', "stdin: not valid JSON at byte 5"),
        (("--for", "xai"), "[]", "the schema of a tool must be an object"),
        (("--for", "xai", "gone.json"), "", "gone.json: No such file or directory"),
        (("--for", "xai", str(folder)), "", "Is a directory"),
        (("--for", "xai", "a", "b"), "", "usage: mcptools schema --for PROFILE [FILE|-]"),
    ):
        done = schema(folder, given, *words)
        assert done.returncode == 1 and done.stdout == "" and said in done.stderr, done
        done = schema(folder, given, *words, "-o", "json")
        assert done.returncode == 1 and said.split(": must")[0] in json.loads(done.stdout)["error"]["message"], done
    assert schema(folder, "{}", "--for", "klingon", "list").returncode == 1
    assert "--for is valid only with these commands: schema, tools, call" in run(folder, "list", "--for", "xai").stderr


@test
def warnings(folder):
    done = schema(folder, '{"type":"string"}', "--for", "anthropic")
    assert done.returncode == 0 and json.loads(done.stdout) == {"type": "string"}, done
    assert done.stderr == 'mcptools: warning: no provider accepts this schema: parameters.type must be "object"\n', done
    levels = {str(i): {"properties": {"a": {"$ref": f"#/$defs/{i + 1}"}, "b": {"$ref": f"#/$defs/{i + 1}"}}} for i in range(60)}
    done = schema(folder, json.dumps({"$ref": "#/$defs/0", "$defs": {**levels, "60": {}}}), "--for", "openclaw")
    assert done.returncode == 0 and len(done.stdout) < 2 << 20 and "too large" in done.stderr, done.stderr


if __name__ == "__main__":
    main()
