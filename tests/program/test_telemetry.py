"""Spans, durations and log messages for a collector of OpenTelemetry: OTLP over HTTP with JSON."""

import gzip
import http.server
import json
import re
import threading
import time

from harness import PATIENCE_S, Session, gateway, main, run, server, stateless, test, until, write_config

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"


class Collector:
    """Keeps what is sent to it. `answers` are (status, headers, body) for the next requests; then 200 and {}."""

    def __init__(self):
        outer = self
        self.requests, self.answers = [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                plain = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
                outer.requests.append((self.path, dict(self.headers), json.loads(plain)))
                status, headers, text = outer.answers.pop(0) if outer.answers else (200, {}, b"{}")
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def records(self, path, outer, inner):
        return [record for where, _, body in list(self.requests) if where == path
                for resource in body[outer] for scope in resource[inner[0]] for record in scope[inner[1]]]

    def spans(self):
        return self.records("/v1/traces", "resourceSpans", ("scopeSpans", "spans"))

    def logs(self):
        return self.records("/v1/logs", "resourceLogs", ("scopeLogs", "logRecords"))

    def metrics(self):
        return self.records("/v1/metrics", "resourceMetrics", ("scopeMetrics", "metrics"))


def collected(function):
    """A test that gets a collector."""
    def wrapper(folder):
        c = Collector()
        try:
            function(folder, c)
        finally:
            c.close()
    wrapper.__name__ = function.__name__
    return test(wrapper)


def quick(url, **more):
    """The environment for a collector that is told soon."""
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "1", "OTEL_BLRP_SCHEDULE_DELAY": "1",
            "OTEL_METRIC_EXPORT_INTERVAL": "50", **more}


def attributes(record):
    """{key: value} of a record; each value must have exactly one member."""
    out = {}
    for a in record["attributes"]:
        (kind, value), = a["value"].items()
        assert a["key"] not in out, record
        out[a["key"]] = int(value) if kind == "intValue" else value
    return out


def span_of(c, name, kind):
    found = [s for s in c.spans() if s["name"] == name and s["kind"] == kind]
    return found[0] if found else None


def config(folder, settings=None, **servers):
    return write_config(folder, {"t": server("--tools", 1, "--resources", 1, "--prompts", 1), **servers}, settings)


@collected
def a_call_is_a_span_of_the_client_and_one_of_the_server(folder, c):
    with gateway(folder, "--config", config(folder), env=quick(c.url)) as g:
        g.wait_ready()
        s = Session(g)
        s.call("tools/call", {"name": "tool0", "arguments": {"password": "hunter2"}, "_meta": {"traceparent": PARENT}}, id=77)
        inner = until(lambda: span_of(c, "tools/call tool0", 3), "the call is recorded")
        outer = until(lambda: span_of(c, "tools/call tool0", 2), "the request is recorded")
        assert outer["traceId"] == inner["traceId"] == TRACE and outer["parentSpanId"] == SPAN, (outer, inner)
        assert inner["parentSpanId"] == outer["spanId"] != inner["spanId"]
        assert outer["flags"] == 0x301 and inner["flags"] == 0x101, (outer, inner)
        for span in outer, inner:
            assert re.fullmatch("[0-9a-f]{16}", span["spanId"]) and "status" not in span
            assert isinstance(span["startTimeUnixNano"], str)
            assert int(span["endTimeUnixNano"]) >= int(span["startTimeUnixNano"]) > 1.6e18
        a = attributes(outer)
        assert a == {"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "network.transport": "tcp",
                     "network.protocol.name": "http", "mcp.protocol.version": "2025-11-25", "gen_ai.tool.name": "tool0",
                     "jsonrpc.request.id": "77", "mcptools.client": "t", "mcptools.principal": a["mcptools.principal"],
                     "mcp.session.id": a["mcp.session.id"]}, a
        assert a["mcp.session.id"] != s.headers["Mcp-Session-Id"], "the id is a secret"
        b = attributes(inner)
        assert b["mcptools.server"] == "t" and b["network.transport"] == "pipe" and b["gen_ai.tool.name"] == "tool0", b
        assert "hunter2" not in json.dumps(c.requests), "arguments are sent only if that is switched on"
        path, headers, body = next(r for r in c.requests if r[0] == "/v1/traces")
        assert headers["Content-Type"] == "application/json" and "mcptools/" in headers["User-Agent"], (path, headers)
        resource = attributes(body["resourceSpans"][0]["resource"])
        assert resource["service.name"] == "mcptools" and resource["process.pid"] == g.process.pid, resource
        assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", resource["service.instance.id"])


