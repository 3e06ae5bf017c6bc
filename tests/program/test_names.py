"""Names of tools: when they have the prefix of their server, and of which form it is."""

import json

from harness import Session, gateway, main, run, server, test, write_config


def names(folder, *arguments):
    done = run(folder, *arguments[:2], "tools", "-o", "json", *arguments[2:])
    assert done.returncode == 0, (done.stdout, done.stderr)
    return [t["name"] for t in json.loads(done.stdout)["tools"]]


def config(folder, *servers, settings=None):
    return "--config", write_config(folder, {s: server("--tools", "1") for s in servers}, settings)


@test
def prefixes_of_one_server_and_of_two(folder):
    for prefix, one, two in (
            ("auto", ["tool0"], ["a__tool0", "b__tool0"]),
            ("always", ["a__tool0"], ["a__tool0", "b__tool0"]),
            ("conflict", ["tool0"], ["a__tool0", "b__tool0"]),
            ("never", ["tool0"], None)):
        assert names(folder, *config(folder, "a"), "--prefix", prefix) == one, prefix
        found = names(folder, *config(folder, "a", "b"), "--prefix", prefix)
        assert found == two or (not two and len({*found}) == 2 and all(n.startswith("tool0_") for n in found)), (prefix, found)
    assert names(folder, *config(folder, "a")) == ["tool0"]


@test
def conflict_is_between_two_servers(folder):
    path = write_config(folder, {"a": server("--tools", "0", "--tool-name", "x.y"), "b": server("--tools", "1")})
    assert names(folder, "--config", path, "--prefix", "conflict") == ["x_y", "tool0"]


@test
def always_does_not_hold_for_the_endpoint_of_one_server(folder):
    with gateway(folder, *config(folder, "a"), "--prefix", "always") as g:
        g.wait_ready()
        of = {path: [t["name"] for t in Session(g, path).call("tools/list")["tools"]] for path in ("/mcp", "/mcp/a")}
        assert of == {"/mcp": ["a__tool0"], "/mcp/a": ["tool0"]}, of


@test
def the_scheme_nexo_has_its_own_separator(folder):
    nexo = config(folder, "a", "b", settings={"names": {"scheme": "nexo"}})
    assert names(folder, *nexo) == ["mcp_a_tool0", "mcp_b_tool0"]
    done = run(folder, *nexo, "call", "mcp_b_tool0", "-o", "raw")
    assert (done.returncode, done.stdout.strip()) == (0, "ok"), done


@test
def a_tool_with_the_name_of_a_resource_tool_gets_its_prefix(folder):
    path = write_config(folder, {"a": server("--tools", "1", "--tool-name", "list_mcp_resources")})
    found = names(folder, "--config", path, "--dialect", "codex")
    assert "a__list_mcp_resources" in found and "list_mcp_resources" in found and "tool0" in found, found


if __name__ == "__main__":
    main()
