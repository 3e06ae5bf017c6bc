"""Results over a budget: their beginning, and how the rest is read, on each way in."""

import contextlib
import json
import re
import sys

from harness import Session, answer, gateway, main, metric, run, stateless, test, until, write_config

SERVER = r'''
import json, sys

SCHEMA = {"type": "object", "properties": {"rows": {"type": "array"}}, "required": ["rows"]}
TOOLS = [{"name": n, "inputSchema": {"type": "object"}, "outputSchema": SCHEMA} for n in ("table", "free")]
TOOLS += [{"name": n, "inputSchema": {"type": "object"}} for n in ("lines", "image", "read_result")]

def result_of(name, n):
    lines = "".join(f"line {i} \u00e4\n" for i in range(1, n + 1))
    if name in ("table", "free"):
        rows = {"rows": [f"row {i}" for i in range(n)]}
        return {"content": [{"type": "text", "text": json.dumps(rows)}], "structuredContent": rows}
    if name == "image":
        return {"content": [{"type": "text", "text": "see"}, {"type": "image", "data": "QUJD" * n, "mimeType": "image/png"}]}
    return {"content": [{"type": "text", "text": lines}], "_meta": {"own": 1}}

for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    result = {}
    if m["method"] == "initialize":
        result = {"protocolVersion": m["params"]["protocolVersion"], "serverInfo": {"name": "s", "version": "1"},
                  "capabilities": {"tools": {}, **({"resources": {}} if "resources" in sys.argv else {})}}
    elif m["method"] == "resources/list":
        result = {"resources": [{"uri": "test://one", "name": "one"}]}
    elif m["method"] == "resources/templates/list":
        result = {"resourceTemplates": []}
    elif m["method"] == "tools/list":
        result = {"tools": TOOLS}
    elif m["method"] == "tools/call":
        result = result_of(m["params"]["name"], m["params"]["arguments"].get("n", 1))
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
'''

BUDGET = 4000


def write(folder, results=None, serve=None, has=()):
    path = folder / "results_server.py"
    path.write_text(SERVER)
    settings = {"results": results or {"budget": BUDGET, "budgets": {"s.free": "off"}}, "serve": serve or {}}
    return write_config(folder, {"s": {"command": sys.executable, "args": [str(path), *has]}}, settings)


@contextlib.contextmanager
def serving(folder, headers=None):
    with gateway(folder) as g:
        until(lambda: g.request("GET", "/readyz", None, headers)[0] == 200, "readyz says 200")
        yield g


def call(session, name, **arguments):
    return session.call("tools/call", {"name": name, "arguments": arguments})


def uri_of(result):
    link = [b for b in result["content"] if b["type"] == "resource_link"]
    assert len(link) == 1, result
    return link[0]["uri"]


def text_of(n):
    return "".join(f"line {i} \u00e4\n" for i in range(1, n + 1))


@test
def a_long_result_is_read_in_parts(folder):
    write(folder)
    with serving(folder) as g:
        for path in ("/mcp", "/mcp/s"):
            s = Session(g, path)
            name = "s__lines" if path == "/mcp" else "lines"
            result = call(s, name, n=2000)
            whole, uri = text_of(2000), uri_of(result)
            assert len(json.dumps(result)) < BUDGET + 500
            hint = result["_meta"].pop("io.github.mcptools/result")
            assert result["_meta"] == {"own": 1} and hint["resultBytes"] > hint["bytes"] == len(whole.encode()), hint
            assert hint["uri"] == uri and hint["lines"] == 2000 and hint["kept"] and hint["expiresInMs"] == 900000, hint
            beginning, note = result["content"][0]["text"], result["content"][1]["text"]
            assert whole.startswith(beginning) and hint["shownBytes"] == len(beginning.encode())
            assert beginning.endswith("\n") and len(beginning) > 1000
            assert f'"result":"{uri}"' in note and "read_result" in note and "2000 lines" in note, note
            # on, with what the note says, until everything is read
            arguments, text = json.loads(re.search(r"read_result: (\{.*?\}),", note)[1]), beginning
            while arguments:
                part = call(s, "read_result", **arguments)
                text += part["content"][0]["text"]
                next_line = re.search(r"Go on with line=(\d+)", part["content"][1]["text"])
                arguments = {"result": uri, "line": int(next_line[1])} if next_line else None
            assert text == whole
            found = call(s, "read_result", result=uri, search="LINE 1234 ", ignore_case=True, context=1)
            assert found["content"][0]["text"] == "1233-line 1233 \u00e4\n1234:line 1234 \u00e4\n1235-line 1235 \u00e4\n"
            for asked, expected in (("", whole), ("?line=5&lines=2", text_of(6)[len(text_of(4)):]), ("#L1-L3", text_of(3))):
                read = s.call("resources/read", {"uri": uri + asked})["contents"]
                assert read == [{"uri": uri + asked, "mimeType": "text/plain", "text": expected}], asked
        assert "mcptools_results_cut_total 2" in g.request("GET", "/metrics")[2].decode()