@collected
def servers_get_the_context_of_the_span(folder, c):
    with gateway(folder, "--config", config(folder), env=quick(c.url)) as g:
        g.wait_ready()
        s = Session(g)
        meta = {"traceparent": PARENT, "tracestate": "a=b", "baggage": "k=v"}
        got = s.call("tools/call", {"name": "tool0", "_meta": meta})["structuredContent"]["_meta"]
        inner = until(lambda: span_of(c, "tools/call tool0", 3), "the call is recorded")
        assert got["traceparent"] == f"00-{TRACE}-{inner['spanId']}-01", (got, inner)
        assert (got["tracestate"], got["baggage"]) == ("a=b", "k=v"), got
        got = s.call("tools/call", {"name": "tool0"})["structuredContent"]["_meta"]
        assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-01", got["traceparent"]) and TRACE not in got["traceparent"], got


@test
def without_telemetry_the_context_passes_unchanged(folder):
    with gateway(folder, "--config", config(folder)) as g:
        g.wait_ready()
        meta = {"traceparent": "not valid", "tracestate": "x"}
        got = Session(g).call("tools/call", {"name": "tool0", "_meta": meta})["structuredContent"]["_meta"]
        assert (got["traceparent"], got["tracestate"]) == ("not valid", "x"), got


@collected
def the_header_is_the_parent_or_a_link(folder, c):
    header = "00-11111111111111111111111111111111-2222222222222222-01"
    with gateway(folder, "--config", config(folder), env=quick(c.url)) as g:
        g.wait_ready()
        s = Session(g, headers={"traceparent": header})
        s.call("resources/list")
        s.call("prompts/get", {"name": "prompt0", "_meta": {"traceparent": PARENT}})
        listed = until(lambda: span_of(c, "resources/list", 2), "the list is recorded")
        assert (listed["traceId"], listed["parentSpanId"]) == ("1" * 32, "2" * 16) and "links" not in listed, listed
        got = until(lambda: span_of(c, "prompts/get prompt0", 2), "the prompt is recorded")
        assert got["parentSpanId"] == SPAN and [(k["traceId"], k["spanId"]) for k in got["links"]] == [("1" * 32, "2" * 16)]
        assert attributes(got)["gen_ai.prompt.name"] == "prompt0"


@collected
def an_invalid_context_begins_a_trace(folder, c):
    bad = ["00-" + "0" * 32 + f"-{SPAN}-01", f"ff-{TRACE}-{SPAN}-01", f"00-{TRACE.upper()}-{SPAN}-01", PARENT[:-1], ""]
    with gateway(folder, "--config", config(folder), env=quick(c.url)) as g:
        g.wait_ready()
        s = Session(g)
        for context in bad:
            s.call("tools/call", {"name": "tool0", "_meta": {"traceparent": context}})
        until(lambda: len([x for x in c.spans() if x["name"] == "tools/call tool0"]) == 2 * len(bad), "all are recorded")
        roots = [x for x in c.spans() if x["name"] == "tools/call tool0" and x["kind"] == 2]
        assert all("parentSpanId" not in x and x["traceId"] != TRACE and x["flags"] == 1 for x in roots), roots


@collected
def errors_have_their_type(folder, c):
    servers = {"no": server("--tools", 1, "--name", "no_", "--refuse", "tools/call")}
    with gateway(folder, "--config", config(folder, **servers), env=quick(c.url)) as g:
        g.wait_ready()
        s = Session(g)
        s.post("tools/call", {"name": "no__no_tool0"})
        s.post("tools/call", {"name": "nothing"})
        outer = until(lambda: span_of(c, "tools/call no__no_tool0", 2), "the refusal is recorded")
        inner = until(lambda: span_of(c, "tools/call no_tool0", 3), "the refusal of the server is recorded")
        code = attributes(inner)["rpc.response.status_code"]
        assert attributes(inner)["error.type"] == code and inner["status"]["code"] == 2 and inner["status"]["message"], inner
        assert attributes(outer)["error.type"] == code, outer
        unknown = until(lambda: span_of(c, "tools/call nothing", 2), "the mistake is recorded")
        assert attributes(unknown)["error.type"] == "-32602" and "status" not in unknown, unknown
        until(lambda: "_OTHER" in json.dumps(c.metrics()), "made-up names share a series")
        assert '"nothing"' not in json.dumps(c.metrics())


