"""The status page in Chromium: what a person sees and does. Skipped where Chromium is not installed."""

import contextlib
import json
import signal

import browser
from harness import Gateway, Session, gateway, main, server, test, write_config

HOSTILE = "<img src=x onerror='window.hit=1'><script>window.hit=2</script>"
TOOL = {"name": "make", "title": HOSTILE, "description": f"{HOSTILE} \x1b[31mred\x1b[0m \u202egnp.exe " + "long " * 9000,
        "annotations": {"destructiveHint": True},
        "inputSchema": {"type": "object", "required": ["title", "format"], "properties": {
            "title": {"type": "string", "description": HOSTILE},
            "count": {"type": "integer", "default": 3},
            "draft": {"type": "boolean"},
            "format": {"type": "string", "enum": ["text", "html"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "more": {"type": "object"}}}}


@contextlib.contextmanager
def page(url, **how):
    b = browser.Browser(**how)
    try:
        b.open(url)
        yield b
        assert not b.errors, b.errors
        assert b.value("window.hit === undefined") is True
    finally:
        b.close()


def home(g):
    return f"http://127.0.0.1:{g.port}/"


@test
def a_tool_is_called_in_a_form(folder):
    write_config(folder, {"a": server("--tools", 0, "--tool-json", json.dumps(TOOL), "--stderr", 1), "b": server()})
    with gateway(folder) as g, page(home(g)) as b:
        b.until("$('#server-list button', 'a')?.textContent.includes('connected')")
        b.until("$('#facts', '2 servers')")
        b.until("press('#server-list button', 'a')")
        b.until("press('.items button', 'make')")
        text = b.value("document.querySelector('.items').innerText")
        assert "<script>window.hit=2" in text and "U+202E" in text and "\x1b" not in text and "destructive" in text
        assert b.value("document.querySelectorAll('.items script, .items img').length") == 0
        b.value("press('form.call button', 'Call')")
        b.until("$('form.call .error', 'format: needs a value')")
        assert b.value("[...document.querySelectorAll('form.call label')].map((l) => l.textContent)") == [
            "title", "format", "count", "draft", "tags", "more"]
        assert b.value("document.querySelectorAll('form.call [aria-required=true]').length") == 2
        b.value("fill('form.call textarea', 'Hello')")
        b.value("$('form.call select').value = '1'")
        tags = "form.call textarea[placeholder*=\"[\"]"
        b.value(f"fill('{tags}', '[\"x\"')")
        b.value("press('form.call button', 'Call')")
        b.until("$('form.call .error', 'tags: ')")
        b.value(f"fill('{tags}', '[\"x\"]')")
        b.value("press('form.call button', 'Call')")
        shown = b.until("$('.result pre', 'Hello')?.textContent")
        assert "html" in shown, shown
        b.until("$('#server-list .sum', '1 call')")
        b.value("press('nav button', 'Calls')")
        b.until("$('#call-list td', 'mcptools status page')")
        b.value("press('nav button', 'Clients')")
        b.until("$('#client-list td', 'mcptools status page')")
        b.value("press('nav button', 'Servers')")
        b.value("press('summary', 'Log')")
        b.until("$('pre.log .stderr')")
        Session(g, "/mcp/a").call("tools/call", {"name": "make", "arguments": {"title": "t", "format": "text"}})
        b.until("$('#server-list .sum', '2 calls')")


@test
def a_person_logs_in(folder):
    write_config(folder, {"a": server("--tools", 1)},
                 {"serve": {"tokens": [{"token": "owner-token", "name": "ada", "owner": True},
                                       {"token": "member-token", "name": "bob"}]}})
    with gateway(folder) as g, page(home(g)) as b:
        b.until("$('#token')")
        assert b.value("document.activeElement.id") == "token"
        b.value("fill('#token', 'wrong'); press('#login button')")
        b.until("$('#login-error', 'does not know')")
        b.value("fill('#token', 'member-token'); press('#login button')")
        b.until("$('#live', 'as bob')")
        assert b.value("Boolean($('#member'))") is True
        b.until("press('#server-list button', 'a')")
        b.until("$('.items button', 'tool0')")
        assert b.value("Boolean($('summary', 'Log') || $('button', 'Restart'))") is False
        b.value("press('#logout')")
        b.until("$('#token')")
        b.value("fill('#token', 'owner-token'); press('#login button')")
        b.until("$('#live', 'as ada')")
        b.until("press('#server-list button', 'a')")
        b.until("$('summary', 'Log') && $('button', 'Restart')")
        assert b.value("location.href") == home(g)  # no token in the URL


@test
def it_says_when_the_gateway_is_gone(folder):
    write_config(folder, {"a": server(), "broken": {"command": "/no/such/program"}})
    g = Gateway(folder)
    try:
        with page(home(g)) as b:
            b.until("$('.state', 'error')")
            b.until("press('#server-list button', 'broken')")
            b.until("$('.panel .error', 'No such file')")
            assert b.value("document.title") == "(1) mcptools"
            g.stop(signal.SIGKILL)
            b.until("$('#banner', 'is gone')")
            port = g.port
            g = Gateway(folder, "--http", f"127.0.0.1:{port}")
            b.until("!$('#banner') && $('#live', 'live')")
    finally:
        g.stop()


@test
def it_fits_a_phone_at_night(folder):
    write_config(folder, {f"server-{n:03}": server("--tools", 1, "--tool-json", json.dumps(TOOL)) for n in range(30)})
    with gateway(folder) as g, page(home(g), width=360, height=640, dark=True) as b:
        b.until("$('#facts', '30 servers')")
        b.until("press('#server-list button', 'server-007')")
        b.until("press('.items button', 'make')")
        b.until("$('form.call')")
        for section in ("Servers", "Calls", "Clients"):
            b.value(f"press('nav button', '{section}')")
            wide = b.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            assert wide[0] <= wide[1] <= 360, (section, wide)
        dark = b.value("getComputedStyle(document.documentElement).backgroundColor")
        assert sum(map(int, dark[4:-1].split(","))) < 150, dark
        b.value("press('nav button', 'Servers'); fill('#search', '007')")
        b.until("document.querySelectorAll('#server-list > li').length === 1")
        b.value("fill('#search', 'red')")
        b.until("press('#found button', 'make')")
        b.until("document.activeElement.textContent.includes('make')")


if __name__ == "__main__":
    if browser.CHROMIUM:
        main()
    else:
        print("1..0 # SKIP chromium is not installed")
