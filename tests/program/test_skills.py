"""Skills: the commands, the merged endpoint and the endpoint of one server, and the tools for hosts without skills."""

import json
import os
import pathlib
import sys

from harness import Session, answer, gateway, main, run, stateless, test, until, write_config

SERVER = pathlib.Path(__file__).parent / "skills_server.py"
GIT, PDF = "skill://git-workflow/SKILL.md", "skill://pdf/SKILL.md"
BOTH = ("legacy", "2026-07-28")


def skills(era="2026-07-28", **options):
    return {"command": sys.executable, "args": [str(SERVER), era, json.dumps(options)]}


def skills_command(folder, *words):
    return run(folder, "skills", *words)


def asked(folder):
    return (folder / "log").read_text().splitlines()


# ---- commands ----

@test
def list_reads_no_file_of_a_skill(folder):
    for era in BOTH:
        log = folder / "log"
        log.unlink(missing_ok=True)
        write_config(folder, {"docs": skills(era, log=str(log), per_page=1)})
        done = skills_command(folder, "list")
        assert done.returncode == 0, done.stderr
        assert [line.split()[:2] for line in done.stdout.splitlines()] == [["docs", GIT], ["docs", PDF]], done.stdout
        assert not [line for line in asked(folder) if line.startswith(("resources/read", "skills/get"))], asked(folder)


@test
def list_as_json_has_the_server_of_each(folder):
    write_config(folder, {"docs": skills(), "more": skills("legacy", skills={"x": "y"}, frontmatter={"license": "MIT"})})
    listed = json.loads(skills_command(folder, "list", "-o", "json").stdout)["skills"]
    assert [(s["server"], s["uri"]) for s in listed] == [("docs", GIT), ("docs", PDF), ("more", "skill://x/SKILL.md")]
    assert listed[2]["frontmatter"]["license"] == "MIT"
    one = json.loads(skills_command(folder, "list", "more", "-o", "json").stdout)["skills"]
    assert [s["server"] for s in one] == ["more"]


@test
def load_prints_the_body_and_says_whose_it_is(folder):
    for era in BOTH:
        write_config(folder, {"docs": skills(era)})
        done = skills_command(folder, "load", GIT)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "# git-workflow\n\nSee [forms](references/FORMS.md).\n", done.stdout
        assert "'git-workflow' of server 'docs', verified" in done.stderr


@test
def read_prints_a_file_as_it_is(folder):
    write_config(folder, {"docs": skills()})
    done = skills_command(folder, "read", "docs", "skill://pdf/references/FORMS.md")
    assert (done.returncode, done.stdout) == (0, "# Forms\n"), done
    blob = json.loads(skills_command(folder, "read", "skill://pdf/logo.png", "-o", "json").stdout)
    assert blob["blob"].startswith("AAECAw") and blob["skill"] == PDF


@test
def show_prints_entry_and_digests(folder):
    write_config(folder, {"docs": skills()})
    done = skills_command(folder, "show", PDF)
    assert done.returncode == 0 and "server: docs" in done.stdout and done.stdout.count("sha256:") == 3, done.stdout


def refused(folder, why, **options):
    """Loading a file of a server that lies ends with 5 and prints nothing of it."""
    for era in BOTH:
        write_config(folder, {"docs": skills(era, **options)})
        done = skills_command(folder, "load", GIT)
        assert (done.returncode, done.stdout) == (5, ""), done
        assert why in done.stderr, done.stderr


@test
def a_file_of_another_size_is_refused(folder):
    refused(folder, "bytes", change={"git-workflow/SKILL.md": "evil"}, log=str(folder / "log"))
    assert "skills/get " + GIT in asked(folder)  # the entry is asked for again before


@test
def a_file_with_other_bytes_is_refused(folder):
    write_config(folder, {"docs": skills()})
    original = (folder / "copy", skills_command(folder, "read", GIT).stdout)[1]
    refused(folder, "digest", change={"git-workflow/SKILL.md": original.replace("See", "Saw")})
    refused(folder, "digest", change={"git-workflow/SKILL.md": original.replace("See", "Saw")}, no_get=True)


@test
def other_frontmatter_is_refused(folder):
    refused(folder, '"license"', frontmatter={"license": "MIT"})
    refused(folder, '"description"', frontmatter={"description": "another"})


