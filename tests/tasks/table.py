"""The tasks: what a person finds at first, what the last screen must show, and the commands with each program.

A command is a text, or a text with (question, answer) pairs for what the program asks. REGISTRY is the base URL of a
registry. A person without a command for a step edits a file; such a step is a shell command here."""

import dataclasses


@dataclasses.dataclass
class Task:
    title: str
    about: str
    goal: str  # regular expression over the screen
    ours: list
    theirs: list
    status: int = 0  # exit status, besides 0, that commands of ours may have
    files: dict = dataclasses.field(default_factory=dict)  # below the home folder; objects become JSON


EVERYTHING = {"command": "everything", "args": []}
BROKEN = {"command": "broken-server", "args": []}


def both(**servers):
    """The same servers configured for both programs."""
    return {"project/mcptools.json": {"mcpServers": servers}, "project/config/mcporter.json": {"mcpServers": servers, "imports": []}}


CURSOR_TEN = {"mcpServers": {f"server{n}": {"command": "memory", "args": [], "env": {"N": str(n)}} for n in range(1, 11)}}

TASKS = [
    Task("Make a first call",
         "Nothing is configured. A server is on the machine, and one of its tools is called.",
         r"Echo: hi",
         ["mcptools call --stdio everything echo message=hi"],
         ["mcporter call --stdio everything echo message=hi"]),
    Task("Add a server and see its tools",
         "The server is kept in the configuration, and its tools are shown.",
         r"echo",
         ["mcptools add --yes -- everything"],
         ["mcporter config add everything --command everything", "mcporter list everything"]),
    Task("Take over ten servers of Cursor",
         "Cursor is set up with ten servers. They are copied into the own configuration, so that it can be changed alone.",
         r"server10",
         ["mcptools config import cursor"],
         ["mcporter config import cursor --copy"],
         files={".cursor/mcp.json": CURSOR_TEN}),
    Task("Add GitHub's server from a registry",
         "The person knows the word GitHub. The server is found, and its entry is written without the token in it.",
         r"(?s)githubcopilot.*github",
         [("mcptools add --no-check --via remote io.github.github/github-mcp-server", [("when the server", ""), ("[Y/n", "")])],
         ["curl -s 'REGISTRY/v0.1/servers?search=github&version=latest&limit=10' | tr , '\\n' | grep -e '\"url\"' -e '\"name\"'",
          "mcporter config add github https://api.githubcopilot.com/mcp/ --header 'Authorization=Bearer ${GITHUB_PAT}'",
          "mcporter config get github"]),
    Task("Find out why a server does not start",
         "A server in the configuration ends at once. The reason is in what it writes to stderr.",
         r"DATABASE_URL is not set",
         ["mcptools status broken"],
         ["mcporter list broken", "broken-server"],
         4, both(broken=BROKEN)),
    Task("Add a server to a running gateway",
         "Servers are kept running in the background. One more is added and used at once.",
         r'"entities"|entities',
         ["mcptools daemon start", "mcptools config add memory -- memory", "mcptools call memory.read_graph"],
         ["mcporter daemon start", "mcporter config add memory --command memory", "mcporter daemon restart",
          "mcporter call memory.read_graph"],
         files=both(ev={**EVERYTHING, "lifecycle": "keep-alive"})),
    Task("Let Cursor use all servers",
         "Cursor has an entry of its own, which stays. It gets one entry that leads to all configured servers.",
         r'(?s)(?=.*"mine")(?=.*"(mcptools|mcporter)":)',
         ["mcptools install cursor --yes", "cat ~/.cursor/mcp.json"],
         ["cp ~/.cursor/mcp.json ~/.cursor/mcp.json.bak",
          "sed -i 's/\"mcpServers\": {/&\\n    \"mcporter\": { \"command\": \"mcporter\", \"args\": [\"serve\", \"--stdio\"] },/' ~/.cursor/mcp.json",
          "cat ~/.cursor/mcp.json"],
         files={**both(ev=EVERYTHING), ".cursor/mcp.json": {"mcpServers": {"mine": {"command": "memory"}}}}),
    Task("Read a resource whose server is not known",
         "The person has a URI. Several servers are configured.",
         r"plaintext resource",
         ["mcptools read demo://resource/dynamic/text/1"],
         ["mcporter resource memory", "mcporter resource ev | grep text", "mcporter resource ev demo://resource/dynamic/text/1"],
         files=both(memory={"command": "memory", "args": []}, ev=EVERYTHING)),
    Task("Switch a server off for a while",
         "The server is not started any more, and can be switched on again as it was.",
         r"(?s)ev",
         ["mcptools config disable broken", "mcptools list"],
         ["mcporter config get broken --json > broken.json", "mcporter config remove broken", "mcporter list"],
         files=both(ev=EVERYTHING, broken=BROKEN)),
    Task("Make three calls in a row, quickly",
         "The server is kept running between the calls.",
         r"(?s)Echo: 1.*Echo: 2.*Echo: 3",
         ["mcptools daemon start", *(f"mcptools call ev.echo message={n}" for n in (1, 2, 3))],
         ["sed -i 's/\"args\": \\[\\]/&, \"lifecycle\": \"keep-alive\"/' config/mcporter.json", "mcporter daemon start",
          *(f"mcporter call ev.echo message={n}" for n in ("1", "2", "3"))],
         files=both(ev=EVERYTHING)),
]
