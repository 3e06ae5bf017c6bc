"""The tools of nexo where they meet the program: credentials, what can be left out, URIs that may not be read."""

import json

from guarded import guard
from harness import Session, gateway, main, run, server, test, until, write_config


def tool(g_or_folder, name, arguments, config=None):
    """The text of a tool's result, and whether it is an error."""
    if config:
        done = run(g_or_folder, "call", name, "--dialect", "nexo", "--config", config, "--args", json.dumps(arguments), "-o", "json")
        result = json.loads(done.stdout)
    else:
        result = Session(g_or_folder, "/mcp?dialect=nexo").call("tools/call", {"name": name, "arguments": arguments})
    return result["content"][0]["text"], result.get("isError", False)


@test
def auth_is_true_on_the_command_line(folder):
    with guard() as s:
        config = write_config(folder, {"good": s.entry("good"), "bad": s.entry("bad"), "open": server(),
                                       "dead": {"type": "http", "url": "http://127.0.0.1:9/mcp", "auth": {"type": "bearer", "token": "t"}}})
        assert tool(folder, "McpAuth", {"server": "good", "op": "status"}, config) == ('{"state":"authenticated"}', False)
        assert tool(folder, "McpAuth", {"server": "bad", "op": "status"}, config) == ('{"state":"unauthorised"}', False)
        text, is_error = tool(folder, "McpAuth", {"server": "dead", "op": "status"}, config)
        assert is_error and "`dead` is not connected: its credentials were not tried: " in text, text
        assert "connect to 127.0.0.1" in text, text
        text, is_error = tool(folder, "McpAuth", {"server": "open", "op": "status"}, config)
        assert is_error and text == "McpAuth: no authentication configured for MCP server `open`", text


@test
def auth_is_true_after_the_token_stopped_working(folder):
    with guard() as s, gateway(folder, "--config", write_config(folder, {"s": s.entry("good")})) as g:
        g.wait_ready()
        status = lambda: tool(g, "McpAuth", {"server": "s", "op": "status"})[0]
        read = lambda: tool(g, "ReadMcpResource", {"server": "s", "uri": "g://1"})
        assert status() == '{"state":"authenticated"}'
        s.token = "another"
        text, is_error = read()
        assert is_error and "HTTP 401" in text, text
        assert status() == '{"state":"unauthorised"}'
        s.token = "good"
        until(lambda: not read()[1], "the server answers again")
        assert status() == '{"state":"authenticated"}'


def offered(folder, config, *options):
    done = run(folder, "tools", "--dialect", "nexo", "--config", config, "-o", "json", *options)
    return [t["name"] for t in json.loads(done.stdout)["tools"]]


@test
def tools_can_be_left_out(folder):
    for settings in ({"mcp": {"auth_tool": False}}, {"policy": {"deny": ["McpAuth"]}}, {"policy": {"deny": ["*auth"]}}):
        config = write_config(folder, {"s": server("--tools", 1)}, settings)
        assert offered(folder, config) == ["tool0", "ListMcpResources", "ReadMcpResource"], settings
        with gateway(folder, "--config", config, "--dialect", "nexo") as g:
            g.wait_ready()
            s = Session(g)
            assert [t["name"] for t in s.call("tools/list")["tools"]][1:] == ["ListMcpResources", "ReadMcpResource"]
            said = s.post("tools/call", {"name": "McpAuth", "arguments": {"server": "s", "op": "status"}})[2]
            assert b"-32602" in said, said
    done = run(folder, "call", "McpAuth", "server=s", "op=status", "--dialect", "nexo", "--config",
               write_config(folder, {"s": server()}, {"policy": {"deny": ["McpAuth"]}}))
    assert done.returncode == 7, done
    # neither a lone `*` nor an `allow` is about resource tools
    config = write_config(folder, {"s": server("--tools", 1)}, {"policy": {"deny": ["*"], "allow": ["x"]}})
    assert offered(folder, config) == ["ListMcpResources", "ReadMcpResource", "McpAuth"]


@test
def no_way_of_reading_passes_the_allow_list(folder):
    config = write_config(folder, {"s": server("--resources", 2), "t": server()}, {"mcp": {"resource_uri_allowlist": ["https"]}})
    for arguments in (("read", "test://resource/0"), ("read", "s", "test://resource/0"),
                      ("agent", "read", "test://resource/0"),
                      ("call", "ReadMcpResource", "--dialect", "nexo", "server=s", "uri=test://resource/0"),
                      ("call", "s__read_resource", "--dialect", "servers", "uri=test://resource/0"),
                      ("call", "mcp_read_resource", "--dialect", "bridge", "uri=test://resource/0")):
        done = run(folder, *arguments, "--config", config)
        said = done.stdout + done.stderr
        assert "is not allowed by resource_uri_allowlist" in said, (arguments, done)
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        for path, method in (("/mcp", "resources/read"), ("/mcp/s", "resources/read"), ("/mcp", "resources/subscribe")):
            said = Session(g, path).post(method, {"uri": "test://resource/0"})[2]
            assert b"resource_uri_allowlist" in said, (path, method, said)


main()
