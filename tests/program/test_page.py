"""The status page: what its files promise, who may see its data, what the event stream sends, and what people get who
open an MCP endpoint in a browser."""

import json
import pathlib
import re
import time

from harness import (JSON, PATIENCE_S, Session, Stream, gateway, main, server, test, until, write_config)

WEB = pathlib.Path(__file__).parent.parent.parent / "src" / "web"
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
TOKENS = {"serve": {"tokens": [{"token": "owner-token", "name": "ada", "owner": True},
                               {"token": "member-token", "name": "bob"}]}}
OWNER, MEMBER = {"Authorization": "Bearer owner-token"}, {"Authorization": "Bearer member-token"}
DATA = ["/page/overview", "/page/events", "/page/log?server=a", "/page/calls?server=a", "/page/find?words=tool"]


def events_of(stream):
    """[(name, data)] of the events that have come."""
    body = stream.bytes.partition(b"\r\n\r\n")[2]
    plain, rest = b"", body
    while b"\r\n" in rest:  # chunks
        size, _, rest = rest.partition(b"\r\n")
        n = int(size, 16)
        plain, rest = plain + rest[:n], rest[n + 2:]
    out = []
    for block in plain.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
        if fields:
            out.append((fields["event"], json.loads(fields["data"])))
    return out


def follow(g, path="/page/events", headers=None):
    return Stream(g, "GET", path, {"Host": f"127.0.0.1:{g.port}", **(headers or {})})


