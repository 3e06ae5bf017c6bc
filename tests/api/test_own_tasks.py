"""Tools of a program whose calls become tasks (tasks_served.c), for clients of both revisions that have tasks. TAP."""

import http.client
import json
import subprocess
import sys
import urllib.parse

TASKS = "io.modelcontextprotocol/tasks"
MODERN = "2026-07-28"


class Program:
    """The program, and clients that connect anew for each request."""

    def __init__(self):
        self.process = subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE, text=True)
        self.url = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        self.session = None

    def post(self, body, **headers):
        c = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=60)
        c.request("POST", self.url.path, json.dumps(body), {"Content-Type": "application/json",
                  "Accept": "application/json, text/event-stream", **headers})
        got = c.getresponse()
        self.session = got.headers.get("Mcp-Session-Id", self.session)
        text = got.read().decode()
        c.close()
        frames = [line[6:] for line in text.splitlines() if line.startswith("data: {")] or [text]
        return [json.loads(f) for f in frames if f]

    def modern(self, method, params=None, declares=True):
        capabilities = {"elicitation": {"form": {}}, **({"extensions": {TASKS: {}}} if declares else {})}
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": capabilities,
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}}
        params = {**(params or {}), "_meta": meta}
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        name = params.get("taskId", params.get("name"))
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, **headers,
                         **({"Mcp-Name": name} if name else {}))[-1]

    def until(self, task, status):
        while True:
            state = self.modern("tasks/get", {"taskId": task})["result"]
            if state["status"] == status:
                return state
            assert state["status"] == "working", state

    def old(self, method, params=None):
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}},
                         **{"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-11-25"})[-1]


def modern_clients_get_tasks(p):
    hello = p.modern("server/discover")["result"]["capabilities"]
    assert hello["extensions"] == {TASKS: {}} and "tasks" not in hello, hello
    tools = p.modern("tools/list")["result"]["tools"]
    assert not any("execution" in t for t in tools), tools
    created = p.modern("tools/call", {"name": "may"})["result"]
    assert created["resultType"] == "task" and created["status"] == "working" and "result" not in created, created
    state = p.until(created["taskId"], "completed")
    assert state["statusMessage"] == "half" and state["result"]["content"][0]["text"] == "done as a task", state
    assert p.modern("tools/call", {"name": "never"})["result"]["content"][0]["text"] == "done at once"


def questions_of_tasks_are_answered_later(p):
    task = p.modern("tools/call", {"name": "may", "arguments": {"ask": True}})["result"]["taskId"]
    state = p.until(task, "input_required")
    (key, question), = state["inputRequests"].items()
    assert question["params"]["message"] == "Really?", question
    p.modern("tasks/update", {"taskId": task, "inputResponses": {key: {"action": "decline"}}})
    text = p.until(task, "completed")["result"]["content"][0]["text"]
    assert json.loads(text) == {"action": "decline"}, text


def clients_without_tasks_wait_or_are_refused(p):
    assert p.modern("tools/call", {"name": "may"}, False)["result"]["content"][0]["text"] == "done at once"
    error = p.modern("tools/call", {"name": "must"}, False)["error"]
    assert error["code"] == -32021 and error["data"]["requiredCapabilities"] == {"extensions": {TASKS: {}}}, error


def cancelled_tasks_are_told(p):
    task = p.modern("tools/call", {"name": "must"})["result"]["taskId"]
    assert p.modern("tasks/get", {"taskId": task})["result"]["status"] == "working"
    p.modern("tasks/cancel", {"taskId": task})
    assert p.process.stdout.readline() == "cancelled\n"
    assert p.modern("tasks/get", {"taskId": task})["result"]["status"] == "cancelled"


def clients_of_2025_11_25_ask_for_tasks(p):
    hello = p.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})[-1]["result"]
    assert hello["capabilities"]["tasks"] == {"cancel": {}, "requests": {"tools": {"call": {}}}}, hello
    p.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, **{"Mcp-Session-Id": p.session})
    tools = {t["name"]: t.get("execution") for t in p.old("tools/list")["result"]["tools"]}
    assert tools == {"may": {"taskSupport": "optional"}, "must": {"taskSupport": "optional"}, "never": None}, tools
    assert p.old("tools/call", {"name": "may"})["result"]["content"][0]["text"] == "done at once"
    task = p.old("tools/call", {"name": "may", "task": {"ttl": 60000}})["result"]["task"]
    assert task["status"] == "working" and task["ttl"] == 60000, task
    result = p.old("tasks/result", {"taskId": task["taskId"]})["result"]
    assert result["content"][0]["text"] == "done as a task", result
    assert result["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": task["taskId"]}, result
    assert p.old("tasks/get", {"taskId": task["taskId"]})["result"]["status"] == "completed"


def tasks_end_with_the_program(p):
    p.modern("tools/call", {"name": "must"})
    p.process.terminate()
    assert p.process.stdout.read() == "cancelled\n"
    assert p.process.wait(60) == 0


def main():
    tests = [modern_clients_get_tasks, questions_of_tasks_are_answered_later, clients_without_tasks_wait_or_are_refused,
             cancelled_tasks_are_told, clients_of_2025_11_25_ask_for_tasks, tasks_end_with_the_program]
    program = Program()
    print(f"1..{len(tests)}", flush=True)
    try:
        for i, one in enumerate(tests):
            one(program)
            print(f"ok {i + 1} - {one.__name__}", flush=True)
    finally:
        program.process.kill()


main()
