"""Web pages that a person on this machine visits."""

import json

from harness import JSON, stateless, write_config
from row import attack
from scene import server

PAGE = "web page"
HOSTS = {  # Host: whether it is one of this machine
    "localhost": True, "localhost:PORT": True, "LOCALHOST": True, "127.0.0.1": True, "127.0.0.1:PORT": True, "[::1]": True, "[::1]:PORT": True, "127.1.2.3": True,
    "evil.example": False, "evil.example:PORT": False, "localhost.evil.example": False, "127.0.0.1.evil.example": False, "127.0.0.1.nip.io": False,
    "evil.example.localhost.": False, "localhost.": False, "localhost..": False, "0.0.0.0": False, "0": False, "0x7f.1": False, "2130706433": False, "0177.0.0.1": False,
    "127.1": False, "[::ffff:127.0.0.1]": None, "[::]": False, "[::1].evil.example": False, "[::1": False, "[::1]evil": False, "[fe80::1%25lo]": False,
    "localhost@evil.example": False, "evil.example@localhost": False, "localhost/evil": False, "localhost#evil": False, "localhost:80:80": False, "localhost:": None,
    "localhost:port": False, "169.254.169.254": False, "192.168.1.1": False, "localhost, evil.example": False, "local\u0068ost\t.evil": False,
}
ORIGINS = {  # Origin: whether pages of it may use the endpoint
    "http://localhost": True, "http://localhost:3000": True, "http://127.0.0.1:PORT": True, "https://localhost": True, "http://[::1]:5173": True,
    "null": False, "": False, "http://evil.example": False, "https://evil.example": False, "http://localhost.evil.example": False, "http://evil.example:PORT": False,
    "http://127.0.0.1.nip.io": False, "http://localhost@evil.example": False, "http://evil.example/localhost": False, "http://evil.example#localhost": False,
    "http://evil.example?localhost": False, "file://": False, "http://": False, "localhost": False, "http://localhost/path": False, "http://localhost.": False,
    "http://[::1].evil.example": False, "http://0.0.0.0": False, "http://169.254.169.254": False, "http://localhost http://evil.example": False,
    "http://evil.example http://localhost": False, "http://localhost, http://evil.example": False, "http://evil.example://localhost": False, "http://loc\u0430lhost": False,
}


def page(name, what, outcome, owasp="MCP07"):
    return attack(name, owasp, PAGE, what, outcome)


def recorded(scene):
    """A server that notes what reaches it, and the gateway's arguments."""
    record = scene.folder / "record"
    record.touch()
    return record, ("--config", write_config(scene.folder, {"good": server("--tools", 1, "--record", record)}))


