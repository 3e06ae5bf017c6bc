"""Chromium without a window, driven through its DevTools pipe. Standard library only."""

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

from harness import PATIENCE_S

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
         "--remote-debugging-pipe", "about:blank"]

# $ finds the first visible element of a selector that has a text; press clicks it.
HELPERS = """
window.$ = (selector, text = '') => [...document.querySelectorAll(selector)].find(
  (e) => e.textContent.includes(text) && e.getClientRects().length);
window.press = (selector, text) => { const e = $(selector, text); e?.click(); return Boolean(e); };
window.fill = (selector, value) => { const e = $(selector); if (!e) return false; e.focus(); e.value = value;
  e.dispatchEvent(new Event('input', { bubbles: true })); return true; };
"""


def _high(fd):
    """A copy of the descriptor that is out of the way of 3 and 4."""
    copy = fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
    os.close(fd)
    return copy


class Browser:
    """One page of one browser."""

    def __init__(self, width=1100, height=800, dark=False):
        commands, self.to = map(_high, os.pipe())
        self.back, answers = map(_high, os.pipe())

        def before():
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        # a folder of its own: processes of the browser may write there until after its end
        self.profile = tempfile.TemporaryDirectory(prefix="mcptools-chromium-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen([CHROMIUM, f"--user-data-dir={self.profile.name}", *FLAGS], pass_fds=(3, 4),
                                        preexec_fn=before, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile.name})
        os.close(commands)
        os.close(answers)
        self.rest, self.id, self.session, self.errors = b"", 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Runtime.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=HELPERS)

    def _message(self, end):
        while b"\0" not in self.rest:
            assert select.select([self.back], [], [], max(0, end - time.monotonic()))[0], "the browser says nothing"
            chunk = os.read(self.back, 1 << 20)
            assert chunk, "the browser has ended"
            self.rest += chunk
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def ask(self, method, **params):
        """Send a command; its result."""
        self.id += 1
        command = {"id": self.id, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        end = time.monotonic() + PATIENCE_S
        while True:
            message = self._message(end)
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(message["params"]["exceptionDetails"]))
            if message.get("method") == "Page.javascriptDialogOpening":
                self.errors.append("a dialog: " + message["params"]["message"])
            if message.get("id") == self.id:
                assert "error" not in message, message
                return message["result"]

    def open(self, url):
        self.ask("Page.navigate", url=url)

    def value(self, script):
        """The value of an expression in the page."""
        result = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, (script, result)
        return result["result"].get("value")

    def until(self, script, what=None):
        """Wait for an expression to become true; its value."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            value = self.value(f"((v) => (v instanceof Node ? true : v))({script})")
            if value:
                return value
            self.value("new Promise((over) => { setTimeout(over, 20); })")
        raise AssertionError(f"never true: {what or script}: " + str(self.value("document.body.innerText")))

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)
        self.profile.cleanup()
        os.close(self.to)
        os.close(self.back)
