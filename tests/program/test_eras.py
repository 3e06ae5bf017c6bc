"""A server of both eras, which the gateway itself is: each client reaches it in its own, and that costs what was said."""

import http.server
import itertools
import json
import sys
import threading

from harness import MCPTOOLS, Session, gateway, main, metric, stateless, test, until, write_config

CONNECTIONS = 'server_connections{server="b"}'
ASKED = {"elicitation": {}}
MORE = "starting a second process"


def demo(folder):
    """The built-in demo server, in a folder without a configuration."""
    (folder / "demo").mkdir(exist_ok=True)
    return {"command": MCPTOOLS, "args": ["serve", "--stdio"], "cwd": str(folder / "demo")}


def serving(folder, protocol=None, server=None):
    entry = server or demo(folder)
    return "--config", write_config(folder, {"b": {**entry, **({"protocol": protocol} if protocol else {})}}), "--log-level", "info"


def connections(g):
    return int(metric(g, CONNECTIONS))


def call(client):
    assert client.call("tools/call", {"name": "echo", "arguments": {"text": "x"}}, id=2)["content"][0]["text"] == "x"


def call_stateless(g):
    body, headers = stateless("tools/call", {"name": "echo", "arguments": {"text": "x"}})
    assert g.request("POST", "/mcp", body, headers)[0] == 200


def status(g):
    return json.loads(g.request("GET", "/readyz")[2])["servers"][0]


class TwoLists(http.server.BaseHTTPRequestHandler):
    """A server over HTTP that lists another tool in each era."""

    protocol_version = "HTTP/1.1"
    results = {
        "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"},
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "e", "version": "1"}},
        "tools/call": {"content": [{"type": "text", "text": "called"}]},
    }

    def log_message(self, *_):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Mcp-Session-Id", "s")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(405)

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "id" not in message:
            return self.answer(202)
        modern = "_meta" in message.get("params", {}) and \
            "io.modelcontextprotocol/protocolVersion" in message["params"]["_meta"]
        tools = {"tools": [{"name": "new_only" if modern else "old_only", "inputSchema": {"type": "object"}}]}
        result = tools if message["method"] == "tools/list" else self.results.get(message["method"])
        told = {"result": result} if result else {"error": {"code": -32601, "message": "no such method"}}
        return self.answer(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}).encode())


@test
def a_session_that_was_away_keeps_its_era(folder):
    """Its view is given up for those of 64 others; what it gets again is one of its own era."""
    up = http.server.ThreadingHTTPServer(("127.0.0.1", 0), TwoLists)
    threading.Thread(target=up.serve_forever, daemon=True).start()
    kinds = ("nexo", "codex", "bridge", "claude", "lines")
    offers = [",".join(some) + mode for n in range(1, len(kinds) + 1) for some in itertools.combinations(kinds, n)
              for mode in ("", "&mode=search", "&mode=router")]
    with gateway(folder, *serving(folder, server={"url": f"http://127.0.0.1:{up.server_port}/mcp"})) as g:
        g.wait_ready()
        client = Session(g, path=f"/mcp?dialect={offers[0]}")

        def names():
            return [tool["name"] for tool in client.call("tools/list")["tools"] if "only" in tool["name"]]

        assert names() == ["old_only"]
        for offer in offers[1:66]:
            Session(g, path=f"/mcp?dialect={offer}").call("tools/list")
        assert names() == ["old_only"]
        assert client.call("tools/call", {"name": "old_only"})["content"][0]["text"] == "called"
    up.shutdown()
    up.server_close()


@test
def a_second_process_is_started_for_who_can_be_asked(folder):
    with gateway(folder, *serving(folder)) as g:
        g.wait_ready()
        call_stateless(g)
        call(Session(g))
        client = Session(g, capabilities=ASKED)
        client.call("tools/list")
        assert connections(g) == 1 and MORE not in g.text()
        call(client)
        assert connections(g) == 2 and g.text().count(MORE) == 1, g.text()
        told = status(g)
        assert told["protocolVersion"] == "2026-07-28" and told["handshake"]["protocolVersion"] == "2025-11-25", told
        assert int(metric(g, 'server_calls_total{server="b"}')) == 3
        call(Session(g, capabilities=ASKED))
        call_stateless(g)
        assert connections(g) == 2 and g.text().count(MORE) == 1, g.text()


