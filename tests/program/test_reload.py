"""A running gateway reads its configuration again: when files change, and at SIGHUP.

RELOAD_CLIENTS and RELOAD_CHANGES set the size of the test under load (64 and 100 in the full form).
"""

import http.client
import json
import os
import signal
import threading

from harness import (PATIENCE_S, Session, Stream, answer, gateway, main, processes_with, server, stateless, test,
                     until, write_config)

CLIENTS = int(os.environ.get("RELOAD_CLIENTS", "16"))
CHANGES = int(os.environ.get("RELOAD_CHANGES", "20"))


def told(g, text, times=1):
    until(lambda: g.text().count(text) >= times, f"{text} in: {g.text()}")


def names(session):
    return [t["name"] for t in session.call("tools/list")["tools"]]


def process_of(folder, name):
    """The one process of the server with this name."""
    return until(lambda: (lambda p: p[0] if len(p) == 1 else None)(processes_with(mark(folder, name))), name)


def mark(folder, name):
    return f"--record {folder}/{name}"


def named(folder, name, *more):
    return server("--record", folder / name, "--name", name, *more)


@test
def only_changed_servers_are_restarted(folder):
    config = {"same": named(folder, "same"), "other": named(folder, "other"), "gone": named(folder, "gone")}
    path = write_config(folder, config)
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        session = Session(g)
        before = {name: process_of(folder, name) for name in config}
        with Stream(g, "GET", "/mcp", session.headers) as stream:
            stream.until(b"\r\n\r\n")
            config["other"]["args"] += ["--tools", "5"]
            config["new"] = named(folder, "new")
            del config["gone"]
            same = config.pop("same")  # the order of keys and servers is no change
            config["same"] = {"args": same["args"], "command": same["command"]}
            write_config(folder, config)
            told(g, "configuration reloaded: -gone ~other +new\n")
            stream.until(b"notifications/tools/list_changed")
        until(lambda: sum("other" in n for n in names(session)) == 5, "the new tools of other")
        until(lambda: any("new" in n for n in names(session)), "the tools of new")
        assert not any("gone" in n for n in names(session)), names(session)
        assert process_of(folder, "same") == before["same"]
        assert process_of(folder, "other") != before["other"]
        until(lambda: not processes_with(mark(folder, "gone")), "gone has ended")
        assert [n.split("__")[0] for n in names(session)][0] == "other", "lists are in the order of the file"
        assert g.request("POST", "/mcp/new", *stateless("tools/list"))[0] == 200


@test
def settings_of_the_start_stay_for_new_clients(folder):
    settings = {"mcp": {"default_server": "the-server-that-is-asked-first", "resource_uri_allowlist": ["test://*"]}}
    servers = {"the-server-that-is-asked-first": named(folder, "first"), "other": named(folder, "other")}
    path = write_config(folder, servers, settings)
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        del servers["other"]
        write_config(folder, servers, settings)
        told(g, "configuration reloaded: -other\n")
        assert all("first" in n for n in names(Session(g)))


@test
def running_calls_finish(folder):
    config = {"slow": named(folder, "slow"), "gone": named(folder, "gone")}
    path = write_config(folder, config)
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        session = Session(g)
        old = process_of(folder, "slow")
        results = {}

        def call(name):
            results[name] = session.call("tools/call", {"name": name, "arguments": {"delay_ms": 3000}}, id=name)

        calls = [threading.Thread(target=call, args=(f"{name}__{name}tool0",)) for name in config]
        for thread in calls:
            thread.start()
        for name in config:
            until(lambda: "tools/call" in (folder / name).read_text(), "the call runs")
        del config["gone"]
        config["slow"]["env"] = {"CHANGED": "1"}
        write_config(folder, config)
        told(g, "configuration reloaded: -gone ~slow\n")
        for thread in calls:
            thread.join(PATIENCE_S)
        assert len(results) == 2 and not any(r.get("isError") for r in results.values()), results
        until(lambda: old not in processes_with(mark(folder, "slow")), "the old process has ended")
        assert not any("gone" in n for n in names(session))


