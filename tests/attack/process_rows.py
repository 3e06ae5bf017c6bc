"""Servers whose processes try to escape, to stay, or to take others along."""

import json
import os
import signal
import time

from harness import write_config
from row import attack
from scene import LATE_S, MIB, left_of, nothing_left, server, until

STDIO = "stdio server"


def process(name, owasp, what, outcome, beside=True):
    return attack(name, owasp, STDIO, what, outcome, beside=beside)


def leaves(name, what, n_left):
    """The processes are there during the attack; the suite checks that none is after it."""
    @process(name, "MCP09", what, "all of its processes end with the gateway")
    def run(scene):
        with scene.beside(scene.stdio(name)) as b:
            b.call()
            until(lambda: len(left_of(scene.folder)) > n_left, "the processes are there")
            b.wait()


leaves("leaves-a-session", "starts a process in a session of its own that ignores SIGTERM", 4)
leaves("leaves-a-daemon", "starts a process without a parent in a session of its own", 4)
leaves("leaves-the-pipes", "starts a process that holds its pipes and ignores SIGTERM", 4)
leaves("fork-bomb", "starts 64 processes in sessions of their own", 40)
leaves("forks-all-the-time", "starts processes that go on forking into new sessions", 3)
leaves("changes-its-name", "calls itself init and leaves processes without a parent", 4)
leaves("ignores-all-signals", "ignores SIGTERM, SIGINT, SIGHUP and SIGPIPE, and the end of stdin", 2)


@process("leaves-and-dies", "MCP09", "leaves processes in sessions of their own and dies", "they end before it is started again or with the gateway")
def leaves_and_dies(scene):
    with scene.beside(scene.stdio("leaves-and-dies")) as b:
        b.error()
        b.wait()


@process("stops-itself", "LLM10", "stops itself with SIGSTOP in a call", "the call ends at its time-out; the process is killed at the end")
def stops_itself(scene):
    with scene.beside(scene.stdio("stops-itself")) as b:
        b.error("no answer within")


@process("kills-itself", "LLM10", "crashes in each call", "the call fails and says so; it is started again")
def kills_itself(scene):
    with scene.beside(scene.stdio("kills-itself")) as b:
        b.error("signal 11")
        until(lambda: "not connected" not in json.dumps(b.call()), "it is there again")


@process("signals-its-group", "MCP09", "sends SIGTERM and SIGKILL to its process group", "it is alone in it")
def signals_its_group(scene):
    with scene.beside(scene.stdio("signals-its-group")) as b:
        b.error()


@process("kills-the-gateway", "MCP09", "kills the gateway with SIGKILL", "no process of any server is left", beside=False)
def kills_the_gateway(scene):
    config = write_config(scene.folder, {"good": server(), "stubborn": server("--ignore-term", "--ignore-eof", "--spawn", "detached"),
                                         "bad": scene.stdio("kills-the-gateway")})
    from harness import Session
    with scene.serving("--config", config) as g:
        s = Session(g.wait_ready())
        try:
            s.post("tools/call", {"name": "bad__do", "arguments": {}})
        except OSError:
            pass
        g.process.wait(LATE_S)
        assert g.process.returncode == -signal.SIGKILL
        nothing_left(scene.folder)


@process("environment", "MCP01", "reads its environment and descriptors", "variables and descriptors of the gateway are not among them")
def environment(scene):
    with scene.beside(scene.stdio("environment"), env={"MY_SECRET": "s3cret-of-the-shell", "MCPTOOLS_X": "y"}) as b:
        seen = json.loads(b.call()["result"]["content"][0]["text"])
        assert "s3cret" not in json.dumps(seen), seen
        assert set(seen["fds"]) <= {"0", "1", "2", "3"}, seen["fds"]  # 3: the folder that it reads
        assert not [t for t in seen["fds"].values() if "TCP" in t or "memfd" in t], seen["fds"]
        assert len({*seen["groups"]}) <= 2 and seen["groups"][1] != os.getpgrp(), seen["groups"]


@process("closes-stdout", "LLM10", "closes stdout and stays", "the call fails; the process is ended")
def closes_stdout(scene):
    with scene.beside(scene.stdio("closes-stdout")) as b:
        b.error()


@process("closes-stdin", "LLM10", "closes stdin and stays", "calls fail or end at their time-out")
def closes_stdin(scene):
    with scene.beside(scene.stdio("closes-stdin")) as b:
        b.call()
        b.call()


@process("never-reads", "LLM10", "stops reading while megabytes of arguments are sent to it", "the calls end at their time-out or are refused; memory stays bounded")
def never_reads(scene):
    with scene.beside(scene.stdio("never-reads", timeout=1), settings={"limits": {"memory_bytes": 64 * MIB}}) as b:
        for _ in range(4):
            b.error(arguments={"x": "a" * 900000})


# ---- the beginning ----

def restarted(name, owasp, what, outcome, check=lambda b: None):
    @process(name, owasp, what, outcome)
    def run(scene):
        with scene.beside(scene.stdio(name)) as b:
            b.unleash()
            b.until_attacked()
            b.wait()
            check(b)
            assert "good__tool0" in [t["name"] for t in b.session.call("tools/list")["tools"]]


def few_starts(b):
    begin, n = time.monotonic(), len(b.hostile_pids())
    while time.monotonic() - begin < 1.5:
        time.sleep(0.1)
    assert len(b.hostile_pids()) - n <= 3, b.hostile_pids()


def log_is_bounded(b):
    assert len(b.g.text()) < 200000 and "\x1b" not in b.g.text() and "\x07" not in b.g.text()


restarted("dies-at-once", "LLM10", "dies whenever it is started", "it is started again with growing pauses", few_starts)
restarted("hangs-at-once", "LLM10", "never answers `initialize`", "others are not kept waiting")
restarted("stderr-flood", "MCP08", "fills stderr with escape sequences without end", "50 lines a second are logged, harmless", log_is_bounded)
restarted("stderr-line-without-end", "MCP08", "writes a line to stderr that never ends", "the log stays small", log_is_bounded)
restarted("initialize-of-megabytes", "MCP10", "introduces itself with 400 KB of name and 300 KB of instructions", "they are cut in what clients see",
          lambda b: too_long(b))
restarted("initialize-of-the-future", "MCP06", "speaks an unknown revision with escape sequences in it", "it is refused; the log is harmless", log_is_bounded)
restarted("initialize-without-sense", "MCP06", "answers `initialize` with members of wrong types", "it is refused or used with defaults")
restarted("initialize-again", "MCP06", "plays the client: initializes, lists and calls tools of others", "its requests are refused")


def too_long(b):
    from harness import Session
    info = Session(b.g).info
    assert len(json.dumps(info)) < 100000, len(json.dumps(info))