@test
def nobody_who_forbids_it_gets_one(folder):
    for protocol in ("single", "2026-07-28", "2025-11-25"):
        with gateway(folder, *serving(folder, protocol)) as g:
            g.wait_ready()
            call(Session(g, capabilities=ASKED))
            call_stateless(g)
            assert connections(g) == 1 and MORE not in g.text(), g.text()


@test
def match_is_for_every_handshake_client(folder):
    with gateway(folder, *serving(folder, "match")) as g:
        g.wait_ready()
        call_stateless(g)
        assert connections(g) == 1
        Session(g)
        assert connections(g) == 2, g.text()


@test
def over_http_a_session_begins_it(folder):
    up_folder = folder / "up"
    up_folder.mkdir()
    with gateway(up_folder, "--config", write_config(up_folder, {"b": demo(up_folder)})) as up:
        up.wait_ready()
        with gateway(folder, *serving(folder, server={"url": f"http://127.0.0.1:{up.port}/mcp"})) as g:
            g.wait_ready()
            call_stateless(g)
            assert connections(g) == 1
            client = Session(g)
            assert connections(g) == 2 and MORE not in g.text(), g.text()
            call(client)
            assert int(metric(up, "sessions")) == 1


TWO_LISTS = """
import json, sys
TOOL = {"inputSchema": {"type": "object"}}
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    stateless = "io.modelcontextprotocol/protocolVersion" in m.get("params", {}).get("_meta", {})
    answers = {
        "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
        "tools/list": {"tools": [{"name": "new" if stateless else "old", **TOOL}]},
        "tools/call": {"content": []}, "ping": {}}
    more = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if stateless else {}
    known = m["method"] in answers
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **({"result": {**answers[m["method"]], **more}} if known else {
        "error": {"code": -32601, "message": "no"}})}), flush=True)
"""


@test
def the_access_log_names_tools_of_both_lists(folder):
    (folder / "server.py").write_text(TWO_LISTS)
    entry = {"command": sys.executable, "args": [str(folder / "server.py")], "protocol": "match"}
    log = folder / "access.log"
    config = write_config(folder, {"b": entry}, {"serve": {"access_log": str(log)}})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        client = Session(g)
        assert [t["name"] for t in client.call("tools/list")["tools"]] == ["old"]
        client.call("tools/call", {"name": "old", "arguments": {}}, id=2)
        body, headers = stateless("tools/call", {"name": "new", "arguments": {}})
        assert g.request("POST", "/mcp", body, headers)[0] == 200
        until(lambda: log.exists() and '"name":"new"' in log.read_text(), "the last call is logged")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(x.get("name"), x.get("server")) for x in lines if x.get("rpc") == "tools/call"] == [("old", "b"), ("new", "b")], lines


@test
def what_was_found_out_is_remembered(folder):
    for _ in range(2):
        with gateway(folder, *serving(folder)) as g:
            g.wait_ready()
            call(Session(g, capabilities=ASKED))
            known = json.loads((folder / ".cache/mcptools/protocols.json").read_text())
            assert [entry["both"] for entry in known.values()] == [True], known


@test
def a_slow_start_does_not_cost_the_newer_era(folder):
    slow = demo(folder)
    words = " ".join([slow["command"], *slow["args"]])
    with gateway(folder, *serving(folder, server={**slow, "command": "sh", "args": ["-c", f"sleep 5; exec {words}"]})) as g:
        until(lambda: status(g)["state"] == "connected", "the server is connected")
        assert status(g)["protocolVersion"] == "2026-07-28", status(g)


if __name__ == "__main__":
    main()