@test
def a_broken_file_changes_nothing(folder):
    config = {"one": named(folder, "one")}
    path = write_config(folder, config)
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        before = process_of(folder, "one")
        path.write_text('{"mcpServers": {\n  "one": {"command": ]}}')
        told(g, f"the configuration was not reloaded; the old one stays in use: {path}:2:22: not valid JSON")
        path.unlink()
        told(g, f"the old one stays in use: {path}: No such file or directory")
        write_config(folder, {**config, "two": named(folder, "two")})
        told(g, "configuration reloaded: +two\n")
        assert process_of(folder, "one") == before
        write_config(folder, {"one": {"command": "/nowhere/to/be/found"}, "two": named(folder, "two")})
        told(g, "configuration reloaded: ~one\n")
        until(lambda: b"/nowhere/to/be/found" in g.request("GET", "/readyz")[2], "the failure is told")
        write_config(folder, {**config, "two": named(folder, "two")})
        told(g, "configuration reloaded: ~one\n", 2)
        process_of(folder, "one")


@test
def files_are_found_however_they_are_replaced(folder):
    home = folder / "home"
    home.mkdir()
    links = folder / "links"
    for version in ("first", "second"):
        (links / version).mkdir(parents=True)
    write_config(links / "first", {"one": named(folder, "one")})
    write_config(links / "second", {"two": named(folder, "two")})
    (links / "current").symlink_to("first")
    env = {"XDG_CONFIG_HOME": str(home / "config")}
    with gateway(folder, "--config", links / "current" / "mcptools.json") as g:
        (links / "next").symlink_to("second")
        (links / "next").rename(links / "current")
        told(g, "configuration reloaded: -one +two\n")
        new = write_config(links / "second", {"three": named(folder, "three")}, name="new")
        new.rename(links / "second" / "mcptools.json")
        told(g, "configuration reloaded: -two +three\n")
    with gateway(home, env=env) as g:  # nothing is configured: the demo server
        assert "nothing is configured" in g.text(), g.text()
        place = home / "config" / "mcptools"
        place.mkdir(parents=True)
        write_config(place, {"four": named(folder, "four")})
        told(g, "configuration reloaded: -demo +four\n")


@test
def a_signal_reloads_and_never_ends(folder):
    config = {"one": named(folder, "one")}
    path = write_config(folder, config, {"serve": {"watch": False}})
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        g.process.send_signal(signal.SIGHUP)
        told(g, "configuration reloaded: no server has changed\n")
        config["two"] = named(folder, "two")
        write_config(folder, config, {"serve": {"watch": False}, "names": {"max_length": 50}})
        g.process.send_signal(signal.SIGHUP)
        told(g, "configuration reloaded: +two\n")
        told(g, "mcptools.names.max_length has changed: restart the gateway to apply that")
        assert g.process.poll() is None


@test
def subscriptions_follow_a_changed_server(folder):
    servers = {"one": named(folder, "one", "--subscribe", "--resources", 2)}
    path = write_config(folder, servers)
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        session = Session(g)
        uri = session.call("resources/list")["resources"][0]["uri"]
        session.call("resources/subscribe", {"uri": uri})
        servers["one"]["args"][1] = str(folder / "again")
        write_config(folder, servers)
        told(g, "configuration reloaded: ~one\n")
        until(lambda: (folder / "again").exists() and "resources/subscribe" in (folder / "again").read_text(),
              "the new process has the subscription")


