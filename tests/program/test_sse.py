"""HTTP+SSE (2024-11-05), as its clients meet it behind --legacy-sse."""

import json

from harness import PATIENCE_S, Session, Stream, gateway, main, metric, server, stateless, test, until, write_config

POST = {"Content-Type": "application/json"}


def serving(folder, servers=None, **settings):
    return "--legacy-sse", "--config", write_config(folder, servers or {"t": server()}, settings)


class Client:
    """The stream and where it says to POST."""

    def __init__(self, g, path="/sse", headers=None, revision="2024-11-05"):
        self.g, self.headers = g, {**POST, **(headers or {})}
        self.stream = Stream(g, "GET", path, {"Accept": "text/event-stream", **(headers or {})})
        first = self.stream.until(b"sessionId=").decode()
        assert first.split("\r\n\r\n", 1)[1].split("\r\n", 1)[1].startswith("event: endpoint\ndata: /messages?"), first
        self.stream.until(b"\n\n")
        self.address = self.stream.bytes.decode().rsplit("data: ", 1)[1].strip()
        self.info = self.call("initialize", {"protocolVersion": revision, "capabilities": {},
                                             "clientInfo": {"name": "t", "version": "1"}}, id="init")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def post(self, text):
        return self.g.request("POST", self.address, text, self.headers)

    def send(self, message):
        status, _, body = self.post(json.dumps(message))
        assert (status, body) == (202, b"Accepted"), (status, body)

    def call(self, method, params=None, id=1):
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}})
        self.stream.until(f'"id":{json.dumps(id)},"result"'.encode())
        return next(m["result"] for _, m in self.messages() if m.get("id") == id)

    def messages(self):
        lines = self.stream.bytes.decode().replace("\r\n", "\n").split("\n")
        return [(None, json.loads(line[6:])) for line in lines if line.startswith("data: {")]


@test
def off_unless_asked_for(folder):
    with gateway(folder, "--config", write_config(folder, {"t": server()})) as g:
        for method, path in (("GET", "/sse"), ("GET", "/sse/t"), ("POST", "/messages?sessionId=1")):
            assert g.request(method, path, None, POST)[0] == 404, path
    config = write_config(folder, {"t": server()}, {"serve": {"legacy_sse": True}})
    with gateway(folder, "--config", config) as g:
        assert Client(g.wait_ready()).call("ping") == {}


@test
def read_only_from_its_beginning(folder):
    with gateway(folder, *serving(folder)) as g:
        for path, refused in (("/sse", False), ("/sse?read_only=1", True)):
            said = Client(g.wait_ready(), path).call("tools/call", {"name": "tool0"}, id=2)
            assert ("ExitPlanMode" in said["content"][0]["text"]) == refused, said
        c = Client(g)
        path = c.address + "&read_only=1"
        status, _, body = g.request("POST", path, '{"jsonrpc":"2.0","id":1,"method":"ping"}', POST)
        assert status == 400 and b"existing session" in body, (status, body)
        c = Client(g, "/sse?read_only=1")
        assert g.request("POST", c.address + "&read_only=1", '{"jsonrpc":"2.0","id":1,"method":"ping"}', POST)[0] == 202
        assert g.request("GET", "/sse?read_only=maybe", None, {"Accept": "text/event-stream"})[0] == 400


@test
def a_conversation(folder):
    with gateway(folder, *serving(folder, {"a": server("--tools", 1), "b": server("--tools", 1, "--name", "b_")})) as g:
        c = Client(g.wait_ready())
        assert c.info["protocolVersion"] == "2024-11-05"
        assert [t["name"] for t in c.call("tools/list", id=2)["tools"]] == ["a__tool0", "b__b_tool0"]
        c.call("tools/call", {"name": "a__tool0", "arguments": {"progress": 2}, "_meta": {"progressToken": 7}}, id=3)
        assert [m["params"]["progress"] for _, m in c.messages() if m.get("method") == "notifications/progress"] == [1, 2]
        assert b"id: " not in c.stream.bytes and b"retry" not in c.stream.bytes
        alone = Client(g, "/sse/b")
        assert [t["name"] for t in alone.call("tools/list", id=2)["tools"]] == ["b_tool0"]
        c.stream.close()
        until(lambda: c.post('{"jsonrpc":"2.0","id":1,"method":"ping"}')[0] == 404, "the session went with its stream")
        assert alone.call("ping", id=9) == {}
        assert metric(g, "sessions") == 1 and metric(g, "events_stored_total") == 0


