"""Event streams of sessions: ids, priming, coming back, what is kept and for whom."""

import json

import sys

from harness import (JSON, Session, Stream, answer, events, gateway, main, metric, run, server, stateless, test, until,
                     write_config)


def one_server(folder, *arguments, **settings):
    return "--config", write_config(folder, {"t": server(*arguments)}, settings)


def call(arguments, id="call", token="p"):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": "tool0", "arguments": arguments, "_meta": {"progressToken": token}}})


def get(g, s, **headers):
    return Stream(g, "GET", "/mcp", {**s.headers, **{k.replace("_", "-"): v for k, v in headers.items()}})


@test
def streams_are_primed_for_clients_that_know_it(folder):
    with gateway(folder, *one_server(folder)) as g:
        g.wait_ready()
        for revision, primed in (("2025-03-26", False), ("2025-06-18", False), ("2025-11-25", True)):
            s = Session(g, revision=revision)
            body = s.send(json.loads(call({"progress": 1})))[2]
            assert body.startswith(b"id: 1-0\nretry: 1000\ndata:\n\n") == primed, (revision, body)
            assert (b"data:\n\n" in body) == primed, (revision, body)
            assert b"\nid: 1-1\ndata: {" in body and b"\nid: 1-2\ndata: {" in body, (revision, body)
            with get(g, s) as stream:
                first = stream.until(b"\n\n").split(b"\r\n\r\n", 1)[1]
                assert (b"retry:" in first) == primed, (revision, first)


@test
def stateless_streams_have_no_event_ids(folder):
    with gateway(folder, *one_server(folder)) as g:
        g.wait_ready()
        body, headers = stateless("tools/call", {"name": "tool0", "arguments": {"progress": 2}, "_meta": {"progressToken": 1}})
        got = g.request("POST", "/mcp", body, {**headers, "Last-Event-ID": "1-0"})
        assert got[0] == 200 and b"id: " not in got[2] and b"retry" not in got[2] and len(events(got[2])) == 3, got


@test
def a_client_comes_back_for_what_it_missed(folder):
    """Its stream breaks in the middle of a call; the call goes on, and its answer is there afterwards."""
    record = folder / "record"
    with gateway(folder, *one_server(folder, "--record", record)) as g:
        s = Session(g.wait_ready())
        other = Session(g)
        with Stream(g, "POST", "/mcp", s.headers, call({"progress": 3, "delay_ms": 200})) as post:
            post.until(b'"progress":1')
            first = next(i for i, m in post.events() if m)
        until(lambda: metric(g, "streams") == 0, "the gateway noticed")
        with get(g, s, Last_Event_ID=first) as back:
            back.rest()
            messages = [m for _, m in back.events() if m]
        assert [m["params"]["progress"] for m in messages[:-1]] == [2, 3], messages
        assert messages[-1]["id"] == "call" and messages[-1]["result"]["content"], messages
        assert "notifications/cancelled" not in record.read_text()
        with get(g, s, Last_Event_ID=first) as again:  # lost on the way once more
            again.rest()
            assert again.events()[1:] == [(f"1-{n + 2}", m) for n, m in enumerate(messages)], again.events()
        with get(g, s, Last_Event_ID="1-4") as none:  # nothing was missed
            none.rest()
            assert [m for _, m in none.events() if m] == []
        assert get(g, other, Last_Event_ID=first).until(b"\r\n").startswith(b"HTTP/1.1 400")