@test
def lazy_servers_are_replaced(folder):
    servers = {"one": named(folder, "one"), "lazy": {**named(folder, "lazy"), "lifecycle": "lazy"}}
    path = write_config(folder, servers)
    call = {"name": "lazy__lazytool0", "arguments": {}}
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        session = Session(g)
        assert not session.call("tools/call", call).get("isError")
        servers["lazy"]["args"] += ["--tools", "5"]
        write_config(folder, servers)
        told(g, "configuration reloaded: ~lazy\n")
        until(lambda: sum(n.startswith("lazy") for n in names(session)) == 5, "the new tools")
        assert not session.call("tools/call", call).get("isError")
    with gateway(folder, "--config", path) as g:  # its lists are known
        told(g, "ready: 2 of 2 servers, 8 tools in ")
        assert "1 of them idle" in g.text() and "server 'lazy'" not in g.text(), g.text()
        session = Session(g.wait_ready())
        servers["lazy"]["env"] = {"A": "1"}
        write_config(folder, servers)
        told(g, "configuration reloaded: ~lazy\n")
        until(lambda: any(n.startswith("lazy") for n in names(session)), "its tools")
        assert not session.call("tools/call", call).get("isError")


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def status_of(g, headers=None):
    body, more = stateless("tools/list")
    return g.request("POST", "/mcp", body, {**more, **(headers or {})})[0]


@test
def policy_changes_at_once(folder):
    servers = {"one": named(folder, "one"), "two": named(folder, "two")}
    path = write_config(folder, servers)
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        session = Session(g)
        assert "two__twotool0" in names(session)
        before = {name: process_of(folder, name) for name in servers}
        with Stream(g, "GET", "/mcp", session.headers) as stream:
            stream.until(b"\r\n\r\n")
            write_config(folder, servers, {"policy": {"deny": ["two.*"], "read_only": True}})
            told(g, "configuration reloaded:")
            stream.until(b"notifications/tools/list_changed")
        assert [n for n in names(session) if n.startswith("two")] == []
        _, _, body = session.post("tools/call", {"name": "two__twotool0", "arguments": {}})
        assert "error" in answer(body), body
        _, _, body = session.post("tools/call", {"name": "one__onetool0", "arguments": {}})
        assert answer(body)["result"]["isError"], body  # read-only
        write_config(folder, servers, {"policy": {"allow": ["two.*"]}})
        told(g, "configuration reloaded:", 2)
        assert not [n for n in names(session) if n.startswith("one")], names(session)
        assert not session.call("tools/call", {"name": "two__twotool0", "arguments": {}}).get("isError")
        assert {name: process_of(folder, name) for name in servers} == before
        assert "restart the gateway" not in g.text(), g.text()


