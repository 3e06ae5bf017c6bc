"""Tools, calls and results in the forms of model providers, over real servers."""

import json
import re
import shlex
import sys

from harness import Session, TEST_SERVER, answer, gateway, main, run, server, stateless, test, until, write_config

WORD = r"[a-zA-Z0-9_-]"
NAMES = {"openai": f"^{WORD}{{1,64}}$", "openai-strict": f"^{WORD}{{1,64}}$", "openai-responses": f"^{WORD}{{1,64}}$",
         "anthropic": f"^{WORD}{{1,128}}$", "gemini": r"^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$", "xai": f"^{WORD}{{1,64}}$",
         "deepseek": f"^{WORD}{{1,64}}$", "llamacpp": f"^{WORD}{{1,64}}$", "none": f"^{WORD}{{1,128}}$", "mcp": f"^{WORD}{{1,128}}$"}
CHAT = ("openai", "openai-strict", "xai", "deepseek", "llamacpp")
LEVEL = {"name": "level", "description": "Sets\nthe level.", "inputSchema": {
    "type": "object", "properties": {"level": {"$ref": "#/$defs/L"}, "note": {"type": "string"}}, "required": ["level"],
    "$defs": {"L": {"enum": [1, 2, 3]}}}}
BAD = {"name": "bad", "inputSchema": {"type": "string"}}
LONG = "a.tool.with.a.name.that.is.too.long.for.anybody." + 70 * "x"

