"""Server cards and the catalogue of them, which clients read before they connect."""

import json
import re

from harness import JSON, Session, Stream, gateway, main, run, server, test, until, write_config

TYPE, CATALOG = "application/mcp-server-card+json", "/.well-known/ai-catalog.json"
NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
TOKEN = {"Authorization": "Bearer the-token"}


def read(g, path, media, **headers):
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    status, came, body = g.request("GET", path, headers=sent)
    assert status == 200 and came["Content-Type"] == media, (path, status, body)
    return json.loads(body)


def card(g, path, **headers):
    it = read(g, path, TYPE, **headers)
    assert NAME.fullmatch(it["name"]) and it["version"] and 0 < len(it["description"]) <= 100, it
    assert it["$schema"].endswith("/v1/server-card.schema.json"), it
    return it


@test
def each_endpoint_has_a_card(folder):
    write_config(folder, {"a": server(), "b": server()})
    with gateway(folder) as g:
        host = f"127.0.0.1:{g.port}"
        whole, one = card(g, "/mcp/server-card"), card(g, "/mcp/b/server-card")
        assert whole["name"] == "localhost/mcptools" and one["name"] == "localhost/b", (whole, one)
        [remote] = one["remotes"]
        assert remote["type"] == "streamable-http" and remote["url"] == f"http://{host}/mcp/b", remote
        assert remote["supportedProtocolVersions"][0] == "2026-07-28" and "headers" not in remote, remote
        assert card(g, "/b/mcp/server-card") == one
        for path in ("/mcp/none/server-card", "/server-card"):
            assert g.request("GET", path)[0] == 404, path
        assert g.request("POST", "/mcp/server-card", body="{}")[0] == 405


@test
def a_card_says_what_the_server_says_of_itself(folder):
    write_config(folder, {"a": server()})
    with gateway(folder) as g:
        g.wait_ready()
        info = Session(g, "/mcp/a").info["serverInfo"]
        it = card(g, "/mcp/a/server-card")
        assert it["version"] == info["version"] and it["title"] == info.get("title", "a"), (it, info)


@test
def the_catalogue_lists_the_cards(folder):
    write_config(folder, {"a": server(), "b": server()})
    with gateway(folder) as g:
        listed = read(g, CATALOG, "application/ai-catalog+json")
        urls = [entry["url"] for entry in listed["entries"]]
        host = f"http://127.0.0.1:{g.port}"
        assert urls == [f"{host}/mcp/server-card", f"{host}/mcp/a/server-card", f"{host}/mcp/b/server-card"], listed
        assert [entry["identifier"] for entry in listed["entries"]] == [
            f"urn:air:localhost:mcp:{name}" for name in ("mcptools", "a", "b")], listed
        assert {entry["type"] for entry in listed["entries"]} == {TYPE} and listed["specVersion"] == "1.0", listed


@test
def names_of_servers_need_a_token(folder):
    settings = {"serve": {"tokens": [{"token": "the-token", "name": "ada"}]}}
    write_config(folder, {"secret": server()}, settings)
    with gateway(folder) as g:
        [entry] = read(g, CATALOG, "application/ai-catalog+json")["entries"]
        assert entry["url"].endswith("/mcp/server-card"), entry
        [header] = card(g, "/mcp/server-card")["remotes"][0]["headers"]
        assert header["name"] == "Authorization" and header["isSecret"] is True, header
        assert g.request("GET", "/mcp/secret/server-card")[0] == g.request("GET", "/mcp/none/server-card")[0] == 401
        assert len(read(g, CATALOG, "application/ai-catalog+json", **TOKEN)["entries"]) == 2
        assert card(g, "/mcp/secret/server-card", **TOKEN)["name"] == "localhost/secret"


@test
def behind_a_proxy_the_names_are_those_of_its_host(folder):
    settings = {"serve": {"hosts": ["tools.example.com"]}}
    write_config(folder, {"a b": server()}, settings)
    with gateway(folder) as g:
        it = card(g, "/mcp/server-card", Host="tools.example.com", X_Forwarded_Proto="https")
        assert it["name"] == "com.example.tools/mcptools", it
        assert it["remotes"][0]["url"] == "https://tools.example.com/mcp", it
        entries = read(g, CATALOG, "application/ai-catalog+json", Host="tools.example.com")["entries"]
        assert entries[1]["url"] == "http://tools.example.com/mcp/a%20b/server-card", entries
        assert entries[1]["identifier"] == "urn:air:tools.example.com:mcp:a-20b", entries
        assert g.request("GET", "/mcp/server-card", headers={"Host": "evil.example"})[0] == 403


@test
def names_in_urls_are_percent_encoded(folder):
    write_config(folder, {"Google Drive": server(), "häuser": server(), "don't (x)": server()},
                 {"serve": {"legacy_sse": True}})
    with gateway(folder) as g:
        g.wait_ready()
        assert f":{g.port}/mcp/Google%20Drive\n" in g.text() and "/mcp/h%C3%A4user\n" in g.text(), g.text()
        for path in ("/mcp/Google%20Drive", "/Google%20Drive/mcp", "/mcp/h%C3%A4user", "/mcp/h%c3%a4user", "/mcp/don't%20(x)",
                     "/mcp/don%27t%20%28x%29", "/mcp/%47oogle%20Drive", "/mcp/Google%20Drive/", "/mcp/"):
            assert Session(g, path).info["serverInfo"], path
        assert read(g, "/mcp/Google%20Drive/server-card", TYPE)["name"] == "localhost/Google-20Drive"
        for path in ("/mcp/Google", "/mcp/Google%20Driv", "/mcp/Google%20Drive%20", "/mcp/Google+Drive", "/mcp/Google%2",
                     "/mcp/%00", "/mcp//"):
            assert g.request("POST", path, "{}", JSON)[0] == 404, path
        with Stream(g, "GET", "/sse/Google%20Drive", {"Accept": "text/event-stream"}) as stream:
            stream.until(b"event: endpoint")


@test
def a_removed_server_has_no_endpoint(folder):
    write_config(folder, {"a": server(), "b": server()})
    with gateway(folder) as g:
        g.wait_ready()
        s = Session(g, "/mcp/b")
        write_config(folder, {"a": server()})
        until(lambda: g.request("GET", "/mcp/b/server-card")[0] == 404, "the server is removed")
        assert s.post("tools/list")[0] == 404 and g.request("POST", "/b/mcp", "{}", JSON)[0] == 404
        assert [entry["identifier"][-2:] for entry in read(g, CATALOG, "application/ai-catalog+json")["entries"]] == ["ls", ":a"]
        write_config(folder, {"a": server(), "b": server()})
        until(lambda: g.request("GET", "/mcp/b/server-card")[0] == 200, "the server is back")
        assert Session(g, "/mcp/b").call("tools/list")["tools"]


@test
def a_server_cannot_have_the_name_of_the_card(folder):
    config = write_config(folder, {"server-card": server()})
    assert "no server may have the name server-card" in run(folder, "config", "check").stdout


main()