@page("dns-rebinding", f"resolves its own name to 127.0.0.1: {len(HOSTS)} forms of Host", "403 for every name that is not of this machine, on every path")
def dns_rebinding(scene):
    _, arguments = recorded(scene)
    with scene.serving(*arguments) as g:
        g.wait_ready()
        body, headers = stateless("tools/list")
        for host, mine in HOSTS.items():
            value = host.replace("PORT", str(g.port)).encode()
            for method, path in (("POST", "/mcp"), ("GET", "/healthz"), ("GET", "/page/overview"), ("GET", "/"), ("GET", "/readyz"), ("GET", "/metrics")):
                text = body.encode() if method == "POST" else b""
                head = b"".join(f"{k}: {v}\r\n".encode() for k, v in headers.items()) if method == "POST" else b""
                got = g.raw(b"%s %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                            % (method.encode(), path.encode(), value, head, len(text), text))
                status = int(got[9:12])
                assert mine is None or (status == 200 if mine else status in (400, 403)), (host, path, got[:200])


@page("origins", f"sends requests with {len(ORIGINS)} forms of Origin", "403 unless the page is of this machine; no CORS header for others")
def origins(scene):
    record, arguments = recorded(scene)
    with scene.serving(*arguments) as g:
        g.wait_ready()
        body, headers = stateless("tools/call", {"name": "good__tool0", "arguments": {}})
        for origin, allowed in ORIGINS.items():
            before = record.read_text().count("tools/call")
            value = origin.replace("PORT", str(g.port)).encode()
            head = b"".join(f"{k}: {v}\r\n".encode() for k, v in headers.items())
            got = g.raw(b"POST /mcp HTTP/1.1\r\nHost: localhost:%d\r\nOrigin: %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                        % (g.port, value, head, len(body), body.encode()))
            assert int(got[9:12]) in ((200,) if allowed else (400, 403)), (origin, got[:200])
            assert allowed or record.read_text().count("tools/call") == before, origin
            assert b"access-control-allow-origin" not in got.lower(), (origin, got[:500])


@page("csrf-simple-requests", "posts calls as text/plain, as a form and without a type, which browsers send without a preflight", "refused; no tool runs")
def csrf_simple_requests(scene):
    record, arguments = recorded(scene)
    with scene.serving(*arguments) as g:
        g.wait_ready()
        body, headers = stateless("tools/call", {"name": "good__tool0", "arguments": {}})
        kinds = ["text/plain", "text/plain; charset=application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None,
                 "text/plain, application/json", "application/json-seq", "application/jsonp", "application/x-json", ""]
        for kind in kinds:
            for more in ({}, {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, {"Origin": "null"}):
                sent = {k: v for k, v in {**headers, "Content-Type": kind, **more}.items() if v is not None}
                status = g.request("POST", "/mcp", body, sent)[0]
                assert status in (400, 403, 415), (kind, more, status)
        for path in (f"/mcp?body={body}", "/mcp", "/mcp/good"):
            status = g.request("GET", path.replace(" ", "%20").replace('"', "%22"), None, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"})[0]
            assert status >= 400, (path[:20], status)
        assert "tools/call" not in record.read_text()


@page("cors-preflights", "asks for permission with preflights, also for private networks", "no permission for foreign pages")
def cors_preflights(scene):
    _, arguments = recorded(scene)
    with scene.serving(*arguments) as g:
        g.wait_ready()
        for path in ("/mcp", "/mcp/good", "/page/restart?server=good", "/page/overview", "/healthz", "/"):
            for method in ("POST", "GET", "DELETE", "PUT"):
                _, headers, _ = g.request("OPTIONS", path, None, {
                    "Origin": "http://evil.example", "Access-Control-Request-Method": method, "Access-Control-Request-Private-Network": "true",
                    "Access-Control-Request-Headers": "content-type,authorization,mcp-session-id"})
                allowed = {k.lower(): v for k, v in headers.items() if k.lower().startswith("access-control-allow")}
                assert "access-control-allow-origin" not in allowed and "access-control-allow-private-network" not in allowed, (path, method, allowed)


@page("reads-by-embedding", "embeds endpoints as scripts, frames, images and event streams", "refused, or of a type that browsers do not run or show there")
def reads_by_embedding(scene):
    _, arguments = recorded(scene)
    with scene.serving(*arguments) as g:
        g.wait_ready()
        for path in ("/page/overview", "/page/events", "/page/log?server=good", "/page/calls?server=good"):
            for dest in ("script", "iframe", "image", "empty", "style", "embed"):
                status = g.request("GET", path, None, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": dest})[0]
                assert status in (403, 404), (path, dest, status)
        for path in ("/", "/mcp"):
            _, headers, body = g.request("GET", path, None, {"Accept": "text/html"})
            assert "default-src 'none'" in headers.get("Content-Security-Policy", ""), (path, dict(headers))
            assert headers.get("X-Content-Type-Options") == "nosniff", (path, dict(headers))
            assert "frame-ancestors 'none'" in headers.get("Content-Security-Policy", "") or headers.get("X-Frame-Options"), path
        for path in ("/%3Cscript%3Ealert(1)%3C/script%3E", "/mcp/%3Cscript%3E", "/mcp/x?%3Cscript%3E"):
            for accept in ("text/html", "*/*"):
                _, headers, body = g.request("GET", path, None, {"Accept": accept})
                assert b"<script>" not in body or "json" in headers["Content-Type"], (path, body[:300])


@page("restart-by-form", "posts the restart of a server by a form, an image or a foreign script", "403; the server goes on", "MCP07")
def restart_by_form(scene):
    record, arguments = recorded(scene)
    with scene.serving(*arguments) as g:
        g.wait_ready()
        n = record.read_text().count('"initialize"')
        for headers in ({"Content-Type": "text/plain"}, {"Origin": "http://evil.example", "Mcptools-Page": "1"}, {"Origin": "null", "Mcptools-Page": "1"},
                        {"Sec-Fetch-Site": "cross-site", "Mcptools-Page": "1"}, {"Origin": f"http://127.0.0.1:{g.port}"}, {"Host": "evil.example", "Mcptools-Page": "1"}):
            status = g.request("POST", "/page/restart?server=good", "", headers)[0]
            assert status == 403, (headers, status)
        assert g.request("GET", "/page/restart?server=good", None, {"Mcptools-Page": "1"})[0] in (403, 405)
        assert record.read_text().count('"initialize"') == n