@collected
def durations_are_histograms(folder, c):
    with gateway(folder, "--config", config(folder), env=quick(c.url)) as g:
        g.wait_ready()
        s = Session(g)
        for _ in range(3):
            s.call("tools/call", {"name": "tool0"})

        def points(name):
            return [(m, p) for m in c.metrics() if m["name"] == name for p in m["histogram"]["dataPoints"]
                    if attributes(p).get("mcp.method.name") == "tools/call"]
        for name in "mcp.server.operation.duration", "mcp.client.operation.duration":
            until(lambda: any(p["count"] == "3" for _, p in points(name)), name)
            metric, point = points(name)[-1]
            assert metric["unit"] == "s" and metric["histogram"]["aggregationTemporality"] == 2
            assert sum(map(int, point["bucketCounts"])) == 3 and len(point["bucketCounts"]) == len(point["explicitBounds"]) + 1
            assert 0 < point["min"] <= point["max"] <= point["sum"]
            assert {"jsonrpc.request.id", "mcp.session.id"}.isdisjoint(attributes(point))
        s.g.request("DELETE", "/mcp", headers=s.headers)
        until(lambda: any(m["name"] == "mcp.server.session.duration" for m in c.metrics()), "the session is measured")


@collected
def log_messages_are_sent(folder, c):
    servers = {"bad": {"command": "/nonexistent/program"}}
    with gateway(folder, "--config", config(folder, **servers), env=quick(c.url)) as g:
        record = until(lambda: next((r for r in c.logs() if "'bad'" in r["body"]["stringValue"]), None), "a warning is sent")
        assert record["severityNumber"] >= 13 and record["severityText"] in ("WARN", "ERROR"), record
        assert isinstance(record["timeUnixNano"], str)
        assert record["body"]["stringValue"] in g.text(), "it is on stderr as well"


@collected
def arguments_and_results_are_sent_if_asked_for(folder, c):
    settings = {"telemetry": {"endpoint": c.url, "headers": {"X-Key": "${KEY}"}, "metrics": False, "logs": False, "arguments": True}}
    with gateway(folder, "--config", config(folder, settings), env={"KEY": "geheim", "OTEL_BSP_SCHEDULE_DELAY": "1"}) as g:
        g.wait_ready()
        Session(g).call("tools/call", {"name": "tool0", "arguments": {"x": "y" * 10000}})
        inner = until(lambda: span_of(c, "tools/call tool0", 3), "the call is recorded")
        a = attributes(inner)
        assert a["gen_ai.tool.call.arguments"].startswith('{"x": "yyy') and len(a["gen_ai.tool.call.arguments"]) == 4096
        assert "structuredContent" in a["gen_ai.tool.call.result"], a
        assert {path for path, _, _ in c.requests} == {"/v1/traces"}
        assert all(headers["X-Key"] == "geheim" for _, headers, _ in c.requests) and "geheim" not in g.text()


@collected
def a_collector_that_is_busy_gets_them_again(folder, c):
    c.answers = [(503, {"Retry-After": "0"}, b""), (429, {}, b'{"message":"slow down"}')]
    with gateway(folder, "--config", config(folder), env=quick(c.url, OTEL_METRICS_EXPORTER="none", OTEL_LOGS_EXPORTER="none")) as g:
        g.wait_ready()
        Session(g).call("tools/call", {"name": "tool0"})
        until(lambda: len(c.requests) >= 3, "the batch is sent again")
        assert c.requests[0][2] == c.requests[1][2] == c.requests[2][2]


@collected
def what_a_collector_refuses_is_dropped_and_said(folder, c):
    c.answers = [(400, {}, b"no"), (200, {}, b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"\\u001b[31m"}}')]
    with gateway(folder, "--config", config(folder), env=quick(c.url, OTEL_METRICS_EXPORTER="none", OTEL_LOGS_EXPORTER="none")) as g:
        g.wait_ready()
        s = Session(g)
        until(lambda: "telemetry: traces could not be sent: HTTP 400" in g.text(), "the refusal is said")
        first = len(c.requests)
        s.call("tools/call", {"name": "tool0"})
        until(lambda: len(c.requests) > first, "later spans are sent")
        assert c.requests[0][2] != c.requests[first][2], "a refused batch is not repeated"
        assert "\x1b" not in g.text()


