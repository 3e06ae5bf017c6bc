"""Compares the dialect `codex` with Codex itself: the same servers, the same calls, byte for byte. TAP on stdout.

compare.py MCPTOOLS                        with what Codex answered when it was recorded (recorded.json)
compare.py MCPTOOLS --record CODEX         asks the program CODEX, and keeps its answers
compare.py MCPTOOLS --table                prints the table of docs/internals/resources.md; the test compares it
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from calls import NO_EVENT_IN_CODEX, REASONS, SCENES
from model import Model

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "recorded.json"
PAGE = HERE.parents[1] / "docs/internals/resources.md"
PATIENCE_S = 300


def command_of(server):
    return ["sh", "-c", "exit 3"] if server == "dead" else [sys.executable, str(HERE / "server.py"), server]


# ---- Codex ----

def codex_config(servers, url):
    lines = ['model = "scripted"', 'model_provider = "scripted"', 'approval_policy = "never"',
             'sandbox_mode = "read-only"', "[model_providers.scripted]", 'name = "scripted"', f'base_url = "{url}"',
             'wire_api = "responses"', "requires_openai_auth = false", "supports_websockets = false"]
    for server in servers:
        command, *args = command_of(server)
        lines += [f"[mcp_servers.{server}]", f"command = {json.dumps(command)}", f"args = {json.dumps(args)}"]
    return "\n".join(lines) + "\n"


def by_call(scene, events):
    """Assigns the events of finished calls, in their order, to the calls; None: the call had none."""
    left = list(events)
    found = {}
    for name, call in scene["calls"].items():
        fits = left and (left[0]["tool"], left[0]["arguments"]) == (call[0], arguments_of(call[1]))
        found[name] = left.pop(0) if fits else None
    return found


def arguments_of(text):
    """The arguments as an event has them. None are null in Codex, and an empty object here; both count as that."""
    try:
        return (json.loads(text) if text.strip() else None) or {}
    except ValueError:
        return text


def codex_events(scene, text):
    """What Codex reported of each call, as far as it is the same in each run."""
    items = [json.loads(line) for line in text.split("\n") if line.startswith("{")]
    ended = [e["item"] for e in items if e["type"] == "item.completed" and e["item"]["type"] == "mcp_tool_call"]
    return by_call(scene, [{"server": e["server"], "tool": e["tool"], "arguments": e["arguments"] or {},
                            "failed": e["error"] is not None} for e in ended])


def ask_codex(program, scene, folder):
    calls = [call[:2] for call in scene["calls"].values()]
    model = Model(calls)
    (folder / "home").mkdir(exist_ok=True)
    (folder / "work").mkdir(exist_ok=True)
    (folder / "home/config.toml").write_text(codex_config(scene["servers"], model.url))
    done = subprocess.run([program, "exec", "--skip-git-repo-check", "--json", "go"], cwd=folder / "work",
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder / "home"),
                               "CODEX_HOME": str(folder / "home")})
    model.close()
    if len(model.outputs) != len(calls):
        raise RuntimeError(f"Codex made {len(model.outputs)} of {len(calls)} calls\n{done.stdout}\n{done.stderr}")
    return {"outputs": dict(zip(scene["calls"], model.outputs)), "events": codex_events(scene, done.stdout)}


def record(codex, program):
    version = subprocess.run([codex, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    recorded = {"version": version, "scenes": {}}
    for name, scene in SCENES.items():
        with tempfile.TemporaryDirectory(prefix="mcptools-codex-") as folder:
            theirs = ask_codex(codex, scene, pathlib.Path(folder))
        ours, _ = ask_mcptools(program, scene)
        theirs["other"] = {n: ours[n] for n, call in scene["calls"].items() if len(call) > 2}
        recorded["scenes"][name] = theirs
    RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


# ---- mcptools ----

def write_config(scene, folder):
    servers = {s: {"command": command_of(s)[0], "args": command_of(s)[1:]} for s in scene["servers"]}
    (folder / "servers.json").write_text(json.dumps({"mcpServers": servers}))
    return str(folder / "servers.json")


def own_events(path):
    """The ends of calls in a file of --events."""
    ends = [json.loads(line) for line in path.read_text().split("\n") if line.startswith('{"event":"end"')]
    return [{"server": e["server"], "tool": e["tool"], "arguments": e["arguments"], "failed": "error" in e}
            for e in ends if e["method"] == "tools/call"]


def is_object(arguments):
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


def ask_model_form(program, scene, name, folder):
    """One call as a model of the Responses API writes it, in a process of its own."""
    tool, arguments = scene["calls"][name][:2]
    call = {"type": "function_call", "call_id": "call", "name": tool, "arguments": arguments}
    done = subprocess.run([program, "call", "--for", "openai-responses", "-", "--dialect", "codex", "-o", "json",
                           "--config", write_config(scene, folder), "--events", str(folder / "events")],
                          input=json.dumps(call), text=True, capture_output=True, timeout=PATIENCE_S, check=False)
    try:
        answer = json.loads(done.stdout)
        assert answer["type"] == "function_call_output" and answer["call_id"] == "call"
        output = answer["output"]
        return output if isinstance(output, str) else "".join(block["text"] for block in output)
    except (ValueError, KeyError, AssertionError):
        return f"exit status {done.returncode}\n{done.stdout}{done.stderr}"


class Gateway:
    """`serve --stdio`, with one client."""

    def __init__(self, program, scene, folder):
        args = ["serve", "--stdio", "--dialect", "codex", "--config", write_config(scene, folder), "--events",
                str(folder / "events")]
        self.process = subprocess.Popen([program, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "compare", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        print(json.dumps({"jsonrpc": "2.0", **message}), file=self.process.stdin, flush=True)

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message
        raise RuntimeError("the gateway ended")

    def call(self, tool, arguments):
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return "".join(block["text"] for block in answer["result"]["content"])

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(PATIENCE_S)


def ask_mcptools(program, scene):
    """Returns the answer to each call and its event: of a session with the gateway, or of `call --for` if the arguments
    are no object, because MCP has only such."""
    answers = {}
    with tempfile.TemporaryDirectory(prefix="mcptools-codex-") as name:
        folder = pathlib.Path(name)
        gateway = Gateway(program, scene, folder)
        for name, (tool, arguments, *_) in scene["calls"].items():
            answers[name] = (gateway.call(tool, json.loads(arguments)) if is_object(arguments)
                             else ask_model_form(program, scene, name, folder))
        gateway.close()
        return answers, by_call(scene, own_events(folder / "events"))


# ---- the comparison ----

def differences(name, call, recorded, ours, event):
    """Yields what is wrong about an answer and its event."""
    theirs = recorded["outputs"][name]
    if len(call) == 2 and ours != theirs:
        yield f"Codex    {theirs[:1500]!r}\nmcptools {ours[:1500]!r}"
    elif len(call) > 2 and ours == theirs:
        yield f"the answers are the same: remove the reason {call[2]!r}"
    elif len(call) > 2 and ours != recorded["other"][name]:
        yield f"recorded {recorded['other'][name][:1500]!r}\nmcptools {ours[:1500]!r}"
    if event != recorded["events"][name] and NO_EVENT_IN_CODEX not in name and call[2:] != ("lenient",):
        yield f"event of Codex    {recorded['events'][name]}\nevent of mcptools {event}"


def table():
    calls = [call for scene in SCENES.values() for call in scene["calls"].values()]
    yield f"Of {len(calls)} calls {sum(len(call) == 2 for call in calls)} are answered with the same bytes. The others:\n"
    yield "| calls | why the answer differs |\n|---:|---|"
    for key, reason in REASONS.items():
        yield f"| {sum(call[2:] == (key,) for call in calls)} | {reason} |"


def compare(program):
    recorded = json.loads(RECORDED.read_text())
    print(f"1..{1 + sum(len(s['calls']) for s in SCENES.values())}")
    failed = "\n".join(table()) not in PAGE.read_text()
    print(f"{'not ok' if failed else 'ok'} 1 - the table of {PAGE.name}" + (" (renew it with --table)" if failed else ""))
    number = 1
    for scene_name, scene in SCENES.items():
        answers, events = ask_mcptools(program, scene)
        for name, call in scene["calls"].items():
            number += 1
            wrong = "\n".join(differences(name, call, recorded["scenes"][scene_name], answers[name], events[name]))
            failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
            if wrong:
                print("# " + wrong.replace("\n", "\n# "))
    return 1 if failed else 0


def main():
    program, *options = sys.argv[1:]
    if options[:1] == ["--table"]:
        print("\n".join(table()))
        return 0
    if options[:1] == ["--record"]:
        record(options[1], program)
    return compare(program)


if __name__ == "__main__":
    sys.exit(main())
