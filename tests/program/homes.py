"""A home folder in which every client program has servers: the files of each, with the names of the servers in them."""

import json


def entries(*names, **members):
    return {name: {"command": "true", "args": [name], **members} for name in names}


def servers(*names, **members):
    return {"mcpServers": entries(*names, **members)}


# (client, file below the home folder, or below the project if it begins with "./", content, names)
def files(project):
    claude = {**servers("claude-user", "claude-off"), "numStartups": 4,
              "projects": {str(project): {**servers("claude-local"), "disabledMcpServers": ["claude-off"],
                                          "enabledMcpjsonServers": ["mcpjson"], "disabledMcpjsonServers": ["mcpjson-off"]},
                           "/elsewhere": servers("claude-elsewhere")}}
    code = ".config/Code/User"
    return [
        ("claude-desktop", ".config/Claude/claude_desktop_config.json", servers("desktop", env={"A": "${LITERAL}"}), ["desktop"]),
        ("claude-code", ".claude.json", claude, ["claude-user", "claude-off", "claude-local"]),
        ("claude-code", "./.mcp.json", servers("mcpjson", "mcpjson-off", "mcpjson-new"), ["mcpjson", "mcpjson-off", "mcpjson-new"]),
        ("cursor", ".cursor/mcp.json", servers("cursor-user"), ["cursor-user"]),
        ("cursor", "./.cursor/mcp.json", servers("cursor-project"), ["cursor-project"]),
        ("vscode", f"{code}/mcp.json", {"servers": entries("code-user"), "inputs": []}, ["code-user"]),
        ("vscode", f"{code}/profiles/a1/mcp.json", {"servers": entries("code-profile")}, ["code-profile"]),
        ("vscode", ".config/Code - Insiders/User/mcp.json", {"servers": entries("code-insiders")}, ["code-insiders"]),
        ("vscode", ".vscode-server/data/User/mcp.json", {"servers": entries("code-remote")}, ["code-remote"]),
        ("vscode", f"{code}/settings.json", '{ "editor.fontSize": 12, // old\n "mcp": {"servers": ' + json.dumps(entries("code-old")) + ",}, }", ["code-old"]),
        ("vscode", "./.vscode/mcp.json", "// of the team\n" + json.dumps({"servers": entries("code-project")}), ["code-project"]),
        ("vscode", "./x.code-workspace", {"folders": [], "settings": {"mcp": {"servers": entries("code-workspace")}}}, ["code-workspace"]),
        ("vscode", "./.devcontainer/devcontainer.json", {"customizations": {"vscode": {"mcp": {"servers": entries("code-container")}}}}, ["code-container"]),
        ("windsurf", ".codeium/windsurf/mcp_config.json", servers("windsurf"), ["windsurf"]),
        ("windsurf", ".codeium/windsurf-next/mcp_config.json", servers("windsurf-next"), ["windsurf-next"]),
        ("windsurf", ".codeium/mcp_config.json", servers("windsurf-jetbrains"), ["windsurf-jetbrains"]),
        ("devin", ".config/devin/mcp_config.json", servers("devin"), ["devin"]),
        ("codex", ".codex/config.toml", "model = 'x'\n[mcp_servers.codex-user]\ncommand = 'true'\nargs = ['${LITERAL}']\n", ["codex-user"]),
        ("codex", "./.codex/config.toml", "mcp_servers.codex-project = {command = 'true', args = ['codex']}\n", ["codex-project"]),
        ("gemini", ".gemini/settings.json", {**servers("gemini-user", "gemini-off", "Gemini-off2"), "mcp": {"excluded": ["gemini-off"]}}, ["gemini-user", "gemini-off", "Gemini-off2"]),
        ("gemini", ".gemini/mcp-server-enablement.json", {"gemini-off2": {"enabled": False}}, []),
        ("gemini", ".gemini/extensions/e/gemini-extension.json", servers("gemini-extension"), ["gemini-extension"]),
        ("gemini", "./.gemini/settings.json", servers("gemini-project"), ["gemini-project"]),
        ("opencode", ".config/opencode/opencode.json", {"mcp": {"opencode-user": {"type": "local", "command": ["true", "oc"]}}}, ["opencode-user"]),
        ("opencode", ".config/opencode/opencode.jsonc", '{"mcp": {"opencode-c": {"type": "local", "command": ["true", "c"]},}, } // x', ["opencode-c"]),
        ("opencode", ".config/opencode/config.json", {"mcp": {"servers": {"opencode-next": {"type": "local", "command": ["true", "n"]}}}}, ["opencode-next"]),
        ("opencode", "./opencode.json", {"mcp": {"opencode-project": {"type": "local", "command": ["true", "p"]}}}, ["opencode-project"]),
        ("opencode", "./.opencode/opencode.jsonc", {"mcp": {"opencode-dot": {"type": "local", "command": ["true", "d"]}}}, ["opencode-dot"]),
        ("copilot", ".copilot/mcp-config.json", servers("copilot", "copilot-off", tools=["*"]), ["copilot", "copilot-off"]),
        ("copilot", ".copilot/settings.json", {"disabledMcpServers": ["copilot-off"]}, []),
        ("copilot", "./.github/mcp.json", servers("copilot-project"), ["copilot-project"]),
        ("zed", ".config/zed/settings.json", '// Zed\n{"context_servers": ' + json.dumps(entries("zed-user", env={"A": "${LITERAL}"})) + ",}", ["zed-user"]),
        ("zed", "./.zed/settings.json", {"context_servers": entries("zed-project")}, ["zed-project"]),
        ("junie", ".junie/mcp/mcp.json", servers("junie"), ["junie"]),
        ("junie", "./.junie/mcp/mcp.json", servers("junie-project"), ["junie-project"]),
        ("cline", ".cline/data/settings/cline_mcp_settings.json", servers("cline", disabled=True), ["cline"]),
        ("cline", f"{code}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", servers("cline-old"), ["cline-old"]),
        ("roo", f"{code}/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", servers("roo"), ["roo"]),
        ("roo", "./.roo/mcp.json", servers("roo-project"), ["roo-project"]),
        ("kilo", ".config/kilo/kilo.jsonc", {"mcp": {"kilo": {"type": "local", "command": ["true", "k"]}}}, ["kilo"]),
        ("continue", ".continue/config.yaml", "name: Me\nmcpServers:\n  - name: continue user\n    command: 'true'\n    args: [cu]\n    env:\n      T: ${{ secrets.T }}\n  - uses: owner/block\n", ["continue user"]),
        ("continue", ".continue/mcpServers/a.yaml", "mcpServers:\n- name: continue-dropped\n  url: https://c.example/mcp\n  type: streamable-http\n  apiKey: ${{ secrets.K }}\n", ["continue-dropped"]),
        ("continue", ".continue/mcpServers/b.json", servers("continue-json"), ["continue-json"]),
        ("continue", "./.continue/mcpServers/c.yaml", "mcpServers:\n- {name: continue-project, command: 'true', args: [cp]}\n", ["continue-project"]),
        ("goose", ".config/goose/config.yaml", "extensions:\n  developer:\n    type: builtin\n    enabled: true\n  goose:\n    enabled: true\n    type: stdio\n    name: goose\n    cmd: 'true'\n    args: [g]\n"
         "    env_keys: [GOOSE_KEY]\n    timeout: 300\n  goose-off:\n    enabled: false\n    type: streamable_http\n    uri: https://g.example/mcp\n", ["goose", "goose-off"]),
        ("amazonq", ".aws/amazonq/mcp.json", servers("q"), ["q"]),
        ("amazonq", ".aws/amazonq/cli-agents/a.json", {"name": "a", **servers("q-agent", timeout=120000)}, ["q-agent"]),
        ("amazonq", "./.amazonq/mcp.json", servers("q-project"), ["q-project"]),
        ("kiro", ".kiro/settings/mcp.json", servers("kiro"), ["kiro"]),
        ("kiro", "./.kiro/settings/mcp.json", servers("kiro-project"), ["kiro-project"]),
        ("lmstudio", ".lmstudio/mcp.json", servers("lmstudio", env={"A": "${LITERAL}"}), ["lmstudio"]),
        ("lmstudio", ".cache/lm-studio/mcp.json", servers("lmstudio-old"), ["lmstudio-old"]),
        ("warp", ".warp/.mcp.json", entries("warp"), ["warp"]),
        ("warp", ".agents/.mcp.json", {"mcp_servers": entries("warp-agents")}, ["warp-agents"]),
        ("warp", "./.warp/.mcp.json", {"mcp": {"servers": entries("warp-project")}}, ["warp-project"]),
        ("mcporter", ".config/mcporter/mcporter.json", servers("mcporter"), ["mcporter"]),
        ("mcporter", ".mcporter/mcporter.jsonc", servers("mcporter-old"), ["mcporter-old"]),
        ("mcporter", "./config/mcporter.json", servers("mcporter-project"), ["mcporter-project"]),
        ("openclaw", ".openclaw/openclaw.json", "{mcp: {servers: {openclaw: {command: 'true', args: ['o']}}}}", ["openclaw"]),
        ("nexo", "./config/mcp.yaml", "mcp:\n  servers:\n    nexo:\n      transport: stdio\n      command: 'true'\n      args: [nexo]\n", ["nexo"]),
        ("antigravity", ".gemini/antigravity/mcp_config.json", {"mcpServers": {"antigravity": {"serverUrl": "https://a.example/mcp"}}}, ["antigravity"]),
        ("amp", ".config/amp/settings.json", {"amp.mcpServers": entries("amp")}, ["amp"]),
        ("crush", ".config/crush/crush.json", {"mcp": {"crush": {"type": "stdio", "command": "true", "args": ["crush"]}}}, ["crush"]),
        ("droid", ".factory/mcp.json", servers("droid", type="stdio"), ["droid"]),
        ("kimi", ".kimi-code/mcp.json", servers("kimi"), ["kimi"]),
        ("qwen", ".qwen/settings.json", {"mcpServers": {"qwen": {"httpUrl": "https://q.example/mcp"}}}, ["qwen"]),
        ("grok", ".grok/config.toml", "[mcp_servers.grok]\ncommand = 'true'\nargs = ['grok']\n", ["grok"]),
        ("hermes", ".hermes/config.yaml", "mcp_servers:\n  hermes:\n    command: 'true'\n    args: [h]\n", ["hermes"]),
        ("pi", ".pi/agent/mcp.json", servers("pi"), ["pi"]),
    ]


OFF = {"claude-off", "mcpjson-off", "mcpjson-new", "gemini-off", "Gemini-off2", "copilot-off", "cline", "goose-off"}


def furnish(home, only=None):
    """Writes the files; returns the project folder and {name of a server: client}."""
    project = home.resolve() / "project"
    project.mkdir()
    names = {}
    for client, path, content, found in files(project):
        if only and client not in only:
            continue
        file = project / path[2:] if path.startswith("./") else home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
        file.chmod(0o600)
        names.update({name: client for name in found})
    return project, names
