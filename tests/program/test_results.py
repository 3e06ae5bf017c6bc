"""Results over a budget: their beginning, and how the rest is read, on each way in."""

import json
import re
import sys

from harness import Session, answer, gateway, main, metric, run, stateless, test, write_config

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
                  "capabilities": {"tools": {}}}
    elif m["method"] == "tools/list":
        result = {"tools": TOOLS}
    elif m["method"] == "tools/call":
        result = result_of(m["params"]["name"], m["params"]["arguments"].get("n", 1))
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
'''

BUDGET = 4000


def write(folder, results=None, serve=None):
    path = folder / "results_server.py"
    path.write_text(SERVER)
    settings = {"results": results or {"budget": BUDGET, "budgets": {"s.free": "off"}}, "serve": serve or {}}
    return write_config(folder, {"s": {"command": sys.executable, "args": [str(path)]}}, settings)


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
    with gateway(folder) as g:
        for path in ("/mcp", "/mcp/s"):
            s = Session(g, path)
            name = "s__lines" if path == "/mcp" else "lines"
            result = call(s, name, n=2000)
            whole, uri = text_of(2000), uri_of(result)
            assert len(json.dumps(result)) < BUDGET + 500 and result["_meta"] == {"own": 1}
            beginning, note = result["content"][0]["text"], result["content"][1]["text"]
            assert whole.startswith(beginning) and beginning.endswith("\n") and len(beginning) > 1000
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
    with gateway(folder) as g:
        s = Session(g)
        assert call(s, "s__lines", n=20) == {"content": [{"type": "text", "text": text_of(20)}], "_meta": {"own": 1}}
        result = call(s, "s__free", n=2000)
        assert len(result["structuredContent"]["rows"]) == 2000  # "off"


@test
def tools_with_a_budget_promise_no_structure(folder):
    write(folder)
    with gateway(folder) as g:
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
    with gateway(folder) as g:
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
    with gateway(folder) as g:
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
    with gateway(folder) as g:
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
    with gateway(folder) as g:
        s = Session(g)
        uris = [uri_of(call(s, "s__lines", n=1200)) for _ in range(4)]
        error = answer(s.post("resources/read", {"uri": uris[0]})[2])["error"]
        assert "made room" in error["message"]
        assert s.call("resources/read", {"uri": uris[-1] + "#L1"})
        assert 0 < metric(g, "results_bytes") <= 65536 and metric(g, "results_evicted_total") == 2
        note = call(s, "s__lines", n=9000)["content"][1]["text"]
        assert "was not kept" in note and "results.bytes" in note, note


@test
def mistakes_in_the_configuration(folder):
    for results, what in (({"budget": "5 apples"}, "results.budget"), ({"budget": 100}, "results.budget"),
                          ({"budgets": {"s.*": "few"}}, "s.*")):
        done = run(folder, "config", "check", "--config", write(folder, results))
        assert what in done.stdout + done.stderr, done


if __name__ == "__main__":
    main()