@test
def a_skill_that_changed_meanwhile_is_loaded(folder):
    write_config(folder, {"docs": skills()})
    text = skills_command(folder, "read", GIT).stdout.replace("See", "Better see")
    write_config(folder, {"docs": skills(late={"git-workflow/SKILL.md": text})})
    done = skills_command(folder, "load", GIT)
    assert done.returncode == 0 and "Better see" in done.stdout, done


@test
def a_file_that_is_not_listed_is_refused(folder):
    write_config(folder, {"docs": skills(extra=["pdf/hidden.md"], log=str(folder / "log"))})
    done = skills_command(folder, "read", "skill://pdf/hidden.md")
    assert done.returncode == 5 and not done.stdout, done
    assert not [line for line in asked(folder) if line.startswith("resources/read")], asked(folder)


@test
def a_skill_that_no_list_has_is_asked_for(folder):
    write_config(folder, {"docs": skills(skills={"a": "1", "b": "2"}, log=str(folder / "log"))})
    unknown = skills_command(folder, "load", "skill://c/SKILL.md")
    assert unknown.returncode == 5 and "skills/get skill://c/SKILL.md" in asked(folder), unknown


@test
def a_uri_of_two_servers_needs_a_name(folder):
    write_config(folder, {"a": skills(), "b": skills("legacy", skills={"pdf": "of b"})})
    both = skills_command(folder, "load", PDF)
    assert both.returncode == 5 and "'a' and 'b'" in both.stderr, both
    assert "# pdf" in skills_command(folder, "load", "b", PDF).stdout


@test
def a_server_without_skills_says_so(folder):
    write_config(folder, {"docs": skills(), "plain": {"command": os.environ["TEST_SERVER"]}})
    done = skills_command(folder, "list", "plain")
    assert done.returncode == 5 and "has no skills" in done.stderr, done
    assert skills_command(folder, "list").returncode == 0


@test
def verify_checks_every_file(folder):
    write_config(folder, {"docs": skills()})
    assert skills_command(folder, "verify").returncode == 0
    write_config(folder, {"docs": skills("legacy", change={"pdf/logo.png": "x"}, dynamic=["git-workflow"])})
    done = skills_command(folder, "verify", "docs", "-o", "json")
    found = {s["uri"]: s for s in json.loads(done.stdout)["skills"]}
    assert done.returncode == 5 and not found[PDF]["verified"] and not found[GIT]["verified"], done
    assert found[PDF]["error"]["kind"] == "integrity", found


# ---- copies ----

def synced(folder, *words):
    return skills_command(folder, "sync", "copies", *words)


@test
def sync_copies_verified_files(folder):
    write_config(folder, {"docs": skills(), "old": skills("legacy", skills={"x": "y"})})
    done = synced(folder)
    assert (done.returncode, done.stdout) == (0, "9 files written, 0 unchanged, 0 removed\n"), done
    copies = folder / "copies"
    assert (copies / "old/x/references/FORMS.md").read_text() == "# Forms\n"
    assert (copies / "docs/pdf/logo.png").read_bytes() == bytes(range(256))
    assert {p.stat().st_mode & 0o777 for p in copies.rglob("*") if p.is_dir()} == {0o700}
    assert {p.stat().st_mode & 0o777 for p in copies.rglob("*") if p.is_file()} == {0o600}
    assert len(json.loads((copies / "mcptools.skills.json").read_text())["files"]) == 9
    assert synced(folder).stdout == "0 files written, 9 unchanged, 0 removed\n"
    assert skills_command(folder, "diff", "copies").returncode == 0


@test
def sync_removes_what_is_gone_and_keeps_what_was_edited(folder):
    write_config(folder, {"docs": skills()})
    synced(folder)
    edited = folder / "copies/docs/git-workflow/SKILL.md"
    edited.write_text("mine")
    write_config(folder, {"docs": skills(skills={"git-workflow": "How this team uses Git"})})
    told = skills_command(folder, "diff", "copies")
    assert told.returncode == 5 and told.stdout.count("removed") == 3 and "edited    docs/git-workflow/SKILL.md" in told.stdout, told
    done = synced(folder)
    assert done.returncode == 5 and "--force" in done.stderr and edited.read_text() == "mine", done
    assert not (folder / "copies/docs/pdf").exists()
    assert synced(folder, "--force").returncode == 0 and edited.read_text() != "mine"


@test
def sync_writes_nothing_of_a_skill_that_lies(folder):
    write_config(folder, {"docs": skills(change={"pdf/references/FORMS.md": "evil"})})
    done = synced(folder)
    assert done.returncode == 5 and not (folder / "copies/docs/pdf").exists(), done
    assert (folder / "copies/docs/git-workflow/SKILL.md").exists()


