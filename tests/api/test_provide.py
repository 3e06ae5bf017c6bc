"""A program serves everything: served.c on stdin and stdout, to clients of both eras. TAP; argument: that program."""

import json
import subprocess
import sys

SERVED = sys.argv[1]
MODERN = "2026-07-28"


class Client:
    """A client over stdio, of the handshake revision or of 2026-07-28."""

    def __init__(self, era, capabilities=None):
        self.program = subprocess.Popen([SERVED, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.era, self.capabilities, self.n, self.notes, self.asked = era, capabilities or {}, 0, [], []
        self.answers = {}  # method: result
        info = {"name": "tester", "version": "9"}
        self.meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientInfo": info,
                     "io.modelcontextprotocol/clientCapabilities": self.capabilities}
        if era == MODERN:
            self.hello = self.ask("server/discover")["result"]
        else:
            self.hello = self.ask("initialize", protocolVersion=era, capabilities=self.capabilities, clientInfo=info)["result"]
            self.send(method="notifications/initialized")

    def send(self, **message):
        self.program.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.program.stdin.flush()

    def receive(self):
        message = json.loads(self.program.stdout.readline())
        if "method" in message and "id" in message:
            self.asked.append(message["method"])
            self.send(id=message["id"], result=self.answers[message["method"]])
        elif "method" in message:
            self.notes.append(message)
        return message

    def start(self, method, **params):
        self.n += 1
        if self.era == MODERN:
            params["_meta"] = {**params.get("_meta", {}), **self.meta}
        self.send(id=self.n, method=method, params=params)
        return self.n

    def answer_to(self, number):
        while True:
            message = self.receive()
            if message.get("id") == number and "method" not in message:
                return message

    def ask(self, method, **params):
        answer = self.answer_to(self.start(method, **params))
        result = answer.get("result", {})
        if result.get("resultType") != "input_required":
            return answer
        asked = result["inputRequests"]
        self.asked += [q["method"] for q in asked.values()]
        return self.ask(method, **{**params, "requestState": result["requestState"],
                                   "inputResponses": {key: self.answers[q["method"]] for key, q in asked.items()}})

    def call(self, name, **arguments):
        return self.ask("tools/call", name=name, arguments=arguments)

    def note(self, method):
        while not any(n["method"] == method for n in self.notes):
            self.receive()
        return [n for n in self.notes if n["method"] == method][-1]

    def end(self):
        self.program.stdin.close()
        rest = self.program.stdout.read()
        assert self.program.wait(60) == 0
        return rest


def names_itself(c):
    info = c.hello["serverInfo"] if c.era != MODERN else c.hello["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert info == {"name": "served", "version": "1.2.3", "title": "Everything", "description": "A test",
                    "websiteUrl": "https://example.org/", "icons": [{"src": "https://example.org/icon.png"}]}, info
    assert c.hello["instructions"] == "Be kind.", c.hello
    wanted = {"tools": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": True},
              "prompts": {"listChanged": True}, "completions": {}, "logging": {}}
    assert c.hello["capabilities"] == wanted, c.hello["capabilities"]
    if c.era == MODERN:
        result = c.call("test_simple_text")["result"]
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "served", result


def lists_and_reads(c):
    uris = [r["uri"] for r in c.ask("resources/list")["result"]["resources"]]
    assert uris == ["test://static-text", "test://static-binary", "test://watched-resource"], uris
    templates = c.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert [t["uriTemplate"] for t in templates] == ["test://template/{id}/data"], templates
    contents = c.ask("resources/read", uri="test://static-text")["result"]["contents"]
    assert contents == [{"uri": "test://static-text", "mimeType": "text/plain",
                         "text": "This is the content of the static text resource."}], contents
    assert c.ask("resources/read", uri="test://static-binary")["result"]["contents"][0]["blob"].startswith("iVBORw0")
    contents = c.ask("resources/read", uri="test://template/a%20b%22/data")["result"]["contents"][0]
    assert json.loads(contents["text"])["id"] == 'a b"' and contents["mimeType"] == "application/json", contents
    for uri in "test://template/none/data", "test://nothing":
        error = c.ask("resources/read", uri=uri)["error"]
        assert error["code"] == (-32602 if c.era == MODERN else -32002) and error["data"]["uri"] == uri, error


def gets_prompts(c):
    listed = {p["name"]: p for p in c.ask("prompts/list")["result"]["prompts"]}
    assert listed["test_prompt_with_arguments"]["arguments"][1] == {"name": "arg2", "required": True}, listed
    got = c.ask("prompts/get", name="test_prompt_with_arguments", arguments={"arg1": "a", "arg2": "b\n"})["result"]
    assert got["messages"] == [{"role": "user", "content": {"type": "text",
                                "text": "Prompt with arguments: arg1='a', arg2='b\n'"}}], got
    error = c.ask("prompts/get", name="test_prompt_with_arguments", arguments={"arg1": "a"})["error"]
    assert error["code"] == -32602 and "arg2" in error["message"], error


def completes(c):
    argument = {"name": "arg1", "value": "testV"}
    done = c.ask("completion/complete", ref={"type": "ref/prompt", "name": "test_prompt_with_arguments"}, argument=argument)
    assert done["result"]["completion"] == {"values": ["testValue1", "testValue2"], "total": 2, "hasMore": False}, done
    done = c.ask("completion/complete", ref={"type": "ref/resource", "uri": "test://template/{id}/data"},
                 argument={"name": "id", "value": "tex"})
    assert done["result"]["completion"]["values"] == ["text"], done
    done = c.ask("completion/complete", ref={"type": "ref/prompt", "name": "test_simple_prompt"}, argument=argument)
    assert done["result"]["completion"]["values"] == [], done


def tells_of_changes(c):
    if c.era == MODERN:
        c.start("subscriptions/listen", notifications={"promptsListChanged": True, "toolsListChanged": True})
        c.note("notifications/subscriptions/acknowledged")
    assert "result" in c.call("test_trigger_tool_change")
    c.note("notifications/tools/list_changed")
    assert "result" in c.call("test_trigger_prompt_change")
    c.note("notifications/prompts/list_changed")
    assert "test_dynamic_prompt" in [p["name"] for p in c.ask("prompts/list")["result"]["prompts"]]
    assert c.call("test_dynamic_tool")["result"]["content"][0]["text"] == "here"
    assert not any(n["method"] == "notifications/resources/list_changed" for n in c.notes), c.notes


def has_subscribers(c):
    uri = "test://watched-resource"
    text = lambda: c.call("touch", uri=uri)["result"]["content"][0]["text"]
    assert text() == "0 watched"
    if c.era == MODERN:
        c.start("subscriptions/listen", notifications={"resourceSubscriptions": [uri]})
        c.note("notifications/subscriptions/acknowledged")
    else:
        assert c.ask("resources/subscribe", uri=uri)["result"] is not None
    assert text() == "1 watched"
    assert c.note("notifications/resources/updated")["params"]["uri"] == uri
    if c.era != MODERN:
        error = c.ask("resources/subscribe", uri="test://static-text")["error"]
        assert error["code"] == -32602 and "has no updates" in error["message"], error
        c.ask("resources/unsubscribe", uri=uri)
        assert text() == "0 watched"
    assert c.call("touch", uri="test://static-text")["result"]["isError"]


def asks(c):
    c.answers = {"elicitation/create": {"action": "accept", "content": {"name": "Ada"}}, "roots/list": {"roots": []},
                 "sampling/createMessage": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}}}
    assert c.call("test_streaming_elicitation")["result"]["content"][0]["text"] == "Hello, Ada!"
    result = c.call("test_sampling", prompt='say "hi"')["result"]["content"][0]["text"]
    assert result.startswith("LLM response: {") and '"hi"' in result, result
    assert c.call("test_input_required_result_multiple_inputs")["result"]["content"][0]["text"] == "All have been answered"
    c.answers["elicitation/create"]["content"]["color"] = "red"
    assert "red" in c.call("test_input_required_result_multi_round")["result"]["content"][0]["text"]
    got = c.ask("prompts/get", name="test_input_required_result_prompt")["result"]["messages"][0]["content"]["text"]
    assert got.startswith("Elicitation completed: "), got
    assert sorted(c.asked) == sorted(["elicitation/create"] * 5 + ["sampling/createMessage"] * 2 + ["roots/list"]), c.asked


