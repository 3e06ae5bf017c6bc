"""`mcptools search`: a registry of packages asked, and what its answers become."""

import json

from harness import main, run, test, write_config
from registry_server import FILES, GITHUB, Registry, plain
from terminal import Terminal


def search(folder, registry, *words, **more):
    return run(folder, "search", "--registry", registry.url, *words, **more)


@test
def finds_servers_and_shows_how_they_run(folder):
    with Registry() as r:
        r.add(GITHUB).add(FILES)
        p = search(folder, r, "filesystem")
        assert p.returncode == 0, p
        assert p.stdout == "io.github.someone/server-filesystem  1.0.2  npm\n    Read and write files\n", p.stdout
        p = search(folder, r, "github", "-o", "json")
        found = json.loads(p.stdout)
        assert found["registry"] == r.url and not found["more"]
        assert [s["name"] for s in found["servers"]] == [GITHUB["name"]], found
        assert found["servers"][0]["runs"] == ["oci", "remote"] and found["servers"][0]["title"] == "GitHub"


@test
def the_owners_server_comes_before_names_that_have_the_word_somewhere(folder):
    with Registry() as r:
        r.page = 5
        for i in range(40):
            r.add(plain(f"io.github.user{i:02}/tool", description="A tool"))
        r.add(plain("io.github.zed/github")).add(GITHUB)
        names = [s["name"] for s in json.loads(search(folder, r, "github", "-o", "json").stdout)["servers"]]
        assert names == [GITHUB["name"], "io.github.zed/github"], names


@test
def several_words_must_all_match(folder):
    with Registry() as r:
        r.add(plain("com.a/weather", title="Weather of Berlin")).add(plain("com.b/weather"))
        names = [s["name"] for s in json.loads(search(folder, r, "weather", "berlin", "-o", "json").stdout)["servers"]]
        assert names == ["com.a/weather"], names


@test
def pages_are_followed_and_further_ones_are_said(folder):
    with Registry() as r:
        r.page = 3
        for i in range(20):
            r.add(plain(f"com.example{i}/a-weather"))
        found = json.loads(search(folder, r, "weather", "-o", "json").stdout)
        assert len(found["servers"]) == 12 and found["more"], found
        r.page = 100
        found = json.loads(search(folder, r, "weather", "-o", "json").stdout)
        assert len(found["servers"]) == 20 and not found["more"], found


@test
def only_the_newest_version_is_shown_and_no_deleted_one(folder):
    with Registry() as r:
        r.add(plain("com.a/x", "1.0.0")).add(plain("com.a/x", "1.10.0")).add(plain("com.b/x"), "deleted")
        r.add(plain("com.c/x"), "deprecated")
        assert search(folder, r, "x").stdout == ("com.a/x  1.10.0\n    The server com.a/x\n"
                                                 "com.c/x  1.0.0  (deprecated)\n    The server com.c/x\n")
        versions = [{"server": plain("com.a/x", v), "_meta": {}} for v in ("1.9.0", "1.10.0", "1.2.0")]
        r.answers["/v0.1/servers"] = (200, {"servers": versions, "metadata": {}})
        assert search(folder, r, "x").stdout.startswith("com.a/x  1.10.0\n")


@test
def the_registry_is_configured_in_four_places(folder):
    with Registry() as r, Registry() as other:
        r.add(plain("com.a/x"))
        other.add(plain("com.b/x"))
        write_config(folder, {}, {"registry": {"url": r.url + "/"}})
        assert "com.a/x" in run(folder, "search", "x").stdout
        env = {"MCPTOOLS_REGISTRY_URL": other.url + "/v0.1"}
        assert "com.b/x" in run(folder, "search", "x", env=env).stdout
        assert "com.a/x" in search(folder, r, "x", env=env).stdout


@test
def what_goes_wrong_is_said(folder):
    with Registry() as r:
        p = search(folder, r, "nothing")
        assert p.returncode == 5 and p.stderr == (f"mcptools: the registry {r.url} has no server that matches all of "
                                                  "these words\n"), p
        for answer, status, said in (
                ((200, b"<html>"), 4, f"the registry {r.url}: the answer is not JSON; is this the URL of a registry?"),
                ((200, {}), 4, 'the answer has no "servers"; is this the URL of a registry?'),
                ((404, {}), 4, "answers with HTTP 404; is this the URL of a registry?"),
                ((503, {}), 4, "answers with HTTP 503"),
                ((403, {}), 3, "answers with HTTP 403"),
                ((200, b"[" * (1 << 20) + b"]"), 5, "larger than 1048576 bytes")):
            r.answers["/"] = answer
            p = search(folder, r, "x")
            assert said in p.stderr and p.stderr.count("\n") == 1, p
            assert p.returncode == status, (status, p)
        r.answers["/"] = (200, {"servers": [{"server": plain("no slash")}, 7, {"server": {"name": 3}}, plain("com.flat/x")],
                                "metadata": None})
        assert search(folder, r, "x").stdout.startswith("com.flat/x  1.0.0\n")
        r.answers["/"] = (0, None)
        p = search(folder, r, "x", "--timeout", "0.2")
        assert p.returncode == 6 and "no complete answer within" in p.stderr, p
        closed = r.url
    p = run(folder, "search", "--registry", closed, "x", "-o", "json")
    assert p.returncode == 4 and json.loads(p.stdout)["error"]["kind"] == "connect", p


@test
def a_stranger_does_not_control_the_terminal(folder):
    with Registry() as r:
        r.add(plain("com.a/x", title="\x1b[31mred", version="1\x1b]0;t\x07", ))
        r.entries[0]["server"]["description"] = "one\ntwo \x1b[2J " + "words " * 40
        status, out = Terminal(folder, "search", "x", "--registry", r.url, env={"COLUMNS": "60"}).end()
        assert status == 0 and b"one two ?[2J" in out and b"\x1b[2J" not in out and b"\x1b]" not in out, out
        assert all(len(line) <= 60 for line in out.decode().split("\r\n") if "words" in line), out
        assert b"'mcptools add NAME' adds one of them." in out
        # the pager collects the output in a file, which has no width
        _, out = Terminal(folder, "search", "x", "--registry", r.url, env={"PAGER": "less"}, size=(50, 60)).end()
        assert all(len(line) <= 60 for line in out.decode().split("\r\n") if "words" in line), out


main()
