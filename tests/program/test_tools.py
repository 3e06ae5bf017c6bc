"""The tools clients get, the block for prompts, and what resource tools cost."""

import json
import pathlib

from harness import main, run, server, test, write_config

ROOT = pathlib.Path(__file__).resolve().parents[2]


@test
def the_table_in_the_documentation_is_what_the_command_prints(folder):
    text = (ROOT / "docs/RESOURCE_TOOLS.md").read_text()
    written = text.split("<!-- begin: mcptools tools --cost -->\n")[1].split("<!-- end -->")[0]
    done = run(folder, "tools", "--cost")
    assert done.returncode == 0, done.stderr
    assert done.stdout == written, "put this into docs/RESOURCE_TOOLS.md:\n" + done.stdout


@test
def cost_as_json(folder):
    rows = json.loads(run(folder, "tools", "--cost", "-o", "json").stdout)["rows"]
    assert [r["servers"] for r in rows] == [1, 3, 10, 50] and not any(r["configured"] for r in rows)
    first, last = rows[0]["dialects"], rows[-1]["dialects"]
    assert first["nexo"] == last["nexo"] and last["servers"]["bytes"] > 40 * first["servers"]["bytes"]
    for row in rows:
        for cost in row["dialects"].values():
            assert cost["tokens"] == (cost["bytes"] + 3) // 4 and cost["bytes"] > 2


@test
def cost_of_what_is_configured(folder):
    config = write_config(folder, {"one": server("--resources", 3), "two": server("--resources", 2), "none": server("--tools", 1),
                                   "dead": {"command": "no-such-program-anywhere"}})
    done = run(folder, "tools", "--cost", "--config", config, "-o", "json")
    assert done.returncode == 8, done.stderr
    row = json.loads(done.stdout)["rows"][-1]
    assert row["configured"] and row["servers"] == 4 and row["resources"] == 5, row
    # what is counted is what is listed
    for dialect in "nexo", "codex", "bridge", "claude", "servers":
        listed = run(folder, "tools", "--dialect", dialect, "--mode", "router", "--config", config, "-o", "json").stdout
        tools = listed[listed.index("["):listed.index(',"errors"')]
        assert row["dialects"][dialect]["bytes"] == len(tools.encode()), (dialect, tools)
    assert "| 4 (configured) | 5 |" in run(folder, "tools", "--cost", "--config", config).stdout


@test
def tools_as_clients_get_them(folder):
    config = write_config(folder, {"one": server("--tools", 1, "--resources", 1, "--name", "o_"), "two": server("--tools", 1)})
    names = lambda *words: [t["name"] for t in json.loads(run(folder, "tools", "--config", config, "-o", "json", *words).stdout)["tools"]]
    assert names() == ["one__o_tool0", "two__tool0"]
    assert names("--dialect", "claude") == ["one__o_tool0", "two__tool0", "ListMcpResourcesTool", "ReadMcpResourceTool"]
    assert names("--dialect", "claude", "--mode", "router") == ["ListMcpResourcesTool", "ReadMcpResourceTool"]
    assert names("--prefix", "never") == ["o_tool0", "tool0"]
    text = run(folder, "tools", "--config", config, "--dialect", "bridge")
    assert text.returncode == 0 and "mcp_read_resource\n    Read content from an MCP resource." in text.stdout, text
    assert run(folder, "tools", "--dialect", "klingon").returncode == 1
    assert run(folder, "tools", "--prompt", "--cost").returncode == 1


@test
def the_block_for_a_prompt(folder):
    config = write_config(folder, {"one": server("--resources", 2)})
    done = run(folder, "tools", "--prompt", "--config", config)
    assert done.returncode == 0 and done.stdout.startswith("\nResource Access Guidelines:\n1. Use the"), done
    assert "   URI: test://resource/1\n" in done.stdout, done.stdout
    assert json.loads(run(folder, "tools", "--prompt", "--config", config, "-o", "json").stdout)["prompt"] == done.stdout


if __name__ == "__main__":
    main()