def event(stream, condition, what):
    """The first event that meets the condition; waits for it."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        for name, data in events_of(stream):
            if condition(name, data):
                return data
        stream.bytes += stream.socket.recv(1 << 20)
    raise AssertionError(f"never came: {what}")


def overview(g, headers=None):
    status, _, body = g.request("GET", "/page/overview", headers=headers)
    assert status == 200, (status, body)
    return json.loads(body)


def error_of(answer):
    status, _, body = answer
    return status, json.loads(body)["error"]["message"]


@test
def files_are_strict(folder):
    write_config(folder, {"a": server()})
    with gateway(folder) as g:
        status, headers, html = g.request("GET", "/")
        assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                                 "img-src 'self' data:") and "frame-ancestors 'none'" in policy, policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert not re.search(rb"<script(?![^>]*src=)|\son\w+=|\sstyle=|<style", html), html
        links = set(re.findall(r'(?:src|href)="([^"]+)"', html.decode()))
        assert links == {"/page/app.js", "/page/style.css", "/page/icon.svg"}, links
        new = set(links)
        while new:  # what scripts import
            text = g.request("GET", new.pop())[2].decode()
            found = {"/page/" + name for name in re.findall(r"from '\./([\w.]+)'", text)} - links
            links, new = links | found, new | found
        here = {f"/page/{f.name}" for f in WEB.glob("*.*") if f.suffix in (".js", ".css", ".svg")}
        assert links == here, links ^ here
        for link in links:
            status, headers, text = g.request("GET", link)
            assert status == 200 and text and b"innerHTML" not in text and b"https://" not in text, link
            assert headers["Content-Security-Policy"] == policy and headers["X-Content-Type-Options"] == "nosniff"
            again = {"If-None-Match": headers["ETag"]}
            assert g.request("GET", link, headers=again)[0::2] == (304, b""), link
            status, own, text = g.request("HEAD", link)
            assert (status, text) == (200, b"") and own["ETag"] == headers["ETag"], link
        assert g.request("POST", "/", "{}", JSON)[0] == 405
        assert g.request("GET", "/page/")[0] == 404 and g.request("GET", "/page/embed.py")[0] == 404
        assert error_of(g.request("GET", "/elsewhere"))[0] == 404


@test
def endpoints_explain_themselves_to_browsers(folder):
    write_config(folder, {"a": server("--tools", 1), "b": server()})
    with gateway(folder) as g:
        g.wait_ready()
        for path, word in [("/mcp", "all servers"), ("/mcp/a", "<b>a</b>"), ("/a/mcp", "<b>a</b>")]:
            status, headers, body = g.request("GET", path, headers=HTML)
            assert status == 200 and headers["Content-Type"].startswith("text/html"), (path, status, body)
            assert word in body.decode() and 'href="/"' in body.decode(), body
            url = f"http://127.0.0.1:{g.port}{path if path == '/mcp' else '/mcp/a'}"
            assert f"&quot;url&quot;: &quot;{url}&quot;" in body.decode(), body
            assert "default-src 'none'" in headers["Content-Security-Policy"]
        # nothing changes for clients
        assert g.request("GET", "/mcp", headers={"Accept": "application/json"})[0] == 406
        assert g.request("GET", "/mcp", headers={"Accept": "text/event-stream"})[0] == 400
        assert g.request("GET", "/mcp", headers={"Accept": "text/html, text/event-stream"})[0] == 400
        assert g.request("PUT", "/mcp", "{}", {**JSON, **HTML})[0] == 405
        assert g.request("DELETE", "/mcp", headers=HTML)[0] == 400
        assert g.request("GET", "/mcp/nobody", headers=HTML)[0] == 404
        # the alias is the endpoint
        tools = Session(g, "/a/mcp").call("tools/list")["tools"]
        assert [t["name"] for t in tools] == [t["name"] for t in Session(g, "/mcp/a").call("tools/list")["tools"]]
        assert g.request("GET", "/nobody/mcp")[0] == 404 and g.request("GET", "//mcp")[0] == 404
    write_config(folder, {"a": server()}, TOKENS)
    with gateway(folder) as g:
        status, headers, body = g.request("GET", "/mcp", headers=HTML)
        assert status == 401 and headers["WWW-Authenticate"] == "Bearer" and b"YOUR-TOKEN" in body, body
        assert b"<b>" not in g.request("GET", "/mcp/a", headers=HTML)[2]  # names of servers are for those with a token


@test
def data_is_for_those_who_may_see_it(folder):
    write_config(folder, {"a": server("--tools", 1)}, TOKENS)
    with gateway(folder) as g:
        assert g.request("GET", "/")[0] == 200  # the page itself has no data
        for path in DATA:
            assert g.request("GET", path)[0] == 401, path
            assert g.request("GET", path, headers={"Authorization": "Bearer wrong"})[0] == 401, path
        until(lambda: g.request("GET", "/readyz", headers=OWNER)[0] == 200, "ready")
        for headers in (OWNER, MEMBER):
            Session(g, "/mcp", headers=headers).call("tools/call", {"name": "tool0", "arguments": {"x": "secret"}})
        both, own = overview(g, OWNER), overview(g, MEMBER)
        assert {c["principal"] for c in both["clients"]} == {"ada", "bob"}, both
        assert {c["principal"] for c in both["recent"]} == {"ada", "bob"}, both
        assert {c["principal"] for c in own["clients"]} == {"bob"} == {c["principal"] for c in own["recent"]}, own
        assert own["nSessions"] == 1 and "secret" not in json.dumps(both), both
        for path in ("/page/log?server=a", "/page/calls?server=a"):
            assert error_of(g.request("GET", path, headers=MEMBER))[0] == 403, path
        restart = {**MEMBER, "Mcptools-Page": "1"}
        status, why = error_of(g.request("POST", "/page/restart?server=a", headers=restart))
        assert status == 403 and "owner" in why, why


@test
def foreign_pages_are_refused(folder):
    write_config(folder, {"a": server()}, {"serve": {"origins": ["https://friend.example"]}})
    with gateway(folder) as g:
        g.wait_ready()
        own = f"http://127.0.0.1:{g.port}"
        command = {"Mcptools-Page": "1"}
        foreign = [{"Origin": "https://friend.example"}, {"Origin": "http://localhost:3"}, {"Origin": "null"},
                   {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Host": "evil.example"}]
        for headers in foreign:
            for path in DATA:
                assert error_of(g.request("GET", path, headers=headers))[0] == 403, (path, headers)
            answer = g.request("POST", "/page/restart?server=a", headers={**command, **headers})
            assert error_of(answer)[0] == 403, headers
        assert g.request("POST", "/page/restart?server=a", headers={"Origin": own})[0] == 403  # a form could send that
        assert g.request("GET", "/page/restart?server=a", headers=command)[0] == 405
        preflight = {"Origin": "https://friend.example", "Access-Control-Request-Method": "POST",
                     "Access-Control-Request-Headers": "mcptools-page"}
        _, headers, _ = g.request("OPTIONS", "/page/restart?server=a", headers=preflight)
        assert "mcptools-page" not in headers.get("Access-Control-Allow-Headers", "").lower()
        assert g.request("GET", "/page/overview", headers={"Origin": own, "Sec-Fetch-Site": "same-origin"})[0] == 200


@test
def other_machines_need_a_token(folder):
    write_config(folder, {"a": server()})
    with gateway(folder, "--http", "0.0.0.0:0", "--insecure") as g:
        assert g.request("GET", "/")[0] == 200
        status, why = error_of(g.request("GET", "/page/overview"))
        assert status == 403 and "serve.tokens" in why, why


@test
def one_change_costs_one_row(folder):
    write_config(folder, {f"server-{n:03}": server("--tools", 1) for n in range(100)})
    with gateway(folder) as g:
        g.wait_ready()
        assert g.request("HEAD", "/page/events")[0] == 405
        stream = follow(g)
        whole = event(stream, lambda name, _: name == "overview", "the overview")
        assert len(whole["servers"]) == 100 and whole["whole"] and whole["pid"] == g.process.pid
        assert events_of(stream)[0] == ("hello", {"owner": True, "tokens": False, "principal": "local"})
        session = Session(g, "/mcp/server-042")
        event(stream, lambda name, data: name == "changes" and data["clients"], "the client")
        before = len(stream.bytes)
        session.call("tools/call", {"name": "tool0", "arguments": {}})
        call = event(stream, lambda name, data: name == "changes" and data["recent"], "the call")
        assert len(stream.bytes) - before < 3000 < len(json.dumps(whole)) / 4, len(stream.bytes) - before
        assert {s["name"] for s in call["servers"]} == {"server-042"}, call["servers"]
        assert call["servers"][0]["calls"]["total"] == 1 and not call["whole"]
        assert (call["recent"][0]["tool"], call["recent"][0]["outcome"]) == ("tool0", "ok"), call["recent"]
        assert len(call["recent"]) == 1 and [c["name"] for c in call["clients"]] == ["t"], call
        g.request("DELETE", "/mcp/server-042", headers=session.headers)
        last = event(stream, lambda name, data: name == "changes" and data["whole"], "the client is gone")
        assert last["clients"] == [] and last["nSessions"] == 0, last
        assert g.stop() == 0
        assert stream.rest().endswith(b"0\r\n\r\n")  # the end is said, not a broken connection


@test
def logs_are_followed(folder):
    write_config(folder, {"a": server("--stderr", 2), "b": server()})
    with gateway(folder) as g:
        g.wait_ready()
        log = follow(g, "/page/log?server=a")
        lines = event(log, lambda name, data: any("connected" in line["text"] for line in data), "it is connected")
        assert {line["by"] for line in lines} == {"stderr", "gateway"}, lines
        last = lines[-1]["seq"]
        assert g.request("POST", "/page/restart?server=a", headers={"Mcptools-Page": "1"})[0] == 204
        more = event(log, lambda _, data: data[0]["seq"] > last, "what it says when it starts again")
        assert more[0]["seq"] == last + 1, (last, more)
        until(lambda: overview(g)["servers"][0]["state"] == "connected", "it is there again")
        assert error_of(g.request("GET", "/page/log?server=nobody"))[0] == 404
        assert error_of(g.request("GET", "/page/log"))[0] == 400
        assert error_of(g.request("POST", "/page/restart?server=nobody", headers={"Mcptools-Page": "1"}))[0] == 404


@test
def who_is_no_owner_any_more_sees_no_log(folder):
    """The configuration is read again while somebody looks."""

    def configure(owner):
        tokens = [{"token": "owner-token", "name": "ada", "owner": owner}]
        write_config(folder, {"a": server("--tools", 1)}, {"serve": {"tokens": tokens}})

    configure(owner=True)
    with gateway(folder) as g:
        until(lambda: g.request("GET", "/readyz", headers=OWNER)[0] == 200, "ready")
        streams = [follow(g, path, OWNER) for path in ("/page/events", "/page/log?server=a")]
        for s in streams:
            s.until(b"data: ")
        configure(owner=False)
        until(lambda: g.request("GET", "/page/log?server=a", headers=OWNER)[0] == 403, "the token is no owner's")
        Session(g, "/mcp", headers=OWNER).call("tools/list")  # something to tell
        assert streams[0].rest().endswith(b"0\r\n\r\n")
        assert json.loads(follow(g, "/page/events", OWNER).until(b"overview").split(b"data: ")[1].split(b"\n")[0]) == {
            "owner": False, "tokens": True, "principal": "ada"}


@test
def streams_are_few(folder):
    write_config(folder, {"a": server()})
    with gateway(folder) as g:
        streams = [follow(g) for _ in range(32)]
        for s in streams:
            s.until(b"event: overview")
        status, why = error_of(g.request("GET", "/page/events"))
        assert status == 503 and "too many" in why, why
        streams[0].socket.close()
        until(lambda: not _is_full(g), "there is room for one more")


def _is_full(g):
    s = follow(g)
    s.until(b"\r\n\r\n")
    full = s.bytes.startswith(b"HTTP/1.1 503")
    s.socket.close()
    return full


@test
def search_finds_what_the_client_gets(folder):
    hostile = {"name": "x", "description": "<b>Über</b> Wörter", "inputSchema": {"type": "object"}}
    write_config(folder, {"a": server("--tools", 2), "b c": server("--tools", 0, "--tool-json", json.dumps(hostile))},
                 {**TOKENS, "policy": {"deny": ["a.tool1"]}})
    with gateway(folder) as g:
        until(lambda: g.request("GET", "/readyz", headers=OWNER)[0] == 200, "ready")

        def found(words):
            status, _, body = g.request("GET", f"/page/find?words={words}", headers=MEMBER)
            assert status == 200, body
            return [(i["kind"], i["server"], i["id"]) for i in json.loads(body)["items"]]

        assert found("tool") == [("tool", "a", "tool0")], found("tool")
        assert found("W%C3%B6rter+%3CB%3E") == [("tool", "b c", "x")], found("W%C3%B6rter+%3CB%3E")
        assert found("nothing%20such") == []
        assert error_of(g.request("GET", "/page/find", headers=MEMBER))[0] == 400
        status, _, body = g.request("GET", "/page/calls?server=b%20c", headers=OWNER)
        assert (status, json.loads(body)) == (200, {"tools": []}), body


@test
def calls_are_counted_by_tool(folder):
    write_config(folder, {"a": server("--tools", 2)})
    with gateway(folder) as g:
        g.wait_ready()
        session = Session(g)
        for name in ("tool0", "tool0", "tool1"):
            session.call("tools/call", {"name": name, "arguments": {}})
        tools = json.loads(g.request("GET", "/page/calls?server=a")[2])["tools"]
        assert [(t["name"], t["calls"], t["failed"]) for t in tools] == [("tool0", 2, 0), ("tool1", 1, 0)], tools
        calls = overview(g)["calls"]
        assert (calls["total"], calls["failed"], calls["running"]) == (3, 0, 0) and calls["p99Ms"] > 0, calls
        metrics = g.request("GET", "/metrics")[2].decode()
        assert 'mcptools_calls_total{server="a",method="tools/call",outcome="ok"} 3' in metrics
        assert 'mcptools_call_duration_seconds_count{server="a"} 3' in metrics


if __name__ == "__main__":
    main()
