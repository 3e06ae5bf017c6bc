"""Lists that a connected server does not give: asked for again, and told in every form."""

import json

import harness
from harness import Session, gateway, main, server, test, until, write_config


def run(folder, *arguments):
    done = harness.run(folder, *arguments)
    return done.returncode, done.stdout, done.stderr


def failing(folder, method="tools/list", *more, **keys):
    return "--config", write_config(folder, {"bad": server("--refuse", method, *more, **keys), "good": server("--name", "g")})


@test
def told_in_every_form(folder):
    config = failing(folder)
    words = 'tools/list: the server refused: "refused as asked" (code -32603)'
    status, out, _ = run(folder, *config, "status", "-o", "json")
    bad = json.loads(out)["servers"][0]
    assert status == 8 and bad["state"] == "connected", (status, out)
    assert bad["listErrors"] == [{"list": "tools", "kind": "server_error", "message": words}], bad
    status, out, _ = run(folder, *config, "status")
    assert status == 8 and f"warning:  {words}" in out, out
    for command in (["list"], ["tools"], ["tools", "--for", "openai"], ["list", "bad"], ["resources"]):
        status, out, err = run(folder, *config, *command, "-o", "json")
        assert status == 8, (command, status, out, err)
        assert {"kind": "server_error", "message": words, "server": "bad"} in json.loads(out)["errors"], (command, out)
        assert words in err, (command, err)
    with gateway(folder, *config) as g:
        ready = json.loads(until(lambda: (lambda r: r[2] if r[0] == 200 else None)(g.request("GET", "/readyz")), "ready"))
        assert ready["ready"] and ready["servers"][0]["listErrors"][0]["list"] == "tools", ready
        metrics = g.request("GET", "/metrics")[2].decode()
        assert 'mcptools_server_lists_failed{server="bad"} 1\n' in metrics, metrics
        assert 'mcptools_server_lists_failed{server="good"} 0\n' in metrics, metrics


@test
def a_required_server_without_its_tools_is_not_ready(folder):
    with gateway(folder, *failing(folder, required=True)) as g:
        until(lambda: b"listErrors" in g.request("GET", "/readyz")[2], "the list has failed")
        status, _, body = g.request("GET", "/readyz")
        assert status == 503 and not json.loads(body)["ready"], body


@test
def asked_for_again_until_it_succeeds(folder):
    record = folder / "record"
    with gateway(folder, *failing(folder, "tools/list", "--refuse-times", "2", "--record", str(record))) as g:
        g.wait_ready()
        session = Session(g)

        def names():
            return [t["name"] for t in session.call("tools/list")["tools"]]

        assert names() == ["good__gtool0", "good__gtool1", "good__gtool2"], names()
        until(lambda: "bad__tool0" in names(), "the tools are there")
        assert b"listErrors" not in g.request("GET", "/readyz")[2]
        asked = [line for line in record.read_text().splitlines() if "tools/list" in line]
        assert len(asked) == 3, asked


@test
def a_list_that_is_not_implemented_is_empty(folder):
    config = failing(folder, "resources/list", "--resources", "1", "--refuse-code", "32601")
    status, out, err = run(folder, *config, "list", "-o", "json")
    assert status == 0 and "errors" not in json.loads(out) and "warn" not in err, (status, out, err)
    assert run(folder, *config, "--log-level", "info", "list")[2].count(
        "server 'bad': it declares resources but does not implement resources/list") == 1
    config = failing(folder, "tools/list", "--refuse-code", "32601")
    assert run(folder, *config, "list")[0] == 8


if __name__ == "__main__":
    main()