@test
def an_answer_waits_for_its_client(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        with Stream(g, "POST", "/mcp", s.headers, call({"progress": 1, "delay_ms": 100})) as post:
            post.until(b'"progress":1')
        until(lambda: metric(g, "requests_in_flight") == 0, "the call is over")
        with get(g, s, Last_Event_ID="1-0") as back:
            back.rest()
            assert back.events()[-1][1]["result"], back.events()


@test
def a_silent_call_can_be_resumed(folder):
    """No progress comes, and yet there is an event id before the connection is lost. Older clients do not know primers."""
    with gateway(folder, *one_server(folder)) as g:
        s, old = Session(g.wait_ready()), Session(g, revision="2025-06-18")
        silent = json.dumps({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {
            "name": "tool0", "arguments": {"delay_ms": 3000}}})
        with Stream(g, "POST", "/mcp", old.headers, silent) as other:
            with Stream(g, "POST", "/mcp", s.headers, silent) as post:
                assert b"text/event-stream" in post.until(b"id: 1-0\nretry: 1000\ndata:\n\n")
            with get(g, s, Last_Event_ID="1-0") as back:
                back.rest()
                assert [m["id"] for _, m in back.events() if m] == ["call"] and back.events()[-1][1]["result"], back.events()
            assert b"application/json" in other.until(b'"result"'), other.bytes


@test
def only_one_stream_is_replayed(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        bodies = [s.send(json.loads(call({"progress": 2, "mark": n}, id=n, token=n)))[2] for n in (1, 2)]
        assert [b"id: 1-1" in b for b in bodies] == [True, False] and [b"id: 2-1" in b for b in bodies] == [False, True]
        with get(g, s, Last_Event_ID="2-1") as back:
            back.rest()
            got = [m for _, m in back.events() if m]
        assert [m.get("id", m.get("params", {}).get("progressToken")) for m in got] == [2, 2], got


@test
def the_get_stream_is_resumed_as_well(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        with get(g, s) as stream:
            stream.until(b"id: 0-0")
            s.call("tools/call", {"name": "tool0", "arguments": {"log": True}})
            stream.until(b"notifications/message")
            ids = [i for i, m in stream.events() if m]
            assert ids == ["0-1"], stream.events()
            with get(g, s, Last_Event_ID="0-0") as back:  # the old connection is of no use to the client
                back.until(b"notifications/message")
                assert b"409" not in back.bytes[:20]
                assert stream.rest().endswith(b"0\r\n\r\n")
                s.call("tools/call", {"name": "tool0", "arguments": {"log": True}})
                back.until(b"id: 0-2")
        until(lambda: metric(g, "streams") == 0, "the gateway noticed")
        s.call("tools/call", {"name": "tool0", "arguments": {"log": True}})
        with get(g, s) as fresh:  # without an id: what was never sent
            fresh.until(b"id: 0-3")
            assert [i for i, m in fresh.events() if m] == ["0-3"], fresh.events()


@test
def ids_that_name_nothing_are_refused(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        s.send(json.loads(call({"progress": 1})))
        for bad in ("7-1", "1-9", "0-1", "0-4294967295", "x", "1", "1-", "-1", "1-1x", "99999999999999999999-1", "1--1"):
            status, _, body = g.request("GET", "/mcp", None, {**s.headers, "Last-Event-ID": bad})
            assert (status, json.loads(body)["error"]["code"]) == (400, -32000), (bad, status, body)


@test
def what_is_kept_is_bounded(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        for n in range(5):
            assert len(events(s.send(json.loads(call({"progress": 100}, id=n)))[2])) == 101
        assert metric(g, "events_stored") == 256
        assert metric(g, "events_dropped_total") == 5 * 101 - 256
        assert g.request("GET", "/mcp", None, {**s.headers, "Last-Event-ID": "1-0"})[0] == 400  # gone as a whole
        assert g.request("GET", "/mcp", None, {**s.headers, "Last-Event-ID": "3-0"})[0] == 400  # the first ones are gone
        with get(g, s, Last_Event_ID="3-50") as back:  # what is left of it, with its end
            back.rest()
            assert back.events()[1][0] == "3-51", back.events()[:2]
            assert back.events()[-1][1]["id"] == 2, back.events()[-1]
        assert s.call("ping") == {}
        g.request("DELETE", "/mcp", None, s.headers)
        assert metric(g, "events_stored") == 0 and metric(g, "events_stored_bytes") == 0


@test
def the_get_stream_has_no_silent_gap(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        with get(g, s) as stream:
            stream.until(b"id: 0-0")
            for n in range(3):
                s.call("tools/call", {"name": "tool0", "arguments": {"log": True}})
            stream.until(b"id: 0-3")
        for n in range(3):  # the oldest events of the session make room
            s.send(json.loads(call({"progress": 100}, id=n)))
        until(lambda: metric(g, "streams") == 0, "the gateway noticed")
        assert g.request("GET", "/mcp", None, {**s.headers, "Last-Event-ID": "0-1"})[0] == 400
        with get(g, s, Last_Event_ID="0-3") as back:  # nothing was missed
            s.call("tools/call", {"name": "tool0", "arguments": {"log": True}})
            back.until(b"id: 0-4")


@test
def an_answer_too_large_to_keep_still_arrives(folder):
    with gateway(folder, *one_server(folder, "--huge", 6 << 20)) as g:
        s = Session(g.wait_ready())
        body = s.send(json.loads(call({"progress": 1})))[2]
        assert len(answer(body)["result"]["content"][0]["text"]) > 6 << 20
        assert g.request("GET", "/mcp", None, {**s.headers, "Last-Event-ID": "1-1"})[0] == 400


@test
def a_session_ends_with_its_streams(folder):
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready())
        with get(g, s) as stream, Stream(g, "POST", "/mcp", s.headers, call({"progress": 1, "delay_ms": 3600000})) as post:
            stream.until(b"\n\n")
            post.until(b'"progress":1')
            assert g.request("DELETE", "/mcp", None, s.headers)[0] == 204
            assert stream.rest().endswith(b"0\r\n\r\n") and post.rest().endswith(b"0\r\n\r\n")
        assert metric(g, "sessions") == 0 and metric(g, "streams") == 0
        assert s.send(json.loads(call({})))[0] == 404


@test
def batches(folder):
    """2025-03-26 sessions may send several messages at once; nobody else."""
    with gateway(folder, *one_server(folder)) as g:
        s = Session(g.wait_ready(), revision="2025-03-26")
        ping = lambda id: {"jsonrpc": "2.0", "id": id, "method": "ping"}
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        slow = json.loads(call({"delay_ms": 50}, id="slow"))
        status, headers, body = s.send([ping(1), note, slow, ping("b"), {"jsonrpc": "2.0", "id": 3, "method": "no/such"}, note])
        assert (status, headers["Content-Type"]) == (200, "application/json"), (status, body)
        got = {m["id"]: m for m in json.loads(body)}
        assert set(got) == {1, "slow", "b", 3} and got["slow"]["result"]["content"] and got[3]["error"]["code"] == -32601, got
        assert s.send([note, {"jsonrpc": "2.0", "id": 77, "result": {}}])[0::2] == (202, b"")
        assert json.loads(s.send([ping(1)])[2]) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]

        status, headers, body = s.send([ping(1), json.loads(call({"progress": 2, "delay_ms": 20}, id=2)), ping(3)])
        assert headers["Content-Type"] == "text/event-stream", body
        got = events(body)
        assert [m["id"] for m in got if "id" in m] == [1, 3, 2] or {m["id"] for m in got if "id" in m} == {1, 2, 3}, got
        assert sum("method" in m for m in got) == 2, got

        with Stream(g, "POST", "/mcp", s.headers, json.dumps([ping(8), json.loads(call({"delay_ms": 3600000}, id=9))])) as post:
            until(lambda: metric(g, "requests_in_flight") == 1, "the call is under way")
            s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})
            assert post.until(b"]").endswith(b'[{"jsonrpc":"2.0","id":8,"result":{}}]'), post.bytes

        modern = {**ping(1), "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}
        initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
        for bad in ([], [ping(1), 7], [ping(1), {}], [[ping(1)]], [modern], [ping(1), initialize], [ping(1)] * 257):
            status, _, body = s.send(bad)
            assert (status, json.loads(body)["error"]["code"]) == (400, -32600), (bad, status, body)
        for revision in ("2024-11-05", "2025-06-18", "2025-11-25"):
            status, _, body = Session(g, revision=revision).send([ping(1)])
            assert (status, json.loads(body)["error"]["code"]) == (400, -32600), (revision, body)
        assert g.request("POST", "/mcp", json.dumps([modern]), JSON)[0] == 400


# A 2025-03-26 server that says everything but the answer to initialize in arrays, and pings in the first.
IN_ARRAYS = """
import json, sys
def say(*messages):
    print(json.dumps(messages), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    answer = lambda result: {"jsonrpc": "2.0", "id": m["id"], "result": result}
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}}
    if m.get("method") == "server/discover":
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
    elif m.get("method") == "initialize":
        print(json.dumps(answer({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
                                 "serverInfo": {"name": "t", "version": "1"}})), flush=True)
    elif m.get("method") == "tools/list":
        tools = answer({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]})
        say({"jsonrpc": "2.0", "id": "p", "method": "ping"}, note)
    elif m.get("id") == "p":
        say(note, tools)
    elif m.get("method") == "tools/call":
        say(answer({"content": [{"type": "text", "text": "seen"}]}), note)
"""


@test
def batches_over_stdio(folder):
    """The same on standard input and output, and from a server behind the gateway."""
    initialize = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}}
    batch = [{"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 1, "method": "ping"},
             {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "look"}}]
    config = write_config(folder, {"t": {"command": sys.executable, "args": ["-c", IN_ARRAYS]}})
    done = run(folder, "serve", "--stdio", "--config", config,
               stdin="".join(json.dumps(m) + "\n" for m in (initialize, batch, [], [batch[1]] * 257)))
    said = [json.loads(line) for line in done.stdout.splitlines()]
    arrays = [m for m in said if isinstance(m, list)]
    assert [[m["id"] for m in array] for array in arrays] == [[1, "c"]], done
    assert arrays[0][1]["result"]["content"][0]["text"] == "seen", done
    assert [m["error"]["code"] for m in said if "error" in m and m["id"] is None] == [-32600] * 2, done


if __name__ == "__main__":
    main()