@test
def sync_follows_no_link(folder):
    write_config(folder, {"docs": skills()})
    outside = folder / "outside"
    outside.mkdir()
    (folder / "copies").mkdir()
    (folder / "copies/docs").symlink_to(outside)
    done = synced(folder)
    assert done.returncode == 5 and not list(outside.iterdir()), done
    (folder / "copies/docs").unlink()
    (folder / "copies/docs/pdf").mkdir(parents=True)
    secret = folder / "secret"
    secret.write_text("mine")
    (folder / "copies/docs/pdf/SKILL.md").symlink_to(secret)
    assert synced(folder, "--force").returncode == 5 and secret.read_text() == "mine"


# ---- the gateway ----

OFFERED = {"io.modelcontextprotocol/skills": {"directoryRead": True}}


class Modern:
    """A 2026-07-28 client."""

    def __init__(self, g, path="/mcp"):
        self.g, self.path = g, path
        self.info = self.call("server/discover")

    def said(self, method, params=None):
        return answer(self.g.request("POST", self.path, *stateless(method, params))[2])

    def call(self, method, params=None):
        got = self.said(method, params)
        assert "result" in got, got
        return got["result"]


class Old(Session):
    def said(self, method, params=None):
        return answer(self.post(method, params or {})[2])


def clients(g, path="/mcp"):
    return Modern(g, path), Old(g, path)


def pages(client, params=None):
    """All skills of a list, and the number of its pages."""
    listed, number, cursor = [], 0, None
    while cursor or not number:
        got = client.call("skills/list", {**(params or {}), **({"cursor": cursor} if cursor else {})})
        listed, number, cursor = listed + got["skills"], number + 1, got.get("nextCursor")
    return listed, number


def two(folder, **more):
    return "--config", write_config(folder, {"docs": skills(**more), "old": skills("legacy", skills={"pdf": "of old", "x": "y"}, per_page=1, **more)})


@test
def lists_of_several_servers_are_one(folder):
    with gateway(folder, *two(folder)) as g:
        g.wait_ready()
        for client in clients(g):
            assert client.info["capabilities"]["extensions"] == OFFERED, client.info
            listed, number = pages(client)
            assert [s["uri"] for s in listed] == ["skill://docs/git-workflow/SKILL.md", "skill://docs/pdf/SKILL.md",
                                                  "skill://old/pdf/SKILL.md", "skill://old/x/SKILL.md"] and number == 3, listed
            assert [f["uri"] for f in listed[3]["resources"]] == [f"skill://old/x/{p}" for p in ("SKILL.md", "references/FORMS.md", "logo.png")]
            assert {s["_meta"]["io.github.mcptools/server"] for s in listed} == {"docs", "old"}
            for entry in listed:
                assert client.call("skills/get", {"uri": entry["uri"]})["skill"] == entry
            assert [s["uri"] for s in pages(client, {"_meta": {"io.github.mcptools/server": "old"}})[0]] == [
                "skill://old/pdf/SKILL.md", "skill://old/x/SKILL.md"]
            for cursor in ("made-up", ""):
                assert client.said("skills/list", {"cursor": cursor})["error"]["code"] == -32602
        modern = Modern(g).call("skills/list")
        assert modern["cacheScope"] == "private" and modern["ttlMs"] >= 0 and modern["resultType"] == "complete", modern


@test
def files_are_read_from_the_server_of_the_skill(folder):
    logs = {name: folder / name for name in ("docs.log", "old.log")}
    servers = {"docs": skills(log=str(logs["docs.log"])), "old": skills("legacy", skills={"pdf": "of old"}, log=str(logs["old.log"]))}
    with gateway(folder, "--config", write_config(folder, servers)) as g:
        g.wait_ready()
        for client in clients(g):
            for uri, text in (("skill://old/pdf/SKILL.md", "of old"), ("skill://docs/pdf/SKILL.md", "Read and write")):
                contents = client.call("resources/read", {"uri": uri})["contents"]
                assert contents[0]["uri"] == uri and text in contents[0]["text"], contents
            children = client.call("resources/directory/read", {"uri": "skill://old/pdf"})["resources"]
            assert {c["uri"] for c in children} == {f"skill://old/pdf/{p}" for p in ("SKILL.md", "references", "logo.png")}, children
            for uri in ("skill://old/git-workflow/SKILL.md", "skill://old/nothing/SKILL.md"):
                assert client.said("resources/read", {"uri": uri})["error"]["code"] in (-32002, -32602)
                assert client.said("skills/get", {"uri": uri})["error"]["code"] == -32602
        asked_of_docs = (folder / "docs.log").read_text()
        assert "resources/read skill://git-workflow" not in asked_of_docs and "nothing" not in asked_of_docs, asked_of_docs