@test
def what_fits_is_not_touched(folder):
    write(folder)
    with serving(folder) as g:
        s = Session(g)
        assert call(s, "s__lines", n=20) == {"content": [{"type": "text", "text": text_of(20)}], "_meta": {"own": 1}}
        result = call(s, "s__free", n=2000)
        assert len(result["structuredContent"]["rows"]) == 2000  # "off"


@test
def tools_with_a_budget_promise_no_structure(folder):
    write(folder)
    with serving(folder) as g:
        s = Session(g)
        tools = {t["name"]: t for t in s.call("tools/list")["tools"]}
        assert "outputSchema" not in tools["table"] and "outputSchema" in tools["free"]
        assert tools["read_result"]["annotations"]["readOnlyHint"] and "s__read_result" in tools
        assert any(t["uriTemplate"].startswith("mcptools://result/{id}") for t in s.call("resources/templates/list")["resourceTemplates"])
        assert "resources" in s.info["capabilities"]
        result = call(s, "s__table", n=2000)
        assert "structuredContent" not in result and "structuredContent (" in result["content"][1]["text"]
        part = call(s, "read_result", result=uri_of(result), path="/rows/1999")
        assert part["content"][0]["text"] == "row 1999"
        assert call(s, "s__table", n=3)["structuredContent"] == {"rows": ["row 0", "row 1", "row 2"]}


@test
def images_are_kept_whole(folder):
    write(folder)
    with serving(folder) as g:
        s = Session(g)
        result = call(s, "s__image", n=3000)
        assert [b["type"] for b in result["content"]] == ["text", "text", "resource_link"]
        uri = uri_of(result)
        assert call(s, "read_result", result=uri, block=2)["content"][0]["data"] == "QUJD" * 3000
        contents = s.call("resources/read", {"uri": uri + "?block=2"})["contents"]
        assert contents == [{"uri": uri + "?block=2", "mimeType": "image/png", "blob": "QUJD" * 3000}]


@test
def only_its_principal_reads_it(folder):
    write(folder, serve={"tokens": ["one-secret-token", "two-secret-token"]})
    with serving(folder, {"Authorization": "Bearer one-secret-token"}) as g:
        sessions = [Session(g, headers={"Authorization": f"Bearer {t}-secret-token"}) for t in ("one", "two")]
        uri = uri_of(call(sessions[0], "s__lines", n=2000))
        errors = []
        for asked in (uri, "mcptools://result/" + "0" * 32):
            errors.append(answer(sessions[1].post("resources/read", {"uri": asked})[2])["error"])
            refused = call(sessions[1], "read_result", result=asked)
            assert refused["isError"] and "no such result" in refused["content"][0]["text"]
        assert errors[0] == errors[1] and errors[0]["code"] == -32002, errors
        assert sessions[0].call("resources/read", {"uri": uri + "#L1"})["contents"][0]["text"] == text_of(1)


@test
def other_revisions(folder):
    write(folder)
    with serving(folder) as g:
        old = Session(g, revision="2024-11-05")
        result = call(old, "s__lines", n=2000)
        assert [b["type"] for b in result["content"]] == ["text", "text", "text"]
        assert "mcptools://result/" in result["content"][2]["text"]
        body, headers = stateless("tools/call", {"name": "s__lines", "arguments": {"n": 2000}})
        new = answer(g.request("POST", "/mcp", body, headers)[2])["result"]
        assert new["resultType"] == "complete"
        body, headers = stateless("resources/read", {"uri": uri_of(new) + "?line=2000"})
        read = answer(g.request("POST", "/mcp", body, headers)[2])["result"]
        assert read["contents"][0]["text"] == "line 2000 \u00e4\n" and read["resultType"] == "complete"


@test
def over_stdio_and_at_the_terminal(folder):
    config = write(folder)
    asked = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                          "clientInfo": {"name": "t", "version": "1"}}},
             {"method": "notifications/initialized"},
             {"id": 2, "method": "tools/call", "params": {"name": "s__lines", "arguments": {"n": 2000}}}]
    done = run(folder, "serve", "--stdio", "--config", config, stdin="".join(json.dumps({"jsonrpc": "2.0", **m}) + "\n" for m in asked))
    said = next(m for m in map(json.loads, done.stdout.splitlines()) if m.get("id") == 2)
    assert uri_of(said["result"])
    done = run(folder, "call", "s.lines", "n:=2000", "-o", "raw", "--config", config)
    assert done.stdout == text_of(2000)  # a person or script gets all of it


@test
def the_store_has_a_ceiling(folder):
    write(folder, {"budget": BUDGET, "bytes": 65536})
    with serving(folder) as g:
        s = Session(g)
        uris = [uri_of(call(s, "s__lines", n=1200)) for _ in range(4)]
        error = answer(s.post("resources/read", {"uri": uris[0]})[2])["error"]
        assert "made room" in error["message"]
        assert s.call("resources/read", {"uri": uris[-1] + "#L1"})
        assert 0 < metric(g, "results_bytes") <= 65536 and metric(g, "results_evicted_total") == 2
        note = call(s, "s__lines", n=9000)["content"][1]["text"]
        assert "was not kept" in note and "results.bytes" in note, note


