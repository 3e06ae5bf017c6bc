"""The examples do what their comments say, under valgrind where that can be, and stay as short as they are meant to be. TAP.

Arguments: the folder of the built examples, mcptools, the test server, the example plugin, goodbye.c as a program; then
"valgrind" if they run under it.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "program"))
from auth_server import AuthServer  # pylint: disable=wrong-import-position

EXAMPLES, MCPTOOLS, TEST_SERVER, PLUGIN, GOODBYE = sys.argv[1:6]
VALGRIND = "valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect".split() \
    if "valgrind" in sys.argv[6:] else []
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"


def start_agent(folder, servers, script):
    (folder / "mcptools.json").write_text(json.dumps({"mcpServers": servers}))
    (folder / "script.txt").write_text("".join(line + "\n" for line in script))
    return subprocess.Popen([*VALGRIND, f"{EXAMPLES}/agent", folder / "mcptools.json", folder / "script.txt"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "HOME": str(folder)})


def use(name, **arguments):
    return json.dumps({"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": arguments})


def answers(out):
    return {a["tool_use_id"][6:]: a for a in (json.loads(line[2:]) for line in out.splitlines() if line.startswith("< {"))}


def agent_runs(folder):
    servers = {"s": {"command": TEST_SERVER, "args": ["--tools", "1"]}, "timer": {"type": "plugin", "path": PLUGIN},
               "dead": {"command": "/nonexistent/program"}}
    agent = start_agent(folder, servers, [use("note", text="milk"), use("s__tool0", progress=2), use("timer__wait", seconds=0.01),
                                          use("note"), use("nothing"), "That was all."])
    out, err = agent.communicate(timeout=120)
    assert agent.returncode == 0, (agent.returncode, out, err)
    tools = [t["name"] for t in json.loads(out.splitlines()[0].removeprefix("tools: "))]
    assert tools[0] == "note" and {"s__tool0", "timer__wait"} < set(tools), tools
    told = answers(out)
    assert told["note"]["is_error"] and told["s__tool0"]["content"] == [{"type": "text", "text": "ok"}], told
    assert told["timer__wait"]["content"][0]["text"] == "the time is over", told
    assert told["nothing"]["is_error"] and "unknown tool" in told["nothing"]["content"][0]["text"], told
    assert out.splitlines()[-1] == "That was all.", out
    assert "1/2" in err and "going on without some" in err and "'dead'" in err, err


def agent_is_interrupted(folder):
    agent = start_agent(folder, {"s": {"command": TEST_SERVER, "args": ["--tools", "1"]}},
                        [use("tool0", delay_ms=10**7, progress=1), "Stopped."])
    while "1/1" not in agent.stderr.readline():  # the call is under way
        assert agent.poll() is None
    agent.send_signal(signal.SIGINT)
    out, err = agent.communicate(timeout=120)
    assert agent.returncode == 0, (agent.returncode, out, err)
    assert "cancelled" in answers(out)["tool0"]["content"][0]["text"] and out.splitlines()[-1] == "Stopped.", out


def server_serves(folder):
    server = [*VALGRIND, f"{EXAMPLES}/server"]
    done = subprocess.run([MCPTOOLS, "call", "brew", "--stdio", " ".join(server), "-o", "json"], capture_output=True, text=True,
                          check=False, env={**os.environ, "HOME": str(folder)})
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["content"][0]["text"] == "Your tea, please.", done.stdout
    done = talk(server, "count_words", text="a b")
    hello = json.loads(done.stdout.splitlines()[0])["result"]
    assert hello["capabilities"] == {"tools": {"listChanged": True}, "logging": {}}, hello
    assert "list_changed" not in done.stdout, done.stdout
    assert json.loads(done.stdout.splitlines()[-1])["result"]["structuredContent"] == {"words": 2}, done.stdout


def tell(server, requests):
    """All at once, and then the end of the input."""
    lines = "".join(json.dumps({"jsonrpc": "2.0", **r}) + "\n" for r in requests)
    done = subprocess.run(server, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    return done


def talk(server, tool, **arguments):
    return tell(server, [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                          "clientInfo": {"name": "t", "version": "1"}}}, {"method": "notifications/initialized"},
                         {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}])


def call_calls(folder):
    (folder / "mcptools.json").write_text(json.dumps({"mcpServers": {"s": {"command": TEST_SERVER, "args": ["--tools", "1"]}}}))

    def call(tool, arguments):
        return subprocess.run([*VALGRIND, f"{EXAMPLES}/call", folder / "mcptools.json", tool, arguments], capture_output=True,
                              text=True, check=False, env={**os.environ, "HOME": str(folder)})
    done = call("tool0", "{}")
    assert (done.returncode, done.stdout) == (0, "ok\n"), done
    done = call("nothing", "{}")
    assert done.returncode == 1 and "unknown tool: nothing" in done.stderr, done
    done = call("tool0", "[")
    assert done.returncode == 1 and "arguments: not valid JSON" in done.stderr, done


def async_calls(folder):
    """All at once; the end of the input cancels those that are left."""
    (folder / "mcptools.json").write_text(json.dumps({"mcpServers": {"s": {"command": TEST_SERVER, "args": ["--tools", "2"]}}}))
    calls = ["tool0", json.dumps({"delay_ms": 10**7}), "tool1", "{}", "nothing", "{}"]
    program = subprocess.Popen([*VALGRIND, f"{EXAMPLES}/async", folder / "mcptools.json", *calls], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1,
                               env={**os.environ, "HOME": str(folder)})
    first = [program.stdout.readline(), program.stdout.readline()]
    assert first == ["unknown tool: nothing\n", "ok\n"], (first, program.poll())
    out, err = program.communicate(timeout=120)  # which closes its stdin
    assert program.returncode == 0 and "cancelled" in out and "async:" not in err, (program.returncode, out, err)


def last_words(_):
    answers_ = {a["id"]: a for a in map(json.loads, talk([*VALGRIND, GOODBYE], "goodbye").stdout.splitlines())}
    assert set(answers_) == {1, 2} and answers_[2]["result"]["content"][0]["text"] == "goodbye", answers_


def subscriptions_hear_of_the_end(_):
    meta = {f"io.modelcontextprotocol/{key}": value for key, value in (("protocolVersion", "2026-07-28"), ("clientCapabilities", {}))}
    done = tell([*VALGRIND, GOODBYE], [
        {"id": 1, "method": "subscriptions/listen", "params": {"notifications": {"toolsListChanged": True}, "_meta": meta}},
        {"id": 2, "method": "tools/call", "params": {"name": "goodbye", "arguments": {}, "_meta": meta}}])
    said = [m for m in map(json.loads, done.stdout.splitlines()) if "id" in m]
    assert [m["id"] for m in said] == [2, 1] and "result" in said[1], said


def notes_are_kept(_):
    def of(program):
        return [m for m in map(json.loads, program.stdout.splitlines())]
    hello = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}}
    said = of(tell([*VALGRIND, f"{EXAMPLES}/notes"], [
        {"id": 1, "method": "initialize", "params": hello}, {"method": "notifications/initialized"},
        {"id": 2, "method": "resources/subscribe", "params": {"uri": "note://new"}},
        {"id": 3, "method": "tools/call", "params": {"name": "write", "arguments": {"name": "new", "text": 'say "hi"'}}},
        {"id": 4, "method": "resources/read", "params": {"uri": "note://new"}},
        {"id": 5, "method": "prompts/get", "params": {"name": "do", "arguments": {"name": "tea"}}},
        {"id": 6, "method": "completion/complete", "params": {"ref": {"type": "ref/resource", "uri": "note://{name}"},
                                                               "argument": {"name": "name", "value": ""}}},
        {"id": 7, "method": "tools/call", "params": {"name": "write", "arguments": {"name": "A B", "text": ""}}},
        {"id": 8, "method": "resources/read", "params": {"uri": "note://other"}},
    ]))
    answers_ = {m["id"]: m for m in said if "method" not in m}
    assert answers_[1]["result"]["serverInfo"]["title"] == "Notes", answers_[1]
    assert set(answers_[1]["result"]["capabilities"]) == {"tools", "resources", "prompts", "completions", "logging"}, answers_[1]
    assert answers_[4]["result"]["contents"][0]["text"] == 'say "hi"', answers_[4]
    assert 'Make "tea".' in answers_[5]["result"]["messages"][0]["content"]["text"], answers_[5]
    assert answers_[6]["result"]["completion"]["values"] == ["milk", "tea", "new"], answers_[6]
    assert "/name" in answers_[7]["result"]["content"][0]["text"] and answers_[7]["result"]["isError"], answers_[7]
    assert answers_[8]["error"]["code"] == -32002, answers_[8]
    told = {m["method"] for m in said if "method" in m}
    assert told == {"notifications/resources/updated", "notifications/message"}, told


def notes_are_forgotten(_):
    program = subprocess.Popen([*VALGRIND, f"{EXAMPLES}/notes"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(number, method, params):
        program.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        return json.loads(program.stdout.readline())["result"]

    meta = {f"io.modelcontextprotocol/{key}": value for key, value in
            (("protocolVersion", "2026-07-28"), ("clientCapabilities", {"elicitation": {}}))}
    call = {"name": "forget_all", "arguments": {}, "_meta": meta}
    asked = ask(1, "tools/call", call)
    key, question = next(iter(asked["inputRequests"].items()))
    assert question["params"]["message"] == "Forget all notes?", asked
    done = ask(2, "tools/call", {**call, "requestState": asked["requestState"], "inputResponses": {key: {"action": "accept", "content": {}}}})
    assert done["content"][0]["text"] == "All notes are gone.", done
    program.communicate(timeout=120)
    assert program.returncode == 0


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def arrive(url):
    """The URL to which the authorization server sends a browser."""
    try:
        urllib.request.build_opener(Stay).open(url, timeout=60)
    except urllib.error.HTTPError as answer:
        return answer.headers["Location"]
    raise AssertionError(url)


def login_logs_in(folder):
    """With a browser on this machine, and with the address of the last page pasted."""
    for pastes in (False, True):
        with AuthServer() as server:
            (folder / "mcptools.json").write_text(json.dumps({"mcpServers": {"s": {"url": server.url}},
                                                              "mcptools": {"auth": {"store": "memory"}}}))
            login = subprocess.Popen([*VALGRIND, f"{EXAMPLES}/login", folder / "mcptools.json", "s", "test-tool"],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env={**os.environ, "HOME": str(folder)})
            assert login.stdout.readline() == "Log in at 's' with a browser:\n"
            page = login.stdout.readline().strip()
            assert "paste the address" in login.stdout.readline()
            if pastes:
                login.stdin.write("http://127.0.0.1/elsewhere\n" + arrive(page) + "\n")
                login.stdin.flush()
            else:
                urllib.request.urlopen(page, timeout=60).read()
            out, err = login.communicate(timeout=120)
            assert login.returncode == 0, (login.returncode, out, err)
            assert out.splitlines()[-1] == "done: test-tool" and len(out.splitlines()) == 1 + pastes, out


def stay_short(_):
    lengths = {name: len((SOURCES / name).read_text().splitlines())
               for name in ("agent.c", "async.c", "call.c", "login.c", "notes.c", "server.c", "plugin/timer.c")}
    assert lengths["notes.c"] <= 145, lengths
    assert not [name for name in lengths if '{\\"' in (SOURCES / name).read_text()], "JSON is escaped by hand"
    assert lengths["agent.c"] <= 150 and lengths["async.c"] <= 100 and lengths["call.c"] <= 40, lengths
    assert lengths["login.c"] <= 105, lengths
    assert lengths["server.c"] <= 60 and lengths["plugin/timer.c"] <= 125, lengths


def main():
    failed = 0
    tests = [agent_runs, agent_is_interrupted, server_serves, call_calls, async_calls, login_logs_in, last_words, subscriptions_hear_of_the_end,
             notes_are_kept, notes_are_forgotten, stay_short]
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix="mcptools-examples-") as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok {number} - {test.__name__}")
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"not ok {number} - {test.__name__}\n# " + repr(error).replace("\\n", "\n# "))
    sys.exit(1 if failed else 0)


main()