@test
def tokens_come_and_go(folder):
    servers = {"one": named(folder, "one"), "two": named(folder, "two")}

    def tokens(*them):
        number = g.text().count("configuration reloaded:")
        write_config(folder, servers, {"serve": {"tokens": list(them)}} if them else None)
        told(g, "configuration reloaded:", number + 1)

    first, second = {"token": "aaaa", "name": "first"}, {"token": "bbbb", "name": "second", "deny": ["two.*"]}
    with gateway(folder, "--config", write_config(folder, servers)) as g:
        g.wait_ready()
        anybody = Session(g)
        tokens(first)
        assert status_of(g) == 401 and status_of(g, bearer("aaaa")) == 200 and status_of(g, bearer("bbbb")) == 401
        tokens(second, first)
        a, b = Session(g, headers=bearer("aaaa")), Session(g, headers=bearer("bbbb"))
        anybody.headers.update(bearer("aaaa"))
        assert anybody.post("tools/list")[0] == 404, "the session of nobody has ended"
        assert len(names(a)) == 6 and len(names(b)) == 3, (names(a), names(b))
        body, headers = stateless("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        with Stream(g, "POST", "/mcp", {**headers, **bearer("bbbb")}, body) as stream:
            stream.until(b"subscriptions/acknowledged")
            tokens(first, {**second, "token": "cccc"})
            stream.rest()
        assert status_of(g, bearer("bbbb")) == 401 and status_of(g, bearer("cccc")) == 200
        assert len(names(a)) == 6, "the other session goes on"
        b.headers.update(bearer("cccc"))
        assert b.post("tools/list")[0] == 404
        tokens({**first, "deny": ["one.*"]})
        assert a.post("tools/list")[0] == 404 and status_of(g, bearer("cccc")) == 401
        assert len(names(Session(g, headers=bearer("aaaa")))) == 3
        assert b"first" in g.request("GET", "/metrics", None, bearer("aaaa"))[2]
        tokens()
        assert status_of(g) == 200 and len(names(Session(g))) == 6


@test
def an_open_gateway_keeps_its_tokens(folder):
    servers = {"one": named(folder, "one")}
    path = write_config(folder, servers, {"serve": {"http": "0.0.0.0:0", "tokens": ["aaaa"]}})
    with gateway(folder, "--http", "0.0.0.0:0", "--config", path) as g:
        write_config(folder, servers)
        told(g, "the old one stays in use: listening on 0.0.0.0:0 lets other machines use every tool")
        assert status_of(g) == 401 and status_of(g, bearer("aaaa")) == 200


@test
def hosts_and_origins_change(folder):
    servers = {"one": named(folder, "one")}
    path = write_config(folder, servers, {"serve": {"origins": ["https://old.example"]}})
    with gateway(folder, "--config", path) as g:
        def asks(origin, host="localhost"):
            _, headers, _ = g.request("GET", "/healthz", None, {"Origin": origin, "Host": host})
            return headers["Access-Control-Allow-Origin"]

        assert asks("https://old.example") == "https://old.example" and not asks("https://new.example")
        write_config(folder, servers, {"serve": {"origins": ["https://new.example"], "hosts": ["gate.example"]}})
        told(g, "configuration reloaded:")
        assert asks("https://new.example", "gate.example") == "https://new.example" and not asks("https://old.example")


class Caller(threading.Thread):
    """A client that calls tools one after the other, in a session or without one."""

    def __init__(self, g, number, over):
        super().__init__()
        self.g, self.number, self.over = g, number, over
        self.session = Session(g) if number % 2 else None
        self.done, self.lost = {"keep": 0, "change": 0}, []

    def call(self, connection, name):
        params = {"name": f"{name}__{name}tool0", "arguments": {"delay_ms": self.number % 4 * 10}}
        body, headers = stateless("tools/call", params)
        if self.session:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            headers = self.session.headers
        connection.request("POST", "/mcp", body, headers)
        return connection.getresponse().read()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.g.port, timeout=PATIENCE_S)
        while not self.over.is_set():
            for name in self.done:
                text = self.call(connection, name)
                result = answer(text).get("result", {})
                if not result or result.get("isError"):
                    self.lost.append((name, text))
                self.done[name] += 1
        connection.close()


def descriptors(g):
    return len(os.listdir(f"/proc/{g.process.pid}/fd"))


@test
def no_call_is_lost(folder):
    config = {"keep": named(folder, "keep"), "change": named(folder, "change")}
    path = write_config(folder, config)
    with gateway(folder, "--config", path) as g:
        g.wait_ready()
        over = threading.Event()
        callers = [Caller(g, number, over) for number in range(CLIENTS)]
        keep = process_of(folder, "keep")
        base = descriptors(g), len(processes_with(f"--record {folder}/"))
        for caller in callers:
            caller.start()
        for number in range(CHANGES):
            config["change"]["env"] = {"NUMBER": str(number)}
            config.pop("come", None)
            if number % 2 == 0:
                config["come"] = named(folder, "come")
            write_config(folder, config)
            told(g, "configuration reloaded:", number + 1)
        over.set()
        for caller in callers:
            caller.join()
        lost = [one for caller in callers for one in caller.lost]
        done = {name: sum(caller.done[name] for caller in callers) for name in ("keep", "change")}
        print(f"# {CLIENTS} clients, {CHANGES} changes, {done} calls, {len(lost)} lost")
        assert not lost and all(done.values()), lost[:3]
        config.pop("come", None)
        write_config(folder, config)
        until(lambda: len(processes_with(f"--record {folder}/")) == base[1], "no process is left")
        until(lambda: descriptors(g) <= base[0], "no descriptor is left")
        assert process_of(folder, "keep") == keep


main()
