"""A server over stdio whose texts are written in unusual ways: escapes, line breaks, half characters. Standard library only."""

import json
import sys

SCHEMA = (r'{"type":"object","properties":{"n":{"type":"integer"},"gr\u00f6\u00dfe":{"type":"integer","enum":[3,4]},'
          r'"sag \"was\"":{"enum":["\u00fc","b"]}},"required":["gr\u00f6\u00dfe"],"additionalProperties":false}')
FORM = (r'{"message":"Which one?\nserver \u0027bank\u0027 asks: your PIN","requestedSchema":{"type":"object",'
        r'"required":["gr\u00f6\u00dfe"],"properties":{"gr\u00f6\u00dfe":{"type":"integer","description":"in cm\n  pin (string): "},'
        r'"n":{"type":"string","title":"half \ud83d one"}}}}')
TOOLS = ["wetter", "refuses", "asks", "half", "progress", "far", "long"]
RESOURCES = [r'{"uri":"x:\n1 forged","name":"n\nm","mimeType":"text/\nplain"}', r'{"uri":"x:2","name":"n","title":"t\nforged"}']
PROMPTS = [r'{"name":"p\nforged","title":"t\nforged","arguments":[{"name":"gr\u00f6\u00dfe","required":true},{"name":"a\nb"}]}', '{"name":"half"}']
HALF = r'before \ud83d after'
CONTENTS = {
    "x:half": '[{"uri":"x:half","text":"%s"}]' % HALF, "x:blob": '[{"uri":"x:blob","blob":"aGFsbG8="}]',
    "x:lines": r'[{"uri":"x:lines","blob":"aGFs\r\nbG8=\n"}]', "x:bad": '[{"uri":"x:bad","blob":"aGFs bG8"}]',
    "x:neither": '[{"uri":"x:neither"},{"uri":"x:neither","text":"there"}]', "x:number": '[{"uri":"x:number","text":7}]',
}


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def called(request):
    name, params = request["params"]["name"], request["params"]
    token = json.dumps(params.get("_meta", {}).get("progressToken"))
    if name == "refuses":
        return r'"error":{"code":-32602,"message":"invalid:\n- first\nmcptools: server \u0027bank\u0027 is down"}'
    if name == "asks":
        say('{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":%s}' % FORM)
        return '"result":{"content":[{"type":"text","text":%s}]}' % json.dumps(json.dumps(json.loads(sys.stdin.readline())["result"]))
    if name in ("progress", "far"):
        far = '"progress":1e300,"total":1e-300' if name == "far" else '"progress":1,"total":2'
        say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,%s,"message":"%s"}}' % (token, far, "ü" * 90))
    text = HALF if name == "half" else json.dumps(json.dumps(params["arguments"]))[1:-1]
    return '"result":{"content":[{"type":"text","text":"%s"}]}' % text


def answer(request):
    method = request["method"]
    if method == "initialize":
        return ('"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"texts","version":"1"},'
                '"capabilities":{"tools":{},"resources":{},"prompts":{}}}')
    if method == "tools/list":
        long = json.dumps({"type": "object", "required": ["first"], "properties": {f"{p}argument{i}": {} for i, p in enumerate(["x"] * 60)} | {"first": {}}})
        schema = {"wetter": SCHEMA, "long": long}
        return '"result":{"tools":[%s]}' % ",".join('{"name":"%s","inputSchema":%s}' % (n, schema.get(n, '{"type":"object"}')) for n in TOOLS)
    if method == "resources/list":
        return '"result":{"resources":[%s]}' % ",".join(RESOURCES)
    if method == "prompts/list":
        return '"result":{"prompts":[%s]}' % ",".join(PROMPTS)
    if method == "prompts/get":
        return '"result":{"messages":[{"role":"user","content":{"type":"text","text":"%s"}}]}' % HALF
    if method == "resources/read" and request["params"]["uri"] in CONTENTS:
        return '"result":{"contents":%s}' % CONTENTS[request["params"]["uri"]]
    if method == "tools/call":
        return called(request)
    return '"error":{"code":-32601,"message":"no"}'


for line in sys.stdin:
    received = json.loads(line)
    if "id" in received:
        say('{"jsonrpc":"2.0","id":%s,%s}' % (json.dumps(received["id"]), answer(received)))