def cannot_ask_everybody(c):
    bare = Client(c.era)
    answer = bare.call("test_streaming_elicitation")
    assert "does not offer" in answer.get("error", {}).get("message", "") or answer["error"]["code"] == -32021, answer
    assert bare.call("test_input_required_result_capabilities")["result"]["isError"]
    bare.end()


def knows_the_caller(c):
    said = c.ask("tools/call", name="who", arguments={}, _meta={"org.example/x": 1})["result"]["structuredContent"]
    assert said.pop("meta")["org.example/x"] == 1
    assert said == {"principal": "local", "name": "tester", "version": "9", "session": c.era != MODERN, "revision": c.era}, said


def logs(c):
    if c.era == MODERN:
        c.meta["io.modelcontextprotocol/logLevel"] = "info"
    assert c.call("test_logging_tool")["result"]["content"][0]["text"] == "Logged"
    params = c.note("notifications/message")["params"]
    assert params["level"] == "info" and params["logger"] == "served" and "asked for it" in params["data"], params


def checks(c):
    result = c.call("test_sampling", prompt=1)["result"]
    assert result["isError"] and result["content"][0]["text"] == \
        "invalid arguments for tool 'test_sampling': /prompt must be a string, not a number", result
    result = c.call("test_sampling")["result"]
    assert result["isError"] and 'the object lacks the required member "prompt"' in result["content"][0]["text"], result
    for name in "wrong", "bare":
        result = c.call(name)["result"]
        assert result["isError"] and "returned an invalid result" in result["content"][0]["text"], result


def says_nothing_unasked(c):
    quiet = Client(c.era)
    assert quiet.end() == "" and quiet.notes == [], quiet.notes


TESTS = [names_itself, lists_and_reads, gets_prompts, completes, tells_of_changes, has_subscribers, asks, cannot_ask_everybody,
         knows_the_caller, logs, checks, says_nothing_unasked]
ERAS = ["2025-06-18", "2025-11-25", MODERN]


def main():
    failed, n = 0, 0
    print(f"1..{len(TESTS) * len(ERAS)}")
    for era in ERAS:
        for test in TESTS:
            n += 1
            client = Client(era, {"elicitation": {}, "sampling": {}, "roots": {}})
            try:
                test(client)
                client.end()
                problem = None
            except Exception as e:  # pylint: disable=broad-except
                client.program.kill()
                problem = f"{type(e).__name__}: {e}".replace("\n", "\n# ")
            failed += problem is not None
            print(f"{'not ok' if problem else 'ok'} {n} - {era}: {test.__name__.replace('_', ' ')}" + (f"\n# {problem}" if problem else ""))
    sys.exit(failed > 0)


main()