# Answers each call with what stands in the file it is given.
ANSWERS = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    if m["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    elif m["method"] == "tools/list":
        result = {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}
    elif m["method"] == "tools/call":
        result = json.load(open(sys.argv[1]))
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


def two_servers(folder, **settings):
    """dev: level and one with a long name; 9p: tool0, and one whose schema nobody takes."""
    return write_config(folder, {
        "dev": server("--tools", 0, "--tool-json", json.dumps(LEVEL), "--tool-name", LONG, "--record", folder / "heard"),
        "9p": server("--tools", 1, "--tool-json", json.dumps(BAD), "--record", folder / "heard")},
        {"names": {"max_length": 128}, **settings})


def flat(provider, array):
    """(name, description, schema) of each tool of an array."""
    if provider == "gemini":
        assert [list(t) for t in array] == [["functionDeclarations"]], array
        array = array[0]["functionDeclarations"]
    if provider in CHAT:
        assert all(t["type"] == "function" and set(t) == {"type", "function"} for t in array), array
        array = [t["function"] for t in array]
    key = {"gemini": "parametersJsonSchema", "anthropic": "input_schema", "none": "inputSchema", "mcp": "inputSchema"}
    return [(t["name"], t.get("description"), t[key.get(provider, "parameters")]) for t in array]


def array_of(folder, provider, config, *words):
    done = run(folder, "tools", "--for", provider, "--config", config, *words)
    assert done.returncode == 0 and done.stdout.count("\n") == 1, done
    return flat(provider, json.loads(done.stdout))


def written_call(provider, name, arguments):
    """What a model of that provider writes."""
    text = json.dumps(arguments)
    if provider in CHAT:
        return {"id": "id1", "type": "function", "function": {"name": name, "arguments": text}}
    return {"openai-responses": {"type": "function_call", "id": "fc1", "call_id": "id1", "name": name, "arguments": text},
            "anthropic": {"type": "tool_use", "id": "id1", "name": name, "input": arguments},
            "gemini": {"functionCall": {"name": name, "args": arguments}}}.get(provider, {"name": name, "arguments": arguments})


def heard(folder):
    """(tool, arguments) of the calls the servers have got."""
    lines = [json.loads(line) for line in (folder / "heard").read_text().splitlines()]
    return [(m["params"]["name"], m["params"]["arguments"]) for m in lines if m.get("method") == "tools/call"]


@test
def arrays_of_every_provider(folder):
    config = two_servers(folder)
    for provider, valid in NAMES.items():
        tools = array_of(folder, provider, config)
        assert len(tools) == (4 if provider in ("none", "mcp") else 3), tools
        assert all(re.match(valid, name) for name, _, _ in tools) and len({name for name, _, _ in tools}) == len(tools), tools
        if provider in ("none", "mcp"):
            listed = json.loads(run(folder, "tools", "--config", config, "-o", "json").stdout)["tools"]
            assert tools == flat("mcp", listed)
            continue
        assert all(description and schema["type"] == "object" for _, description, schema in tools), tools
        level = next(t for t in tools if t[0] == "dev__level")
        assert level[1] == "Sets\nthe level." and level[2]["properties"]["level"]["enum"] == (["1", "2", "3"] if provider == "gemini" else [1, 2, 3])
        assert array_of(folder, provider, config) == tools


@test
def what_cannot_be_sent_is_told(folder):
    config = two_servers(folder)
    done = run(folder, "tools", "--for", "anthropic", "--config", config)
    assert done.stderr == ("mcptools: warning: server '9p': tool 'bad' is left out: no model provider accepts it: "
                           "input_schema.type must be \"object\"\n"), done.stderr
    said = json.loads(run(folder, "tools", "--for", "anthropic", "--config", config, "-o", "json").stdout)
    assert said["tools"] == json.loads(done.stdout), said
    assert said["errors"] == [{"kind": "unsupported", "message": "tool 'bad' is left out: no model provider accepts it: "
                               "input_schema.type must be \"object\"", "server": "9p", "tool": "9p__bad"}], said
    assert said["left_out"] == [{"name": "9p__bad", "server": "9p", "reason": "input_schema.type must be \"object\""}], said
    dead = write_config(folder, {"dev": server("--tools", 1), "dead": {"command": "no-such-program-anywhere"}})
    done = run(folder, "tools", "--for", "openai", "--config", dead)
    assert done.returncode == 8 and [t[0] for t in flat("openai", json.loads(done.stdout))] == ["dev__tool0"], done
    assert "server 'dead'" in done.stderr, done.stderr
    said = json.loads(run(folder, "tools", "--for", "openai", "--config", dead, "-o", "json").stdout)
    assert [e["server"] for e in said["errors"]] == ["dead"] and "left_out" not in said, said


@test
def strict_for_all_or_for_none(folder):
    closed = {"name": "c", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}
    for more, strict in ((), True), (("--tool-name", "other"), False):
        config = write_config(folder, {"s": server("--tools", 0, "--tool-json", json.dumps(closed), *more)})
        array = json.loads(run(folder, "tools", "--for", "openai-strict", "--config", config).stdout)
        assert [t["function"]["strict"] for t in array] == len(array) * [strict], array


@test
def the_way_back_of_every_provider(folder):
    config = two_servers(folder)
    for provider in NAMES:
        (folder / "heard").write_text("")
        for name, _, schema in array_of(folder, provider, config):
            given = {"level": schema["properties"]["level"]["enum"][0]} if name == "dev__level" and provider not in ("none", "mcp") else {}
            if name == "dev__level" and not given:
                given = {"level": 1}
            call = json.dumps(written_call(provider, name, given))
            (folder / "call.json").write_text(call)
            for word, stdin in ("-", call), ("@call.json", None):
                done = run(folder, "call", "--for", provider, word, "--config", config, stdin=stdin)
                assert done.returncode == 0 and done.stdout == "ok\n", done
        calls = heard(folder)
        assert ("level", {"level": 1}) in calls and ("tool0", {}) in calls and (LONG, {}) in calls, calls


@test
def tools_that_are_named(folder):
    config = two_servers(folder)
    gemini = [name for name, _, _ in array_of(folder, "gemini", config)]
    long, level, tool0 = gemini[0 if "level" in gemini[1] else 1], "dev__level", gemini[2]
    assert re.fullmatch(r"dev__a_tool_.*_[0-9a-f]{12}", long) and re.fullmatch(r"_9p__tool0_[0-9a-f]{12}", tool0), gemini
    for word, raw in (level, "level"), ("dev.level", "level"), ("level", "level"), (tool0, "tool0"), ("9p__tool0", "tool0"), (long, LONG):
        done = run(folder, "call", word, "--for", "gemini", "--args", '{"level":"2"}', "--config", config)
        assert done.returncode == 0 and heard(folder)[-1] == (raw, {"level": 2 if raw == "level" else "2"}), (word, done)
    done = run(folder, "call", level, "--for", "gemini", "level=3", "note=x", "--config", config, "-o", "json")
    assert json.loads(done.stdout) == {"functionResponse": {"name": level, "response": {"output": "ok"}}}, done
    assert heard(folder)[-1] == ("level", {"level": 3, "note": "x"})
    run(folder, "call", level, "--for", "xai", "--args", '{"level":1,"note":"a &amp;&amp; b &amp;lt;"}', "--config", config)
    assert heard(folder)[-1] == ("level", {"level": 1, "note": "a && b &lt;"})
    run(folder, "call", level, "--for", "openai-strict", "--args", '{"level":1,"note":null}', "--config", config)
    assert heard(folder)[-1] == ("level", {"level": 1})
    # a model's call names nothing but tools of the array
    done = run(folder, "call", "--for", "openai", "-", "--config", config, stdin=json.dumps(written_call("openai", "dev.level", {})))
    assert done.returncode == 5 and "unknown tool: dev.level" in done.stderr, done


@test
def results_in_the_form_of_the_provider(folder):
    script, answer = folder / "server.py", folder / "answer.json"
    script.write_text(ANSWERS)
    config = write_config(folder, {"cam": {"command": sys.executable, "args": [str(script), str(answer)]}})
    image = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
    answer.write_text(json.dumps({"content": [{"type": "text", "text": "Look:"}, image, {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}]}))
    text = "Look:\n[Image result: image/png, 8B]\n[Audio result: audio/wav, 3B]"
    wanted = {
        "openai": {"role": "tool", "tool_call_id": "id1", "content": text},
        "openai-responses": {"type": "function_call_output", "call_id": "id1", "output": [
            {"type": "input_text", "text": "Look:"}, {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
            {"type": "input_text", "text": "[Audio result: audio/wav, 3B]"}]},
        "anthropic": {"type": "tool_result", "tool_use_id": "id1", "content": [
            {"type": "text", "text": "Look:"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
            {"type": "text", "text": "[Audio result: audio/wav, 3B]"}], "is_error": False},
        "gemini": {"functionResponse": {"name": "look", "response": {"output": text}}}}
    for provider, result in wanted.items():
        call = json.dumps(written_call(provider, "look", {}))
        done = run(folder, "call", "--for", provider, "-", "--config", config, "-o", "json", stdin=call)
        assert done.returncode == 0 and json.loads(done.stdout) == result, done
        assert run(folder, "call", "--for", provider, "-", "--config", config, "-o", "raw", stdin=call).stdout == text
    answer.write_text(json.dumps({"content": [{"type": "text", "text": "no film"}], "isError": True}))
    for provider, mark in ("anthropic", '"is_error":true'), ("gemini", '{"error":"no film"}'), ("openai", '"content":"no film"'):
        done = run(folder, "call", "--for", provider, "-", "--config", config, "-o", "json", stdin=json.dumps(written_call(provider, "look", {})))
        assert done.returncode == 5 and mark in done.stdout, done


@test
def what_is_offered_is_what_is_called(folder):
    config = two_servers(folder, serve={"tokens": [{"token": "b", "name": "bob", "deny": ["dev"]}]})

    def names(*words):
        return [t[0] for t in array_of(folder, "anthropic", config, *words)]

    assert names("--as", "bob") == ["9p__tool0"] and names("--server", "9p") == ["tool0"]
    assert "read_mcp_resource" in names("--dialect", "codex") and names("--mode", "search") == ["tool_search", "tool_describe", "tool_call"]
    call = written_call("anthropic", "tool_call", {"name": "dev__level", "arguments": {"level": 2}})
    done = run(folder, "call", "--for", "anthropic", "-", "--mode", "search", "--config", config, stdin=json.dumps(call))
    assert done.returncode == 0 and heard(folder) == [("level", {"level": 2})], done
    call = written_call("anthropic", "tool_search", {"query": "level"})
    done = run(folder, "call", "--for", "anthropic", "-", "--mode", "search", "--config", config, "-o", "json", stdin=json.dumps(call))
    assert "dev__level" in json.loads(json.loads(done.stdout)["content"][0]["text"])["matches"][0]["name"], done
    call = written_call("anthropic", "tool_call", {"name": "nobody"})
    done = run(folder, "call", "--for", "anthropic", "-", "--mode", "search", "--config", config, stdin=json.dumps(call))
    assert done.returncode == 5 and "unknown tool: nobody" in done.stderr, done
    call = json.dumps(written_call("gemini", "tool0", {}))
    done = run(folder, "call", "--for", "gemini", "-", "--server", "9p", "--config", config, stdin=call)
    assert done.returncode == 0 and heard(folder)[-1] == ("tool0", {}), done
    adhoc = shlex.join([TEST_SERVER, "--tools", "2"])
    done = run(folder, "tools", "--for", "gemini", "--stdio", adhoc)
    assert [t[0] for t in flat("gemini", json.loads(done.stdout))] == ["tool0", "tool1"], done
    assert run(folder, "call", "--for", "gemini", "-", "--stdio", adhoc, stdin=call).stdout == "ok\n"


@test
def too_many_tools(folder):
    config = write_config(folder, {"s": server("--tools", 129)})
    for provider, told in ("openai", True), ("openai-responses", True), ("anthropic", False):
        done = run(folder, "tools", "--for", provider, "--config", config)
        assert done.returncode == 0 and len(json.loads(done.stdout)) == 129, done
        assert (f"{provider} accepts at most 128 tools, but there are 129; use --mode search" in done.stderr) == told, done.stderr
        said = json.loads(run(folder, "tools", "--for", provider, "--config", config, "-o", "json").stdout)
        assert [e["kind"] for e in said.get("errors", [])] == (["limit"] if told else []), said
    assert run(folder, "tools", "--for", "openai", "--mode", "search", "--config", config).stderr == ""
    exact = write_config(folder, {"s": server("--tools", 128)})
    assert run(folder, "tools", "--for", "openai", "--config", exact).stderr == ""


@test
def policy_and_read_only_mode(folder):
    config = two_servers(folder, policy={"deny": ["dev"]})
    assert [t[0] for t in array_of(folder, "anthropic", config)] == ["9p__tool0"]
    call = json.dumps(written_call("anthropic", "dev__level", {"level": 1}))
    done = run(folder, "call", "--for", "anthropic", "-", "--config", config, stdin=call)
    assert done.returncode == 5 and "unknown tool: dev__level" in done.stderr, done
    call = json.dumps(written_call("anthropic", "9p__tool0", {}))
    done = run(folder, "call", "--for", "anthropic", "-", "--config", config, "--read-only", "-o", "json", stdin=call)
    said = json.loads(done.stdout)
    assert done.returncode == 7 and said["is_error"] and said["tool_use_id"] == "id1" and "9p__tool0" in said["content"][0]["text"], done
    assert not (folder / "heard").exists() or heard(folder) == []


@test
def arguments_of_a_model_that_are_blank_or_no_json(folder):
    """What is blank is no argument; what is cut off is told to the model, in the form in which it gets answers."""
    config = write_config(folder, {"dev": server("--tools", 0, "--tool-name", "args"), "more": server("--tools", 1)})
    said = "failed to parse function arguments: unexpected end, expected a value at line 1 column 9"

    def answer(arguments, form="openai-responses"):
        written = {"openai-responses": {"type": "function_call", "call_id": "c1", "name": "dev__args", "arguments": arguments},
                   "openai": {"id": "c1", "type": "function", "function": {"name": "dev__args", "arguments": arguments}},
                   "gemini": {"functionCall": {"name": "dev__args", "args": arguments}}}[form]
        return run(folder, "call", "--for", form, "-", "-o", "json", "--config", config, stdin=json.dumps(written))

    for blank in ("", " ", "\t", " \n\t", "\u00a0\u3000", "null", "{}", " {}\n"):
        done = answer(blank)
        assert done.returncode == 0 and json.loads(done.stdout)["type"] == "function_call_output", (blank, done)
    done = answer('{"level":')
    assert done.returncode == 1 and done.stderr == "", done
    assert json.loads(done.stdout) == {"type": "function_call_output", "call_id": "c1", "output": said}, done.stdout
    done = answer('{"level":', "openai")
    assert json.loads(done.stdout) == {"role": "tool", "tool_call_id": "c1", "content": said}, done.stdout
    done = answer([1], "gemini")
    wanted = {"functionResponse": {"name": "dev__args", "response": {
        "error": "failed to parse function arguments: a JSON object was expected"}}}
    assert json.loads(done.stdout) == wanted, done.stdout
    for given in ("", " \n\t", "\u2003"):
        assert run(folder, "call", "dev.args", "--args", given, "--config", config).returncode == 0
        assert run(folder, "call", "dev.args", "--args", "-", "--config", config, stdin=given).returncode == 0
    done = run(folder, "call", "dev.args", "--args", "{bad", "--config", config)
    assert done.returncode == 1 and "--args: not valid JSON at byte 1" in done.stderr, done


@test
def mistakes(folder):
    config = two_servers(folder)
    for words, stdin, said in (
        (("tools", "--for", "klingon"), None, "--for 'klingon': must be one of openai, openai-strict, openai-responses, anthropic, gemini, "),
        (("tools", "--for", "openclaw"), None, "--for 'openclaw': must be one of"),
        (("tools", "--for", "openai", "--prompt"), None, "--for cannot be combined with --prompt, --cost or --explain"),
        (("tools", "--for", "openai", "--cost"), None, "--for cannot be combined with --prompt, --cost or --explain"),
        (("tools", "--for", "openai", "--explain", "x"), None, "--for cannot be combined with --prompt, --cost or --explain"),
        (("call", "--for", "klingon", "-"), "{}", "--for 'klingon': must be one of"),
        (("call", "-"), "{}", "name the model provider with --for"),
        (("tools", "--for", "openai", "--server", "nobody"), None, "--server nobody: no such server is configured"),
        (("call", "--for", "openai", "level", "--server", "nobody"), None, "--server nobody: no such server is configured"),
        (("call", "dev.level", "--mode", "search"), None, "--mode and --server of 'call' need --for"),
        (("call", "dev.level", "--server", "dev"), None, "--mode and --server of 'call' need --for"),
        (("call", "--for", "openai"), None, "usage: mcptools call"),
        (("call", "--for", "openai", "-", "level=1"), "{}", "contains the arguments already"),
        (("call", "--for", "openai", "-", "--args", "{}"), "{}", "contains the arguments already"),
        (("call", "--for", "openai", "dev__level", "level=1", "--args", "{}"), None, "give either --args or key=value"),
        (("call", "--for", "openai", "@gone.json"), None, "gone.json: No such file or directory"),
        (("call", "--for", "openai", "-"), "", "the call for openai: not valid JSON at byte 0"),
        (("call", "--for", "gemini", "-"), '{"type":"tool_use","id":"a","input":{}}', 'expected {"functionCall":'),
        (("call", "--for", "anthropic", "-"), '[{"type":"tool_use"}]', 'expected {"type":"tool_use"'),
    ):
        done = run(folder, *words, "--config", config, stdin=stdin)
        assert done.returncode == 1 and done.stdout == "" and said in done.stderr, done
        done = run(folder, *words, "--config", config, "-o", "json", stdin=stdin)
        assert done.returncode == 1 and said in json.loads(done.stdout)["error"]["message"], done
    assert not (folder / "heard").exists() or heard(folder) == []


def whole_message(provider, calls):
    """What a model says that makes these calls, among other things."""
    if provider in CHAT:
        return {"role": "assistant", "content": "Let me see.", "tool_calls": calls}
    return {"openai-responses": {"id": "r", "object": "response", "output": [{"type": "reasoning", "summary": []}, *calls,
                                 {"type": "message", "role": "assistant", "content": []}]},
            "anthropic": {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, *calls]},
            "gemini": {"role": "model", "parts": [{"text": "Let me see."}, *calls]}}.get(provider, calls)


def answered(provider, answer):
    """(id, text, is it an error) of an answer; None where the form has no place for it."""
    if provider in CHAT:
        assert answer["role"] == "tool", answer
        return answer["tool_call_id"], answer["content"], None
    if provider == "openai-responses":
        assert answer["type"] == "function_call_output", answer
        return answer["call_id"], answer["output"], None
    if provider == "anthropic":
        assert answer["type"] == "tool_result", answer
        return answer["tool_use_id"], answer["content"][0]["text"], answer["is_error"]
    if provider == "gemini":
        said = answer["functionResponse"]
        (kind, text), = said["response"].items()
        return said["id"], text, kind == "error"
    return None, answer["content"][0]["text"], answer.get("isError", False)


def numbered(provider, name, arguments, number):
    call = written_call(provider, name, arguments)
    for key in ("id", "call_id"):
        if key in call:
            call[key] = f"id{number}"
    if provider == "gemini":
        call["functionCall"]["id"] = f"id{number}"
    return call


@test
def several_calls_of_one_message(folder):
    config = two_servers(folder)
    for provider in NAMES:
        (folder / "heard").write_text("")
        names = {name: schema for name, _, schema in array_of(folder, provider, config)}
        tool0 = next(name for name in names if "tool0" in name)
        level = "1" if provider == "gemini" else 1
        calls = [numbered(provider, "dev__level", {"level": level}, 1), numbered(provider, "nobody", {}, 2), numbered(provider, tool0, {}, 3)]
        for given in whole_message(provider, calls), calls:
            done = run(folder, "call", "--for", provider, "-", "--config", config, "-o", "json", stdin=json.dumps(given))
            said = [answered(provider, a) for a in json.loads(done.stdout)]
            assert done.returncode == 8 and [text for _, text, _ in said] == ["ok", "unknown tool: nobody", "ok"], done
            if said[0][0] is not None:
                assert [number for number, _, _ in said] == ["id1", "id2", "id3"], said
            assert [bad for _, _, bad in said] in ([False, True, False], 3 * [None]), said
        assert sorted(name for name, _ in heard(folder)) == ["level", "level", "tool0", "tool0"]
        done = run(folder, "call", "--for", provider, "-", "--config", config, stdin=json.dumps(whole_message(provider, calls[:1])))
        assert done.returncode == 0 and done.stdout == "ok\n", done
    whole = {"choices": [{"message": whole_message("openai", [written_call("openai", "dev__level", {"level": 1})])}]}
    done = run(folder, "call", "--for", "openai", "-", "--config", config, "-o", "json", stdin=json.dumps(whole))
    assert [answered("openai", a)[1] for a in json.loads(done.stdout)] == ["ok"], done
    done = run(folder, "call", "--for", "anthropic", "-", "--config", config, stdin='{"role":"assistant","content":[{"type":"text","text":"no"}]}')
    assert done.returncode == 1 and "has no tool call; expected" in done.stderr, done


@test
def calls_run_at_the_same_time(folder):
    """Each call waits until the server has heard both."""
    script = folder / "meet.py"
    script.write_text(ANSWERS.replace('result = json.load(open(sys.argv[1]))', 'waiting.append((m["id"], m["params"]["arguments"]["n"])); '
                                      'result = None').replace("import json, sys", "import json, sys\nwaiting = []").replace(
        '    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)',
        '    if result is not None:\n'
        '        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)\n'
        '    for id, n in reversed(waiting) if len(waiting) == 2 else ():\n'
        '        print(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": str(n)}]}}), flush=True)'))
    config = write_config(folder, {"s": {"command": sys.executable, "args": [str(script)]}})
    calls = [numbered("openai", "look", {"n": n}, n) for n in (1, 2)]
    done = run(folder, "call", "--for", "openai", "-", "--config", config, "-o", "json", stdin=json.dumps(calls))
    assert done.returncode == 0 and [answered("openai", a)[:2] for a in json.loads(done.stdout)] == [("id1", "1"), ("id2", "2")], done


@test
def failures_in_the_form_of_the_provider(folder):
    config = two_servers(folder)
    for words, call, status, text in (
        ((), '{"id":"id1","type":"function","function":{"name":"dev__level","arguments":"{\\"level\\":"}}', 1,
         "failed to parse function arguments: "),
        ((), json.dumps(written_call("openai", "dev__levl", {})), 5, "unknown tool: dev__levl"),
        ((), '{"id":"id1","type":"custom","custom":{"name":"x","input":"y"}}', 1, "the call for openai: not a tool call; expected"),
        (("--read-only",), json.dumps(written_call("openai", "9p__tool0", {})), 7, "9p__tool0"),
        (("--timeout", "3"), json.dumps(written_call("openai", "slow", {})), 6, "no answer"),
    ):
        file = config
        if "--timeout" in words:
            file = write_config(folder, {"s": server("--tools", 0, "--tool-name", "slow", "--hang-on", "tools/call")})
        done = run(folder, "call", "--for", "openai", "-", "--config", file, *words, "-o", "json", stdin=call)
        said = json.loads(done.stdout)
        assert done.returncode == status and answered("openai", said)[0] == "id1" and text in answered("openai", said)[1], done
        done = run(folder, "call", "--for", "openai", "-", "--config", file, *words, stdin=call)
        assert done.returncode == status and text in done.stderr + done.stdout, done
    dead = write_config(folder, {"dead": {"command": "no-such-program-anywhere"}, "dev": server("--tools", 0)})
    done = run(folder, "call", "--for", "anthropic", "-", "--config", dead, "-o", "json", stdin=json.dumps(written_call("anthropic", "dead__x", {})))
    said = json.loads(done.stdout)
    assert done.returncode == 5 and said["is_error"] and "unknown tool: dead__x; server 'dead' is missing: " in said["content"][0]["text"], done


ODD = {"name": "odd", "description": "Lists\ncalls." + 2000 * " x", "inputSchema": {
    "type": "object", "properties": {"StartTime<": {"type": "string"}, "box": {"type": "array", "items": [{"type": "number"}]}}}}


@test
def clients_that_forward_to_a_provider(folder):
    """?schemas= and the key "schemas" show tools as a provider accepts them; otherwise they stay byte for byte."""
    servers = {"s": server("--tools", 0, "--tool-json", json.dumps(ODD), "--record", folder / "heard"),
               "b": server("--tools", 0, "--tool-json", json.dumps(BAD))}
    config = write_config(folder, servers, {"serve": {"tokens": [{"token": "c", "name": "claude", "schemas": "anthropic"}, {"token": "p", "name": "plain"}]}})
    with gateway(folder, "--config", config) as g:
        def listed(path, token):
            s = Session(g, path=path, headers={"Authorization": f"Bearer {token}"})
            return s, answer(s.post("tools/list", {})[2])["result"]["tools"]

        until(lambda: g.request("GET", "/readyz", None, {"Authorization": "Bearer p"})[0] == 200, "ready")
        _, plain = listed("/mcp", "p")
        assert [t["name"] for t in plain] == ["s__odd", "b__bad"], plain
        odd = next(t for t in plain if t["name"] == "s__odd")
        assert odd["description"] == ODD["description"] and odd["inputSchema"] == ODD["inputSchema"], odd
        for path, token in ("/mcp", "c"), ("/mcp?schemas=anthropic", "p"):
            session, tools = listed(path, token)
            odd = next(t for t in tools if t["name"] == "s__odd")
            assert odd["description"] == ODD["description"], odd
            assert list(odd["inputSchema"]["properties"]) == ["StartTime_1f753bd6", "box"], odd
            assert odd["inputSchema"]["properties"]["box"] == {"type": "array", "prefixItems": [{"type": "number"}], "items": {}}, odd
            assert [t["name"] for t in tools] == ["s__odd"], tools
            said = answer(session.post("tools/call", {"name": "s__odd", "arguments": {"StartTime_1f753bd6": "x"}})[2])
            assert "result" in said and heard(folder)[-1] == ("odd", {"StartTime<": "x"}), (said, heard(folder))
        _, tools = listed("/mcp?schemas=openai", "p")
        assert next(t for t in tools if t["name"] == "s__odd")["description"].endswith(f"[mcptools: cut; the whole text has {len(ODD['description'])} characters]")
        _, tools = listed("/mcp?schemas=original", "p")
        assert tools == plain
        body, headers = stateless("tools/list", {})
        status, _, said = g.request("POST", "/mcp?schemas=klingon", body, {**headers, "Authorization": "Bearer p"})
        assert status == 400 and b"the URL parameter schemas must be original, openai, " in said, said
        assert "server 'b': tool 'bad' is not listed: no model provider accepts it: " in g.text(), g.text()


if __name__ == "__main__":
    main()