@test
def a_collector_that_is_gone_stops_nothing(folder):
    with gateway(folder, "--config", config(folder), env=quick("http://127.0.0.1:1")) as g:
        g.wait_ready()
        s = Session(g)
        for _ in range(50):
            s.call("tools/call", {"name": "tool0"})
        until(lambda: "could not be sent" in g.text() or s.call("tools/list"), "it goes on")


@collected
def a_batch_is_compressed(folder, c):
    with gateway(folder, "--config", config(folder), env=quick(c.url, OTEL_EXPORTER_OTLP_COMPRESSION="gzip")) as g:
        g.wait_ready()
        Session(g).call("tools/call", {"name": "tool0"})
        until(lambda: span_of(c, "tools/call tool0", 3), "the call is recorded")
        assert all(h["Content-Encoding"] == "gzip" for _, h, _ in c.requests)


@collected
def samplers_decide(folder, c):
    env = quick(c.url, OTEL_TRACES_SAMPLER="parentbased_always_off")
    with gateway(folder, "--config", config(folder), env=env) as g:
        g.wait_ready()
        s = Session(g)
        got = s.call("tools/call", {"name": "tool0"})["structuredContent"]["_meta"]["traceparent"]
        assert got.endswith("-00"), got
        s.call("tools/call", {"name": "tool0", "_meta": {"traceparent": PARENT}})
        until(lambda: len(c.spans()) == 2, "the parent decides")
        assert {x["traceId"] for x in c.spans()} == {TRACE}, c.spans()


@collected
def what_is_left_is_sent_at_the_end(folder, c):
    slow = {"OTEL_EXPORTER_OTLP_ENDPOINT": c.url, "OTEL_BSP_SCHEDULE_DELAY": "3600000"}
    with gateway(folder, "--config", config(folder), env=slow) as g:
        g.wait_ready()
        Session(g).call("tools/call", {"name": "tool0"})
        assert not c.spans()
    assert span_of(c, "tools/call tool0", 2) and span_of(c, "tools/call tool0", 3)
    assert any(m["name"] == "mcp.server.operation.duration" for m in c.metrics())


@collected
def commands_are_children_of_their_caller(folder, c):
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": c.url, "TRACEPARENT": PARENT}
    done = run(folder, "call", "t.tool0", "--config", config(folder), env=env)
    assert done.returncode == 0, done
    span, = [s for s in c.spans() if s["name"] == "tools/call tool0"]
    assert (span["kind"], span["traceId"], span["parentSpanId"]) == (3, TRACE, SPAN), span
    n = len(c.requests)
    assert run(folder, "list", "--config", config(folder), env=env).returncode == 0 and len(c.requests) == n


@collected
def a_stateless_client_has_no_session(folder, c):
    with gateway(folder, "--config", config(folder), env=quick(c.url)) as g:
        g.wait_ready()
        status, _, body = g.request("POST", "/mcp", *stateless("tools/call", {"name": "tool0"}))
        assert status == 200, body
        outer = until(lambda: span_of(c, "tools/call tool0", 2), "the call is recorded")
        a = attributes(outer)
        assert "mcp.session.id" not in a and a["mcp.protocol.version"] == "2026-07-28", a


@collected
def settings_that_cannot_be_used_are_said(folder, c):
    env = quick(c.url, OTEL_EXPORTER_OTLP_PROTOCOL="grpc", OTEL_TRACES_SAMPLER="mine", OTEL_BSP_MAX_QUEUE_SIZE="many",
                OTEL_LOGS_EXPORTER="console", OTEL_EXPORTER_OTLP_COMPRESSION="br")
    with gateway(folder, "--config", config(folder), env=env) as g:
        for text in ("the protocol grpc is not supported", "the sampler mine is not supported", "OTEL_BSP_MAX_QUEUE_SIZE is not a number",
                     "OTEL_LOGS_EXPORTER=console is not supported", "compression br is not supported"):
            assert text in g.text(), (text, g.text())
    with gateway(folder, "--config", config(folder), env=quick(c.url, OTEL_SDK_DISABLED="true")) as g:
        n = len(c.requests)
        Session(g.wait_ready()).call("tools/list")
    assert len(c.requests) == n


if __name__ == "__main__":
    main()
