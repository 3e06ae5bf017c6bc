"""A server with skills, over stdio. usage: skills_server.py legacy|2026-07-28 [OPTIONS], where OPTIONS is a JSON object:
  skills   {NAME: description}; default: git-workflow and pdf
  change   {PATH: text}: what resources/read has instead of the file, with the entry of the original
  late     {PATH: text}: the same, and skills/get has the entry of the new text
  frontmatter  members that entries have in addition
  extra    paths of files that are read, but not listed
  dynamic  names of skills whose files are not listed
  scheme   beginning of all URIs; default skill://
  per_page skills in a page; default: all
  no_get   skills/get is unknown
  log      a file for the methods that are called, one a line
"""

import base64
import hashlib
import json
import sys

ERA, OPTIONS = sys.argv[1], json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
SCHEME = OPTIONS.get("scheme", "skill://")
ID = "io.modelcontextprotocol/skills"
CAPABILITIES = {"resources": {}, "tools": {}, "extensions": {ID: {"directoryRead": True}}}
INFO = {"name": "skills", "version": "1"}


def main_file(name, description):
    return (f"---\nname: {name}\ndescription: \"{description}\"\nmetadata:\n  level: 0x10\n  ratio: .5\n  tags: [a, 1.0, ~]\n---\n"
            f"# {name}\n\nSee [forms](references/FORMS.md).\n").encode()


SKILLS = OPTIONS.get("skills", {"git-workflow": "How this team uses Git", "pdf": "Read and write PDF"})
FILES = {}
for skill, what in SKILLS.items():
    FILES[f"{skill}/SKILL.md"] = main_file(skill, what)
    FILES[f"{skill}/references/FORMS.md"] = b"# Forms\n"
    FILES[f"{skill}/logo.png"] = bytes(range(256))
CHANGED = {path: text.encode() for path, text in {**OPTIONS.get("change", {}), **OPTIONS.get("late", {})}.items()}


def bytes_of(path, fresh):
    return CHANGED[path] if path in CHANGED and fresh else FILES[path]


def entry(name, fresh=False):
    files = [{"uri": SCHEME + p, "digest": "sha256:" + hashlib.sha256(bytes_of(p, fresh)).hexdigest(), "size": len(bytes_of(p, fresh))}
             for p in FILES if p.startswith(name + "/")]
    return {"uri": f"{SCHEME}{name}/SKILL.md",
            "frontmatter": {"name": name, "description": SKILLS[name], "metadata": {"tags": ["a", 1, None], "ratio": 0.5, "level": 16},
                            **OPTIONS.get("frontmatter", {})},
            "resources": "dynamic" if name in OPTIONS.get("dynamic", []) else files}


def shape(result, listed=False):
    if ERA == "legacy":
        return result
    return {"resultType": "complete", **result, **({"ttlMs": 1000, "cacheScope": "public"} if listed else {})}


def read(uri):
    path = uri.removeprefix(SCHEME)
    if path in OPTIONS.get("extra", []):
        return {"contents": [{"uri": uri, "text": "extra"}]}
    if not uri.startswith(SCHEME) or path not in FILES:
        return None
    data = bytes_of(path, True)
    if path.endswith(".png"):
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": base64.b64encode(data).decode()}]}
    return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": data.decode()}]}


def directory(uri):
    path = uri.removeprefix(SCHEME)
    below = [p[len(path) + 1:] for p in FILES if p.startswith(path + "/")]
    if path in FILES or not below:
        return None
    names = dict.fromkeys(p.split("/")[0] for p in below)
    return {"resources": [{"uri": f"{uri}/{n}", "name": n, "mimeType": "text/markdown" if f"{path}/{n}" in FILES else "inode/directory"} for n in names]}


def page(params):
    names, start = list(SKILLS), int(params.get("cursor", 0))
    end = start + OPTIONS.get("per_page", len(names))
    return {"skills": [entry(n) for n in names[start:end]], **({"nextCursor": str(end)} if end < len(names) else {})}


def result_of(method, params):
    uri = params.get("uri", "")
    if method == "initialize" and ERA == "legacy":
        return {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": INFO}
    if method == "server/discover" and ERA != "legacy":
        return {"supportedVersions": [ERA], "capabilities": CAPABILITIES, "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                "_meta": {"io.modelcontextprotocol/serverInfo": INFO}}
    if method == "tools/list":
        return shape({"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}, True)
    if method == "tools/call":
        first = f"{SCHEME}{next(iter(SKILLS))}/SKILL.md"
        return shape({"content": [{"type": "resource_link", "uri": first, "name": "skill"},
                                  {"type": "resource", "resource": {"uri": first, "text": f"about {first}"}}]})
    if method == "resources/list":
        return shape({"resources": [{"uri": f"{SCHEME}{n}/SKILL.md", "name": n, "description": SKILLS[n], "mimeType": "text/markdown"} for n in SKILLS]}, True)
    if method == "resources/templates/list":
        return shape({"resourceTemplates": []}, True)
    if method == "skills/list":
        return shape(page(params), True)
    if method == "skills/get" and not OPTIONS.get("no_get"):
        name = uri.removeprefix(SCHEME).removesuffix("/SKILL.md")
        if name not in SKILLS:
            return -32602
        return shape({"skill": entry(name, fresh=bool(OPTIONS.get("late")))}, True)
    if method == "resources/read":
        found = read(uri)
        return shape(found, True) if found else (-32002 if ERA == "legacy" else -32602)
    if method == "resources/directory/read":
        found = directory(uri)
        return shape(found) if found else -32602
    return -32601


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if OPTIONS.get("log"):
        with open(OPTIONS["log"], "a", encoding="utf-8") as log:
            log.write(f"{message['method']} {message.get('params', {}).get('uri', '')}\n")
    answer = result_of(message["method"], message.get("params", {}))
    tail = {"error": {"code": answer, "message": "no"}} if isinstance(answer, int) else {"result": answer}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **tail}), flush=True)