@test
def bare_uris_need_one_server(folder):
    with gateway(folder, *two(folder)) as g:
        g.wait_ready()
        for client in clients(g):
            assert "How this" in client.call("resources/read", {"uri": GIT})["contents"][0]["text"]  # docs alone lists it
            for method in ("resources/read", "skills/get"):
                for uri in (PDF, "skill://unlisted/SKILL.md"):
                    error = client.said(method, {"uri": uri})["error"]
                    assert error["code"] == -32602 and f"skill://docs/{uri[8:]} or skill://old/{uri[8:]}" in error["message"], error
            hint = {"uri": PDF, "_meta": {"io.github.mcptools/server": "old"}}
            assert "of old" in client.call("resources/read", hint)["contents"][0]["text"]


@test
def links_and_lists_of_resources_have_labels(folder):
    with gateway(folder, *two(folder)) as g:
        g.wait_ready()
        for client in clients(g):
            listed = [r["uri"] for r in client.call("resources/list")["resources"]]
            assert listed == ["skill://docs/git-workflow/SKILL.md", "skill://docs/pdf/SKILL.md", "skill://old/pdf/SKILL.md",
                              "skill://old/x/SKILL.md"], listed
            content = client.call("tools/call", {"name": "old__find", "arguments": {}})["content"]
            assert content[0]["uri"] == "skill://old/pdf/SKILL.md", content
            assert content[1]["resource"] == {"uri": "skill://old/pdf/SKILL.md", "text": f"about {PDF}"}, content


@test
def the_endpoint_of_one_server_passes_everything_as_it_is(folder):
    with gateway(folder, *two(folder)) as g:
        g.wait_ready()
        for client in (*clients(g, "/mcp/docs"), *clients(g, "/mcp/old")):
            assert client.info["capabilities"]["extensions"]["io.modelcontextprotocol/skills"] == {"directoryRead": True}
            entry = client.call("skills/get", {"uri": PDF})["skill"]
            assert entry["uri"] == PDF and "_meta" not in entry, entry
            assert client.call("resources/read", {"uri": PDF})["contents"][0]["uri"] == PDF


@test
def one_server_alone_has_no_label(folder):
    with gateway(folder, "--config", write_config(folder, {"docs": skills()})) as g:
        g.wait_ready()
        for client in clients(g):
            assert [s["uri"] for s in pages(client)[0]] == [GIT, PDF]
            assert client.call("resources/read", {"uri": PDF})["contents"][0]["uri"] == PDF


@test
def other_schemes_have_labels_as_well(folder):
    with gateway(folder, "--config", write_config(folder, {"gh": skills(scheme="github://o/"), "old": skills("legacy")})) as g:
        g.wait_ready()
        for client in clients(g):
            uri = pages(client)[0][0]["uri"]
            assert uri == "skill://gh/+github/o/git-workflow/SKILL.md", uri
            assert client.call("resources/read", {"uri": uri})["contents"][0]["uri"] == uri
            assert client.call("skills/get", {"uri": uri})["skill"]["uri"] == uri


@test
def a_server_that_is_down_is_left_out(folder):
    servers = {"gone": {"command": "/nonexistent"}, "docs": skills(), "plain": {"command": os.environ["TEST_SERVER"]}}
    with gateway(folder, "--config", write_config(folder, servers)) as g:
        until(lambda: g.request("POST", "/mcp", *stateless("tools/list"))[0] == 200 and "docs__find" in g.request(
            "POST", "/mcp", *stateless("tools/list"))[2].decode(), "docs is connected")
        for client in clients(g):
            assert [s["uri"] for s in pages(client)[0]] == ["skill://docs/git-workflow/SKILL.md", "skill://docs/pdf/SKILL.md"]


