"""Tasks of 2026-07-28: clients that follow them through the gateway, and commands."""

import contextlib
import http.server
import json
import signal
import sys
import threading

from harness import Gateway, answer, gateway, main, metric, run, stateless, test, until, write_config

TASKS = "io.modelcontextprotocol/tasks"
DECLARED = {"io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}}}
UNKNOWN = {"code": -32602, "message": "no such task: it is unknown, has expired or belongs to another client"}

# What the server does with each message: over HTTP in this process, over stdio in one of its own. A task ends when it has
# been read three times.
SERVER = r"""
import itertools
TASKS = "io.modelcontextprotocol/tasks"
tasks, numbers = {}, itertools.count(1)
def state(task):
    return {"taskId": task["id"], "createdAt": "2026-11-28T00:00:00Z", "lastUpdatedAt": "2026-11-28T00:00:00Z",
            "status": task["status"], "ttlMs": 600000, "pollIntervalMs": 50}
def call(params):
    client = params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    if TASKS not in client.get("extensions", {}):
        raise LookupError(-32021, "it needs tasks")
    task = {"id": "T%d" % next(numbers), "status": "working", "reads": 0, "fails": params["name"] == "fails"}
    tasks[task["id"]] = task
    return {"resultType": "task", **state(task)}
def find(params):
    if params["taskId"] not in tasks:
        raise LookupError(-32602, "never heard of it")
    return tasks[params["taskId"]]
def get(params):
    task = find(params)
    task["reads"] += 1
    if task["status"] == "working" and task["reads"] == 3:
        task["status"] = "completed"
    result = {"content": [{"type": "text", "text": "made by " + task["id"]}], "isError": task["fails"]}
    return {**state(task), **({"result": result} if task["status"] == "completed" else {})}
def cancel(params):
    task = find(params)
    task["status"] = "cancelled"
    return {}
methods = {
    "server/discover": lambda _: {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}, "extensions": {TASKS: {}}}},
    "tools/list": lambda _: {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("slow", "fails")],
                             "ttlMs": 0, "cacheScope": "private"},
    "tools/call": call, "tasks/get": get, "tasks/cancel": cancel,
}
def handle(message):
    said = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        if message["method"] not in methods:
            raise LookupError(-32601, "?")
        return {**said, "result": {"resultType": "complete", **methods[message["method"]](message["params"])}}
    except LookupError as e:
        return {**said, "error": {"code": e.args[0], "message": e.args[1]}}
"""
OVER_STDIO = SERVER + r"""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps(handle(message)), flush=True)
"""


@contextlib.contextmanager
def over_http():
    """The URL of a server that outlives gateways and commands, and the names of the requests that it has got."""
    scope, heard = {}, []
    exec(SERVER, scope)  # pylint: disable=exec-used

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # pylint: disable=invalid-name
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard.append((message["method"], self.headers.get("Mcp-Name")))
            body = json.dumps(scope["handle"](message)).encode() if "id" in message else b""
            self.send_response(200 if body else 202)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):  # pylint: disable=invalid-name
            self.send_error(405)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as s:
        threading.Thread(target=s.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{s.server_port}/mcp", heard
        finally:
            s.shutdown()


def modern(g, method, params=None, meta=None, token=None, more=None, path="/mcp"):
    """The status and the answer of one 2026-07-28 request."""
    body, headers = stateless(method, {**(params or {}), "_meta": DECLARED if meta is None else meta})
    headers.update({"Authorization": f"Bearer {token}"} if token else {}, **(more or {}))
    status, _, got = g.request("POST", path, body, headers)
    return status, answer(got)


def create(g, token=None, path="/mcp"):
    status, got = modern(g, "tools/call", {"name": "slow"}, token=token, path=path)
    assert status == 200 and got["result"]["resultType"] == "task", got
    return got["result"]["taskId"]


@test
def tasks_are_followed_through_both_endpoints(folder):
    with over_http() as (url, heard):
        config = write_config(folder, {"s": {"type": "http", "url": url}})
        with gateway(folder, "--config", config) as g:
            g.wait_ready()
            for path in "/mcp", "/mcp/s":
                _, got = modern(g, "server/discover", path=path)
                assert got["result"]["capabilities"]["extensions"] == {TASKS: {}}, got
                task = create(g, path=path)
                states = [modern(g, "tasks/get", {"taskId": task}, path=path)[1]["result"] for _ in range(3)]
                assert [s["status"] for s in states] == ["working", "working", "completed"], states
                assert all(s["taskId"] == task for s in states), states
                assert states[2]["result"]["content"][0]["text"].startswith("made by T"), states
            # an id of one endpoint is valid at the other one
            assert modern(g, "tasks/cancel", {"taskId": create(g)}, path="/mcp/s") == (200, {
                "jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}})
        assert ("tasks/get", "T1") in heard, heard  # the server's own id, in the header as well


@test
def requests_about_tasks_are_checked_in_order(folder):
    with over_http() as (url, heard):
        config = write_config(folder, {"s": {"type": "http", "url": url}})
        with gateway(folder, "--config", config) as g:
            g.wait_ready()
            task = create(g)
            n = len(heard)
            status, got = modern(g, "tasks/get", {"taskId": "x"}, {}, more={"Mcp-Name": "y"})
            assert (status, got["error"]["code"]) == (400, -32021), got
            assert got["error"]["data"] == {"requiredCapabilities": {"extensions": {TASKS: {}}}}, got
            status, got = modern(g, "tasks/get", {"taskId": task}, more={"Mcp-Name": "y"})
            assert (status, got["error"]["code"]) == (400, -32020), got
            status, got = modern(g, "tasks/get", {"taskId": "x"})
            assert (status, got["error"]) == (200, UNKNOWN), got
            for method in "tasks/list", "tasks/result":
                status, got = modern(g, method, {"taskId": task}, {})
                assert (status, got["error"]["code"]) == (404, -32601), got
            status, got = modern(g, "subscriptions/listen", {"notifications": {"taskIds": [task]}}, {})
            assert (status, got["error"]["code"]) == (400, -32021), got
            assert len(heard) == n, heard[n:]


@test
def ids_outlive_the_gateway(folder):
    """The gateway is killed between the call and the first request about its task."""
    with over_http() as (url, _):
        config = write_config(folder, {"s": {"type": "http", "url": url}})
        first = Gateway(folder, "--config", config)
        task = create(first.wait_ready())
        first.stop(signal.SIGKILL)
        key = folder / ".local/state/mcptools/tasks.key"
        assert key.stat().st_mode & 0o777 == 0o600 and key.stat().st_size == 32
        with gateway(folder, "--config", config) as g:
            status, got = modern(g, "tasks/get", {"taskId": task})
            assert status == 200 and got["result"]["status"] == "working", got
        key.rename(key.with_name("tasks.key.old"))  # the key is replaced: the old one is good for old ids
        with gateway(folder, "--config", config) as g:
            new = create(g.wait_ready())
            for one in task, new:
                status, got = modern(g, "tasks/get", {"taskId": one})
                assert status == 200 and "error" not in got, got
            assert metric(g, 'tasks{server="s"}') >= 1
        assert key.stat().st_size == 32
        key.with_name("tasks.key.old").unlink()
        with gateway(folder, "--config", config) as g:
            assert modern(g.wait_ready(), "tasks/get", {"taskId": task})[1]["error"] == UNKNOWN
            task = create(g)
        key.chmod(0o644)
        with gateway(folder, "--config", config) as g:
            g.wait_ready()
            assert modern(g, "tasks/get", {"taskId": task})[1]["error"] == UNKNOWN
            assert "other users may read it" in g.text()


@test
def a_task_belongs_to_its_token(folder):
    tokens = [{"token": t, "name": t, **({"deny": ["s.slow"]} if t == "carol" else {})} for t in ("alice", "bob", "carol")]
    with over_http() as (url, _):
        config = write_config(folder, {"s": {"type": "http", "url": url}}, {"serve": {"tokens": tokens}})
        with gateway(folder, "--config", config) as g:
            task = create(g, "alice")
            assert modern(g, "tasks/get", {"taskId": task}, token="bob")[1]["error"] == UNKNOWN
            assert modern(g, "tasks/get", {"taskId": task}, token="carol")[1]["error"] == UNKNOWN
            assert modern(g, "tasks/get", {"taskId": task}, token="alice")[1]["result"]["status"] == "working"


@test
def the_audit_log_names_the_task_that_a_call_has_become(folder):
    audit = folder / "audit"
    with over_http() as (url, _):
        config = write_config(folder, {"s": {"type": "http", "url": url}}, {"serve": {"audit_log": str(audit)}})
        with gateway(folder, "--config", config) as g:
            create(g.wait_ready())
    line, = [json.loads(one) for one in audit.read_text().splitlines()]
    assert (line["tool"], line["outcome"], line["task"]) == ("slow", "task", "T1"), line


@test
def policy_applies_to_tasks_that_run(folder):
    with over_http() as (url, _):
        servers = {"s": {"type": "http", "url": url}}
        with gateway(folder, "--config", write_config(folder, servers)) as g:
            task = create(g.wait_ready())
        config = write_config(folder, servers, {"policy": {"deny": ["s.slow"]}})
        with gateway(folder, "--config", config) as g:
            assert modern(g.wait_ready(), "tasks/get", {"taskId": task})[1]["error"] == UNKNOWN


@test
def commands_follow_tasks(folder):
    with over_http() as (url, heard):
        config = write_config(folder, {"s": {"type": "http", "url": url}})
        done = run(folder, "call", "s.slow", "--config", config)
        assert (done.returncode, done.stdout) == (0, "made by T1\n"), done
        done = run(folder, "call", "s.fails", "--config", config)
        assert (done.returncode, done.stdout) == (5, "made by T2\n"), done
        assert run(folder, "tasks", "list", "--config", config).stdout == ""
        for number in "1", "2", "3":
            done = run(folder, "call", "s.fails" if number == "2" else "s.slow", "--task", "--config", config)
            assert (done.returncode, done.stdout) == (0, f"{number}\n"), done
        done = run(folder, "tasks", "get", "1", "--config", config)
        assert (done.returncode, done.stdout) == (0, "working\n"), done
        done = run(folder, "tasks", "wait", "1", "--config", config)
        assert (done.returncode, done.stdout) == (0, "made by T3\n"), done
        done = run(folder, "tasks", "wait", "2", "--config", config)
        assert (done.returncode, done.stdout) == (5, "made by T4\n"), done
        assert run(folder, "tasks", "cancel", "3", "--config", config).returncode == 0
        listed = json.loads(run(folder, "tasks", "list", "-o", "json").stdout)["tasks"]
        assert [(t["number"], t["taskId"], t["server"], t["tool"], t["status"]) for t in listed] == [
            (1, "T3", "s", "slow", "completed"), (2, "T4", "s", "fails", "completed"), (3, "T5", "s", "slow", "cancelling")], listed
        done = run(folder, "tasks", "get", "T5", "--config", config)  # an id is as good as a number
        assert (done.returncode, done.stdout) == (5, "cancelled\n"), done
        for words in (("tasks", "get", "9"), ("tasks", "wait", "T99")):
            done = run(folder, *words, "--config", config)
            assert done.returncode == 2 or done.returncode == 5, done
            assert "no task" in done.stderr, done
        for words in (("tasks", "list", "1"), ("tasks", "get"), ("tasks", "fetch", "1")):
            assert run(folder, *words, "--config", config).returncode == 1, words
        assert heard.count(("tasks/cancel", "T5")) == 1, heard


def noted(folder):
    return {t["number"]: (t["server"], t["status"]) for t in json.loads(run(folder, "tasks", "list", "-o", "json").stdout)["tasks"]}


@test
def the_list_of_tasks_has_their_last_states(folder):
    with over_http() as (url, _):
        config = write_config(folder, {"s": {"type": "http", "url": url}})
        for number in "1", "2", "3", "4":
            assert run(folder, "call", "s.slow", "--task", "--config", config).stdout == f"{number}\n"
        assert run(folder, "tasks", "cancel", "1", "--config", config).returncode == 0
        done = run(folder, "tasks", "wait", "1", "--config", config)
        assert done.returncode == 5 and "was cancelled" in done.stdout, done
        assert noted(folder) == {1: ("s", "cancelled"), 2: ("s", "working"), 3: ("s", "working"), 4: ("s", "working")}
    with over_http() as (url, _):  # another server, which has never heard of them
        config = write_config(folder, {"s": {"type": "http", "url": url}})
        for word, number, text in (("wait", "2", "does not know the task"), ("get", "3", "never heard"), ("cancel", "4", "never heard")):
            done = run(folder, "tasks", word, number, "--config", config)
            assert done.returncode == 5 and text in done.stderr, done
        assert noted(folder) == {1: ("s", "cancelled")}


@test
def the_list_of_tasks_has_no_password(folder):
    with over_http() as (url, _):
        secret = url.replace("http://", "http://me:pa55word@")
        done = run(folder, "call", "--url", secret, "slow", "--task")
        assert done.stdout == "1\n", done
        assert "pa55word" not in (folder / ".local/state/mcptools/tasks.jsonl").read_text()
        assert noted(folder) == {1: (url, "working")}
        done = run(folder, "tasks", "get", "1", "--url", secret)
        assert (done.returncode, done.stdout) == (0, "working\n"), done
    journal = folder / ".local/state/mcptools/tasks.jsonl"
    journal.write_text(journal.read_text().replace(url, secret))  # as earlier versions wrote it
    assert "pa55word" not in run(folder, "tasks", "list").stdout + json.dumps(noted(folder))


@test
def a_task_needs_a_server_that_goes_on(folder):
    """A program that a command starts ends with the command; one of the running gateway does not."""
    script = folder / "server.py"
    script.write_text(OVER_STDIO)
    config = write_config(folder, {"s": {"command": sys.executable, "args": [str(script)]}})
    done = run(folder, "call", "s.slow", "--task", "--config", config)
    assert done.returncode == 1 and "the server ends with this command" in done.stderr, done
    assert run(folder, "call", "s.slow", "--config", config).stdout == "made by T1\n"
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        assert run(folder, "call", "s.slow", "--config", config).stdout == "made by T1\n"
        assert run(folder, "call", "s.slow", "--task", "--config", config).stdout == "1\n"
        done = run(folder, "tasks", "wait", "1", "--config", config)
        assert (done.returncode, done.stdout) == (0, "made by T2\n"), done


@test
def a_replaced_server_takes_its_tasks_along(folder):
    script = folder / "server.py"
    script.write_text(OVER_STDIO)
    servers = {"s": {"command": sys.executable, "args": [str(script)], "env": {"ROUND": "0"}}}
    config = write_config(folder, servers)
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        for number in range(1, 4):
            task = create(g)
            servers["s"]["env"]["ROUND"] = str(number)
            write_config(folder, servers)
            until(lambda: g.text().count("configuration reloaded: ~s") == number, "the reload")
            until(lambda: modern(g, "tasks/get", {"taskId": task}, more={"Mcp-Name": task})[1].get("error") == UNKNOWN, "its end")


main()
