"""Long messages: they are relayed without copies of them, byte for byte, and those over the limit cost only their own
call."""

import importlib.util
import json
import os
import pathlib
import sys
import threading

from harness import Session, answer, gateway, main, test, until, write_config

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "big.py"
MIB = 1 << 20
LONGEST = 1.3  # times the message, at most


def is_sanitized():  # and has a memory of its own
    return b"__asan_init" in pathlib.Path(os.environ["MCPTOOLS"]).read_bytes()



def bench():
    spec = importlib.util.spec_from_file_location("big", BENCH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WAYS = [("stdio", "http", False), ("stdio", "event", False), ("stdio", "stdio", False), ("sse", "http", False),
        ("gzip", "stdio", False), ("stdio", "command raw", False), ("stdio", "http", True), ("json", "http", True)]


@test
def a_long_message_is_held_once(_):
    big = bench()
    for source, front, up in WAYS:
        length, peak = big.run_way(os.environ["MCPTOOLS"], source, front, up, 32 * MIB)
        assert is_sanitized() or peak <= LONGEST * length, f"{source} to {front}: {peak / length:.2f} times the message"


# A server whose answers have the id before or behind the result, a long text, or line breaks between tokens.
SERVER = r'''
import json, sys, time

TOOLS = [{"name": n, "inputSchema": {"type": "object"}} for n in ("early", "late", "small", "text")]
waiting = []

def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {}
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "serverInfo": {"name": "b", "version": "1"},
                  "capabilities": {"tools": {}}}
    elif message["method"] == "tools/list":
        result = {"tools": TOOLS}
    elif message["method"] == "tools/call":
        name, size = message["params"]["name"], message["params"]["arguments"].get("size", 10)
        result = {"content": [{"type": "text", "text": ("line \u00e4\U0001f600\n" * (size // 7 + 1))[:size]}]}
        if name == "small":
            waiting.append(message["id"])
            open(sys.argv[1], "w").close()
            continue
        if name == "late":
            say(json.dumps({"jsonrpc": "2.0", "result": result, "id": message["id"]}, ensure_ascii=False))
            continue
    say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}, ensure_ascii=False))
    if message["method"] == "tools/call":
        for id in waiting:
            say(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "small"}]}}))
        waiting = []
'''


def folder_with(tmp, **limits):
    path = tmp / "big_server.py"
    path.write_text(SERVER)
    write_config(tmp, {"b": {"command": sys.executable, "args": [str(path), str(tmp / "came")]}}, {"limits": limits})
    return tmp


@test
def a_long_text_arrives_byte_for_byte(tmp):
    size = 3 * MIB + 7
    expected = ("line \u00e4\U0001f600\n" * (size // 7 + 1))[:size]
    with gateway(folder_with(tmp)) as g:
        for revision in ("2024-11-05", "2025-11-25"):
            s = Session(g, revision=revision)
            result = s.call("tools/call", {"name": "b__text", "arguments": {"size": size}})
            assert result["content"][0]["text"] == expected


@test
def an_answer_over_the_limit_fails_its_own_call_only(tmp):
    with gateway(folder_with(tmp, message_bytes=65536)) as g:
        answers = {}

        def call(name, size):
            _, _, body = Session(g).post("tools/call", {"name": f"b__{name}", "arguments": {"size": size}})
            answers[name] = answer(body)

        waiting = threading.Thread(target=call, args=("small", 1))
        waiting.start()
        until((tmp / "came").exists, "the first call")
        call("early", 100000)
        error = answers["early"]["error"]["message"]
        assert "server 'b'" in error and "limits.message_bytes (65536)" in error, error
        waiting.join(30)
        assert answers["small"]["result"]["content"][0]["text"] == "small", answers["small"]
        call("text", 10)
        assert "result" in answers["text"]
        call("late", 100000)  # its id is behind the limit, but no other call is open
        assert "limits.message_bytes" in answers["late"]["error"]["message"]


if __name__ == "__main__":
    main()