@test
def the_allowlist_of_schemes_applies_to_the_servers_uri(folder):
    servers = {"gh": skills(scheme="github://o/"), "old": skills("legacy")}
    config = write_config(folder, servers, {"mcp": {"resource_uri_allowlist": ["skill"]}})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        for client in clients(g):
            assert client.call("resources/read", {"uri": "skill://old/pdf/SKILL.md"})["contents"]
            for method in ("resources/read", "skills/get", "resources/directory/read"):
                error = client.said(method, {"uri": "skill://gh/+github/o/pdf/SKILL.md"})["error"]
                assert "resource_uri_allowlist" in error["message"], error


# ---- hosts without skills ----

def tool(client, name, **arguments):
    """Text of a tool call, and whether it is an error."""
    got = client.call("tools/call", {"name": name, "arguments": arguments})
    return got["content"][0].get("text", got["content"][0]), got.get("isError", False)


@test
def tools_load_skills_for_hosts_that_know_none(folder):
    with gateway(folder, *two(folder), "--dialect", "skills") as g:
        g.wait_ready()
        for client in clients(g):
            assert {"list_skills", "load_skill", "read_skill_file"} <= {t["name"] for t in client.call("tools/list")["tools"]}
            listed = json.loads(tool(client, "list_skills")[0])["skills"]
            assert [(s["server"], s["name"]) for s in listed] == [("docs", "git-workflow"), ("docs", "pdf"), ("old", "pdf"), ("old", "x")]
            text, failed = tool(client, "load_skill", uri=GIT)
            assert not failed and text.startswith('Skill "git-workflow" of the MCP server "docs". These are instructions of the server, not of the user.')
            assert "File: skill://git-workflow/references/FORMS.md (8 bytes)" in text and text.endswith("See [forms](references/FORMS.md).\n"), text
            assert "---" not in text
            assert tool(client, "read_skill_file", uri="skill://x/references/FORMS.md") == ("# Forms\n", False)
            assert tool(client, "read_skill_file", uri="skill://x/logo.png")[0]["resource"]["blob"].startswith("AAEC")
            assert tool(client, "load_skill", uri=PDF) == (f"servers 'docs' and 'old' have the skill {PDF}; name one of them", True)
            assert "# pdf" in tool(client, "load_skill", uri=PDF, server="old")[0]
            for arguments in ({"uri": "skill://nothing/SKILL.md"}, {"uri": GIT, "server": "nobody"}, {"uri": " "}):
                assert tool(client, "load_skill", **arguments)[1], arguments


@test
def tools_refuse_what_cannot_be_verified(folder):
    servers = {"docs": skills(change={"pdf/SKILL.md": "evil"}, extra=["git-workflow/hidden"], frontmatter={"allowed-tools": "Bash"}),
               "old": skills("legacy", skills={"x": "y"}, dynamic=["x"])}
    with gateway(folder, "--config", write_config(folder, servers), "--dialect", "skills") as g:
        g.wait_ready()
        for client in clients(g):
            for name, uri in (("load_skill", PDF), ("load_skill", GIT), ("read_skill_file", "skill://git-workflow/hidden"),
                              ("read_skill_file", "skill://x/references/FORMS.md")):
                text, failed = tool(client, name, uri=uri)
                assert failed and "evil" not in text and "extra" not in text, (name, uri, text)
            assert "# x" in tool(client, "load_skill", uri="skill://x/SKILL.md")[0]  # its frontmatter is that of the entry


@test
def a_person_loads_a_skill_by_a_prompt(folder):
    with gateway(folder, *two(folder), "--dialect", "skills") as g:
        g.wait_ready()
        for client in clients(g):
            listed = client.call("prompts/list")["prompts"]
            assert [p["name"] for p in listed] == ["load_skill"], listed
            for skill in ("git-workflow", GIT):
                message = client.call("prompts/get", {"name": "load_skill", "arguments": {"skill": skill}})["messages"][0]
                assert message["role"] == "user" and message["content"]["text"].endswith("See [forms](references/FORMS.md).\n"), message
            text = client.call("prompts/get", {"name": "load_skill", "arguments": {"skill": "pdf", "server": "old"}})["messages"][0]["content"]["text"]
            assert text.startswith('Skill "pdf" of the MCP server "old".'), text
            for arguments, why in (({"skill": "pdf"}, "several skills"), ({"skill": "none"}, "no server lists"), ({}, "required"),
                                   ({"skill": "x", "server": "nobody"}, "unknown server")):
                error = client.said("prompts/get", {"name": "load_skill", "arguments": arguments})["error"]
                assert error["code"] == -32602 and why in error["message"], error


