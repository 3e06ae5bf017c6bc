"""Text of servers never steers a terminal, whatever the command; and what a terminal is wanted to show."""

import http.server
import json
import pathlib
import re
import sys
import threading

from harness import main, run, test, until, write_config
from terminal import Terminal

SERVER = str(pathlib.Path(__file__).parent / "hostile_server.py")
EVIL = "pwn\x1b]0;x\x07\x9b2J\u202e\u2066"
OWN = re.compile(rb"\x1b\[(?:0|1|2|31|32|33)m|\r\x1b\[K|\r\x1b\[\d+A\x1b\[J")
BAD = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\r*\n)")


def hostile(*arguments):
    return {"command": sys.executable, "args": [SERVER, *arguments], "protocol": "legacy"}


def check(what, out):
    """Nothing in there but text, line ends and our own colours and progress."""
    text = OWN.sub(b"", out).decode()  # invalid UTF-8 fails
    found = BAD.search(text)
    assert not found, (what, found, out[-3000:])
    return text


class Answers(http.server.BaseHTTPRequestHandler):
    """Refusals with hostile headers and bodies."""

    def do_POST(self):
        evil = b"pwn\x1b]0;x\x07\x1b[2J\xc2\x9b2J\xe2\x80\xae"
        self.rfile.read(int(self.headers["Content-Length"]))
        kind = self.path.strip("/")
        head = {"moved": b"HTTP/1.1 302 " + evil + b"\r\nLocation: http://evil.example/" + evil,
                "type": b"HTTP/1.1 200 OK\r\nContent-Type: text/" + evil,
                "auth": b"HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer error=\"" + evil + b"\"",
                "body": b"HTTP/1.1 500 Oops\r\nContent-Type: text/plain"}[kind]
        self.wfile.write(head + b"\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(evil) + evil)
        self.close_connection = True

    do_GET = do_DELETE = lambda self: self.send_error(405)

    def log_message(self, *_):
        pass


COMMANDS = [
    ("list",), ("list", "evil"), ("list", "evil", "--schema"), ("list", "evil.plain"), ("list", "evil", "-o", "json"),
    ("list", "-o", "json"), ("resources",), ("resources", "-o", "json"), ("templates",), ("templates", "-o", "json"),
    ("prompts",), ("prompts", "-o", "json"), ("read", "evil", "x://a"), ("read", "evil", "x://a", "-o", "raw"),
    ("read", "evil", "x://a", "-o", "json"), ("prompt", "evil.plain"), ("prompt", "evil.plain", "-o", "raw"),
    ("prompt", "evil.plain", "-o", "json"), ("tools",), ("tools", "-o", "json"), ("tools", "--prompt"), ("tools", "--cost"),
    ("tools", "--for", "openai"), ("tools", "--for", "gemini", "-o", "json"), ("tools", "--explain", "evil.plain"),
    ("status",), ("status", "evil"), ("status", "-o", "json"), ("agent", "list"), ("agent", "read", "x://a"),
    ("agent", "list", "-o", "json"), ("call", "evil.plain"), ("call", "evil.plain", "-o", "raw"),
    ("call", "evil.plain", "-o", "json"), ("call", "evil.fails"), ("call", "evil.refuses"),
    ("call", "evil.refuses", "-o", "json"), ("call", "evil.structured"), ("call", "evil." + EVIL),
    ("read", "x://" + EVIL), ("prompt", "evil." + EVIL), ("list", EVIL), (EVIL,), ("list", "--" + EVIL), ("config", "list"),
    ("config", "get", "evil"), ("config", "check"), ("config", "get", EVIL), ("call", "ListMcpResources", "--dialect", "nexo"),
]
SILENT_OF_SERVERS = {"--cost", "config"}


@test
def no_command_lets_text_steer_the_terminal(folder):
    config = write_config(folder, {"evil": hostile(), "down": hostile("--refuse"),
                                   "odd": {"command": "no-such-program", "args": [EVIL]}}, {EVIL: 1})
    for command in COMMANDS:
        status, out = Terminal(folder, *command, "--config", config, "--timeout", "20").end()
        text = check(command, out)
        assert "pwn" in text or SILENT_OF_SERVERS & set(command), (command, status, text)


@test
def nor_do_refusals_over_http(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    config = write_config(folder, {k: {"url": base + k, "type": "http"} for k in ("moved", "type", "auth", "body")})
    for command in (("list",), ("status",), ("status", "-o", "json"), ("call", "moved.x"), ("call", "type.x"),
                    ("call", "auth.x"), ("call", "body.x"), ("resources",)):
        text = check(command, Terminal(folder, *command, "--config", config, "--timeout", "20").end()[1])
        assert "pwn" in text, (command, text)
    server.shutdown()
    server.server_close()


@test
def nor_do_questions(folder):
    config = write_config(folder, {"evil": hostile()})
    t = Terminal(folder, "call", "evil.asks", "--config", config)
    t.until(b"ancel: ")
    t.type(b"y\n")
    at = t.until(b"]: ")
    t.type(b"\n")
    at = t.until(b"choose one: ", at)
    t.type(b"neither\n")  # the validator says what was wanted
    t.until(b"choose one: ", at)
    t.type(b"2\n")
    status, out = t.end()
    text = check("asks", out)
    assert status == 0 and '"b": "b"' in text and "must" in text, (status, text)


@test
def nor_does_watch(folder):
    config = write_config(folder, {"evil": hostile()})
    for options in ((), ("-o", "json")):
        t = Terminal(folder, "watch", "--config", config, *options)
        t.until(b"message")
        t.until(b"end", t.out.index(b"message"))
        t.interrupt()
        status, out = t.end()
        assert status == 130, (status, out)
        text = check(options, out)
        line = next(line for line in text.splitlines() if "message" in line)
        if options:
            assert json.loads(line)["params"]["data"].startswith("pwn\x1b]0;title"), line
        else:
            assert b"\x1b[1mevil\x1b[0m message {" in out, out


@test
def nor_does_serve(folder):
    config = write_config(folder, {"evil": hostile(), "down": hostile("--refuse")},
                          {"serve": {"access_log": "-", "audit_log": "-"}})
    t = Terminal(folder, "serve", "--http", "127.0.0.1:0", "--config", config, "--log-level", "debug", "--events", "events")
    t.until(b"Ctrl-C ends it.")
    port = int(re.search(rb"serves http://127.0.0.1:(\d+)/", t.out).group(1))
    t.until(b"pwn")  # the server that refuses
    url = f"http://127.0.0.1:{port}/mcp"
    done = until(lambda: (d := run(folder, "call", "--url", url, "evil__refuses", "--config", config)).returncode and
                 "pwn" in d.stderr and d, "the call is refused by the server")
    assert "\x1b" not in done.stderr, done.stderr
    run(folder, "read", "--url", url, "x://" + EVIL, "-o", "json", "--config", config)
    run(folder, "call", "--url", url, "tpwn__0_title__2J__8m", "--config", config)
    t.interrupt()
    status, out = t.end()
    assert status == 0, (status, out)
    text = check("serve", out)
    assert '"method":"tools/call"' in text or "evil__refuses" in text or "refuses" in text, text


@test
def pipes_get_every_byte(folder):
    """JSON has the same value on a terminal and in a pipe, where it is as the server wrote it."""
    config = write_config(folder, {"evil": hostile()})
    piped = run(folder, "call", "evil.plain", "-o", "json", "--config", config)
    out = check("json", Terminal(folder, "call", "evil.plain", "-o", "json", "--config", config).end()[1])
    assert "\\u202e" in out and "\\u009b" in out, out
    shown = json.loads(out[out.index("{"):])
    assert json.loads(piped.stdout) == shown and shown["content"][0]["text"].startswith("pwn\x1b]0;title\x07"), shown
    raw = run(folder, "call", "evil.plain", "-o", "raw", "--config", config).stdout
    assert raw.startswith("pwn\x1b]0;title\x07\x1b[2J") and "\u202e" in raw, raw


@test
def colours_are_wanted(folder):
    """NO_COLOR (https://no-color.org: present and not empty), TERM=dumb, --no-color."""
    config = write_config(folder, {"evil": hostile()})
    for env, options, coloured in (({}, (), True), ({"NO_COLOR": ""}, (), True), ({"NO_COLOR": "1"}, (), False),
                                   ({"TERM": "dumb"}, (), False), ({}, ("--no-color",), False)):
        for command in (("list", "evil"), ("resources",), ("status",), ("config", "list")):
            _, out = Terminal(folder, *command, "--config", config, *options, env=env).end()
            assert (b"\x1b[1m" in out) == coloured, (env, options, command, out)
            assert coloured or not re.search(rb"\x1b\[[0-9;]*m", out), (env, options, command, out)


@test
def a_dumb_terminal_has_no_bar(folder):
    config = write_config(folder, {"evil": hostile()})
    for term, bar in (("xterm", True), ("dumb", False)):
        _, out = Terminal(folder, "call", "evil.plain", "--config", config, env={"TERM": term, "NO_COLOR": "1"}).end()
        assert (b"\x1b[K" in out) == bar and (b"50%" in out) == bar, (term, out)


main()