def names(session):
    return [t["name"] for t in session.call("tools/list")["tools"]]


@test
def budgets_follow_the_configuration(folder):
    """Also the first budget of all, in views that had no tools of their own."""
    write(folder, {"ttl_s": 600})
    with serving(folder) as g:
        sessions = [(Session(g), "s__lines"), (Session(g, "/mcp/s"), "lines")]
        for s, name in sessions:
            assert names(s).count("read_result") == 1  # that of the server
            assert call(s, name, n=2000)["content"][0]["text"] == text_of(2000)
        assert "results_" not in g.request("GET", "/metrics")[2].decode()
        body = stateless("tools/list")
        assert '"outputSchema"' in g.request("POST", "/mcp", *body)[2].decode()

        write(folder, {"budget": BUDGET, "ttl_s": 300})
        until(lambda: g.text().count("configuration reloaded") == 1, "the reload")
        assert "restart the gateway" not in g.text(), g.text()
        for s, name in sessions + [(Session(g), "s__lines")]:
            result = call(s, name, n=2000)
            uri = uri_of(result)
            assert result["_meta"]["io.github.mcptools/result"]["expiresInMs"] == 300000
            assert {"read_result", "s__read_result"} <= {*names(s)}
            assert call(s, "read_result", result=uri, line=2000)["content"][0]["text"] == text_of(2000)[len(text_of(1999)):]
        listed = g.request("POST", "/mcp", *body)[2].decode()
        assert '"outputSchema"' not in listed and '"read_result"' in listed, listed

        write(folder, {"ttl_s": 300})
        until(lambda: g.text().count("configuration reloaded") == 2, "the second reload")
        for s, name in sessions:
            assert call(s, name, n=2000)["content"][0]["text"] == text_of(2000)
            assert s.call("resources/read", {"uri": uri + "#L1"})["contents"][0]["text"] == text_of(1)  # still kept
        assert "s__read_result" not in names(sessions[0][0])


@test
def resource_tools_read_it(folder):
    write(folder, has=["resources"])
    with serving(folder) as g:
        uri = uri_of(call(Session(g), "s__lines", n=2000)) + "?line=2&lines=2"
        expected = text_of(3)[len(text_of(1)):]
        for dialect, tool, arguments in (("codex", "read_mcp_resource", {"server": "s", "uri": uri}),
                                         ("claude", "ReadMcpResourceTool", {"server": "s", "uri": uri}),
                                         ("nexo", "ReadMcpResource", {"server": "s", "uri": uri}),
                                         ("bridge", "read_resource", {"uri": uri}),
                                         ("lines", "mcp", {"action": "read", "uri": uri})):
            s = Session(g, f"/mcp?dialect={dialect}")
            tool = next(n for n in names(s) if n.endswith(tool))
            got = json.dumps(call(s, tool, **arguments), ensure_ascii=False)
            assert not '"isError": true' in got, (dialect, tool, got)
            assert "line 2 \u00e4" in got and "line 3 \u00e4" in got and "line 4 " not in got and expected, (dialect, tool, got)
            lost = call(s, tool, **{**arguments, "uri": "mcptools://result/" + "1" * 32})
            assert re.search("no such result|not found", json.dumps(lost)), (dialect, lost)


@test
def its_user_reads_it_at_the_terminal(folder):
    token = "one-secret-token"
    write(folder, serve={"tokens": [token]})
    headers = {"Authorization": f"Bearer {token}"}
    with serving(folder, headers) as g:
        uri = uri_of(call(Session(g, headers=headers), "s__lines", n=2000))
        done = run(folder, "read", uri + "?search=line%201999%20")
        assert done.stdout.startswith("1999:line 1999 \u00e4\n"), done
        assert run(folder, "read", "s", uri).stdout == text_of(2000)
        done = run(folder, "status")
        assert "1 result cut to the budget; 1 result kept, " in done.stdout, done
        assert json.loads(run(folder, "status", "-o", "json").stdout)["results"]["kept"] == 1
    with serving(folder, headers) as g:  # another one knows nothing of it
        error = answer(Session(g, headers=headers).post("resources/read", {"uri": uri})[2])["error"]
        assert "call the tool again" in error["message"], error
        done = run(folder, "read", uri)
        assert done.returncode and "call the tool again" in done.stderr, done


@test
def mistakes_in_the_configuration(folder):
    for results, what in (({"budget": "5 apples"}, "results.budget"), ({"budget": 100}, "results.budget"),
                          ({"budgets": {"s.*": "few"}}, "s.*")):
        done = run(folder, "config", "check", "--config", write(folder, results))
        assert what in done.stdout + done.stderr, done


if __name__ == "__main__":
    main()