@test
def the_block_for_a_system_prompt_lists_skills(folder):
    write_config(folder, {"docs": skills(), "liar": skills("legacy", skills={"x": "one  line"})})
    done = run(folder, "tools", "--prompt", "--dialect", "skills")
    assert done.returncode == 0 and "1. git-workflow (server docs) - How this team uses Git\n   URI: " + GIT in done.stdout, done
    assert "3. x (server liar) - one line\n" in done.stdout and "read_resource" not in done.stdout, done.stdout
    assert "skills" not in run(folder, "tools", "--prompt").stdout


# ---- a folder ----

def folder_of(folder, text="How this team uses Git"):
    """A folder with two skills, one in the other, and things that are none."""
    top = folder / "skills"
    for path, data in {"git-workflow/SKILL.md": f"---\nname: git-workflow\ndescription: {text}\nversion: 1.0\n---\n# Git\n",
                       "git-workflow/references/FORMS.md": "# Forms\n", "git-workflow/a b.txt": "x",
                       "git-workflow/inner/SKILL.md": "---\nname: inner\ndescription: i\n---\n",
                       "wrong/SKILL.md": "---\nname: other\ndescription: d\n---\n", "bare/SKILL.md": "no frontmatter\n",
                       "git-workflow/.hidden": "h", "README.md": "none"}.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(data)
    (top / "git-workflow/logo.bin").write_bytes(bytes([255, 0, 1]))
    (folder / "secret").write_text("mine")
    (top / "git-workflow/link").unlink(missing_ok=True)
    (top / "git-workflow/link").symlink_to(folder / "secret")
    return {"type": "skills", "path": "skills"}


@test
def a_folder_is_served_as_skills(folder):
    write_config(folder, {"own": folder_of(folder)})
    done = skills_command(folder, "list")
    assert done.returncode == 0, done
    assert [line.split()[1] for line in done.stdout.splitlines()] == [GIT, "skill://git-workflow/inner/SKILL.md"], done.stdout
    assert "wrong/SKILL.md is left out" in done.stderr and "bare/SKILL.md is left out" in done.stderr, done.stderr
    assert skills_command(folder, "verify").returncode == 0
    shown = json.loads(skills_command(folder, "show", GIT, "-o", "json").stdout)
    assert shown["frontmatter"]["version"] == 1 and [f["uri"][21:] for f in shown["resources"]] == [
        "SKILL.md", "a%20b.txt", "inner/SKILL.md", "logo.bin", "references/FORMS.md"], shown
    assert skills_command(folder, "read", "skill://git-workflow/a%20b.txt").stdout == "x"
    for uri in ("skill://README.md", "skill://git-workflow/link", "skill://git-workflow/.hidden", "skill://wrong/SKILL.md"):
        assert run(folder, "read", "own", uri).returncode == 5, uri


@test
def a_folder_that_changes_is_served_anew(folder):
    config = write_config(folder, {"own": folder_of(folder)})
    with gateway(folder, "--config", config) as g:
        g.wait_ready()
        for client in clients(g):
            folder_of(folder, f"text of {type(client).__name__}")
            listed, _ = pages(client)
            assert listed[0]["frontmatter"]["description"] == f"text of {type(client).__name__}", listed
            text = client.call("resources/read", {"uri": GIT})["contents"][0]["text"]
            assert len(text.encode()) == listed[0]["resources"][0]["size"], listed
            children = client.call("resources/directory/read", {"uri": "skill://git-workflow"})["resources"]
            assert [(c["name"], c["mimeType"]) for c in children] == [
                ("SKILL.md", "text/markdown"), ("a%20b.txt", "text/plain"), ("inner", "inode/directory"),
                ("logo.bin", "application/octet-stream"), ("references", "inode/directory")], children
            for method in ("skills/get", "resources/directory/read"):
                for uri in (GIT + "/x", "skill://wrong/SKILL.md"):
                    assert client.said(method, {"uri": uri})["error"]["code"] == -32602
            assert client.said("skills/get", {})["error"]["code"] == -32602


@test
def a_folder_that_is_missing_is_an_error(folder):
    write_config(folder, {"own": {"type": "skills", "path": "nothing"}})
    done = skills_command(folder, "list")
    assert done.returncode == 4 and "nothing: No such file" in done.stderr, done
    write_config(folder, {"own": {"type": "skills"}})
    assert 'needs "path"' in run(folder, "config", "check").stdout


if __name__ == "__main__":
    main()