@test
def what_is_refused(folder):
    with gateway(folder, *serving(folder)) as g:
        c = Client(g.wait_ready())
        ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
        assert g.request("POST", "/messages", ping, POST)[0] == 400
        assert g.request("POST", "/messages?sessionId=" + "0" * 32, ping, POST)[0] == 404
        assert g.request("GET", c.address, None, POST)[0] == 405
        assert g.request("POST", "/sse", ping, POST)[0] == 405
        assert g.request("GET", "/sse", None, {"Accept": "application/json"})[0] == 406
        assert g.request("GET", "/sse", None, {"Accept": "text/event-stream", "Origin": "http://evil.example.com"})[0] == 403
        assert g.request("POST", c.address, ping, {**POST, "Host": "evil.example.com"})[0] == 403
        for bad in ("{", "[]", "[" + ping + "]", stateless("tools/list")[0]):
            assert c.post(bad)[0] == 400, bad
        session = c.address.rsplit("=", 1)[1]
        streamable = Session(g)
        assert g.request("POST", "/mcp", ping, {**streamable.headers, "Mcp-Session-Id": session})[0] == 404
        other = "/messages?sessionId=" + streamable.headers["Mcp-Session-Id"]
        assert g.request("POST", other, ping, POST)[0] == 404  # and not the other way round either
        assert c.call("ping", id=5) == {}


@test
def tokens_and_principals(folder):
    with gateway(folder, *serving(folder, serve={"tokens": ["one", "two"]})) as g:
        one, two = {"Authorization": "Bearer one"}, {"Authorization": "Bearer two"}
        assert g.request("GET", "/sse", None, {"Accept": "text/event-stream"})[0] == 401
        c = Client(g, headers=one)
        assert g.request("POST", c.address, "{}", POST)[0] == 401
        assert g.request("POST", c.address, "{}", {**POST, **two})[0] == 404
        assert c.call("ping") == {}


@test
def streams_end_when_the_gateway_does(folder):
    with gateway(folder, *serving(folder)) as g:
        idle, busy = Client(g.wait_ready()), Client(g)
        busy.send({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {
            "name": "tool0", "arguments": {"delay_ms": 300}}})
        until(lambda: metric(g, "requests_in_flight") == 1, "the call is under way")
        g.process.terminate()
        assert idle.stream.rest().endswith(b"0\r\n\r\n")
        assert b'"id":4,"result"' in busy.stream.rest() and busy.stream.bytes.endswith(b"0\r\n\r\n")
        assert g.process.wait(30) == 0


@test
def a_cancelled_call_does_not_hold_up_the_end(folder):
    with gateway(folder, *serving(folder, limits={"drain_s": 3600})) as g:
        c = Client(g.wait_ready())
        kept = Stream(g, "GET", "/healthz", {})  # a connection from before the end
        kept.until(b"ok\n")
        c.send({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {
            "name": "tool0", "arguments": {"delay_ms": 3600000}}})
        until(lambda: metric(g, "requests_in_flight") == 1, "the call is under way")
        idle = Client(g)
        g.process.terminate()
        idle.stream.rest()  # it has begun to end
        cancel = json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}})
        kept.socket.sendall((f"POST {c.address} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                             f"Content-Length: {len(cancel)}\r\n\r\n{cancel}").encode())
        kept.until(b"Accepted")
        assert c.stream.rest().endswith(b"0\r\n\r\n")
        assert g.process.wait(PATIENCE_S) == 0


@test
def an_unanswered_call_is_told_of_the_end(folder):
    with gateway(folder, *serving(folder, limits={"drain_s": 0.2})) as g:
        c = Client(g.wait_ready())
        c.send({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {
            "name": "tool0", "arguments": {"delay_ms": 3600000}}})
        until(lambda: metric(g, "requests_in_flight") == 1, "the call is under way")
        g.process.terminate()
        c.stream.rest()
        last = c.messages()[-1][1]
        assert last["id"] == 4 and "shutting down" in last["error"]["message"], last
        assert g.process.wait(PATIENCE_S) == 0


if __name__ == "__main__":
    main()
