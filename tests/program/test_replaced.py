"""Servers are replaced many times while clients of every kind stay: nothing that they keep names one that is gone.

The sanitizer build is the judge of this; REPLACED_CHANGES sets the number of changes.
"""

import json
import os
import subprocess
import threading

from harness import (MCPTOOLS, PATIENCE_S, WRAPPER, Session, Stream, answer, environment, gateway, main,
                     processes_with, server, stateless, test, until, write_config)

CHANGES = int(os.environ.get("REPLACED_CHANGES", "12"))
SERVERS = ("one", "two")
SETTINGS = {"results": {"budget": 4000}, "policy": {"external": ["one"]}}


def told(g, text, times=1):
    until(lambda: g.text().count(text) >= times, f"{text} in: {g.text()}")


def configuration(folder, number):
    arguments = ("--subscribe", "--announce", "--resources", 2, "--stderr", 2, "--record")
    return {name: {**server(*arguments, folder / f"{name}.{number}", "--name", name), "env": {"NUMBER": str(number)}}
            for name in SERVERS}


def change(g, folder, number):
    write_config(folder, configuration(folder, number), SETTINGS)
    told(g, "configuration reloaded: ~one ~two\n", number)


def calls(g, over, lost):
    """A client that calls both servers and lists their resources, one after the other."""
    session = Session(g)
    while not over.is_set():
        for name in SERVERS:
            _, _, body = session.post("tools/call", {"name": f"{name}__{name}tool0", "arguments": {"delay_ms": 20}})
            if "result" not in answer(body) or answer(body)["result"].get("isError"):
                lost.append(body)
        session.post("resources/list")
        session.post("tools/list")


def follow_log(folder):
    return subprocess.Popen([*WRAPPER, MCPTOOLS, "logs", "one", "--follow"], cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**environment(folder), "XDG_RUNTIME_DIR": str(folder)})


@test
def clients_stay(folder):
    write_config(folder, configuration(folder, 0), SETTINGS)
    with gateway(folder, env={"XDG_RUNTIME_DIR": str(folder)}) as g:
        g.wait_ready()
        idle, reader, alone = Session(g), Session(g), Session(g, "/mcp/one")
        uri = idle.call("resources/list")["resources"][0]["uri"]
        idle.call("resources/subscribe", {"uri": uri})
        idle.call("logging/setLevel", {"level": "debug"})
        long = idle.call("tools/call", {"name": "one__onetool0", "arguments": {"text": "x" * 9000}})
        assert long["_meta"]["mcptools/external"]["server"] == "one", long
        link = next(c["uri"] for c in long["content"] if c["type"] == "resource_link")
        wanted = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": [uri]}}
        body, headers = stateless("subscriptions/listen", wanted)
        page = {"Host": f"127.0.0.1:{g.port}"}
        over, lost = threading.Event(), []
        callers = [threading.Thread(target=calls, args=(g, over, lost)) for _ in range(4)]
        log = follow_log(folder)
        with Stream(g, "GET", "/mcp", idle.headers) as stream, Stream(g, "POST", "/mcp", headers, body) as listen, \
                Stream(g, "GET", "/page/events", page) as events, Stream(g, "GET", "/page/log?server=one", page) as said:
            listen.until(b"subscriptions/acknowledged")
            log.stdout.readline()
            for caller in callers:
                caller.start()
            for number in range(1, CHANGES + 1):
                change(g, folder, number)
                assert reader.call("resources/read", {"uri": link})["contents"][0]["text"] == "ok"
                assert "onetool0" in str(alone.call("tools/list"))
            over.set()
            for caller in callers:
                caller.join()
            last = folder / f"one.{CHANGES}"
            until(lambda: last.exists() and "resources/subscribe" in last.read_text(), "the last one has the subscription")
            until(lambda: len(processes_with(f"--record {folder}/")) == len(SERVERS), "the others have ended")
            for one in (stream, listen):
                one.until(b"list_changed")
            events.until(b"overview")
            said.until(b"data: ")
        assert not lost, lost[:3]
        assert len(idle.call("tools/list")["tools"]) >= 6
        log.terminate()
        log.communicate(timeout=PATIENCE_S)


@test
def a_server_comes_and_goes(folder):
    config = configuration(folder, 0)
    write_config(folder, config)
    with gateway(folder) as g:
        g.wait_ready()
        session, alone = Session(g), Session(g, "/mcp/two")
        uri = session.call("resources/list")["resources"][0]["uri"]
        for number in range(1, CHANGES + 1):
            write_config(folder, {name: config[name] for name in SERVERS[:1 + (number + 1) % 2]})
            told(g, "configuration reloaded:", number)
            session.post("resources/subscribe", {"uri": uri})
            session.post("tools/list")
            status, _, there = alone.post("tools/call", {"name": "twotool0", "arguments": {}})
            assert (status == 404) == (number % 2 == 1), (status, there)
        until(lambda: CHANGES % 2 or "twotool0" in str(alone.call("tools/list")), "the last one is there")


main()
