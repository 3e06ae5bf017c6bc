"""A person's terminal: bash in tmux. Commands are typed, and the screen is read."""

import os
import pathlib
import subprocess
import time

PATIENCE_S = float(os.environ.get("TEST_PATIENCE", "30"))
WIDTH, HEIGHT = 100, 400


class Screen:
    """`folder` is the home of the person, who begins in its folder `project`. bash writes a line to `done` after each command."""

    def __init__(self, folder, variables):
        self.folder = pathlib.Path(folder)
        self.socket = self.folder / ".tmux"
        self.done = self.folder / ".done"
        self.done.touch()
        project = self.folder / "project"
        project.mkdir(exist_ok=True)
        profile = self.folder / ".profile-of-test"
        profile.write_text("PS1='$ '\nPROMPT_COMMAND='echo \"$? $EPOCHREALTIME\" >>" + str(self.done) + "'\n")
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8", "TERM": "screen-256color",
                       **variables}
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(WIDTH), "-y", str(HEIGHT), "-c", str(project),
                   f"bash --noprofile --rcfile {profile}", environment=environment)
        self._wait(1)

    def _tmux(self, *words, environment=None):
        return subprocess.run(["tmux", "-S", self.socket, *words], env=environment, check=True, capture_output=True, text=True).stdout

    def _lines_done(self):
        return self.done.read_text().splitlines()

    def _wait(self, n, what="the shell"):
        end = time.monotonic() + PATIENCE_S
        while len(self._lines_done()) < n:
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not end:\n{self.text()}")
            time.sleep(0.005)

    def text(self, *options):
        """What is on the screen, without empty lines at the end. With "-J", lines that the terminal broke are whole."""
        return self._tmux("capture-pane", "-p", "-S", "-", *options).rstrip()

    def type(self, command, answers=()):
        """Types a command, and an answer when the screen shows the text in front of it. Returns (exit status, seconds, lines shown)."""
        before, shown = len(self._lines_done()), len(self.text().splitlines())
        start = time.time()
        self._tmux("send-keys", "-l", command)
        self._tmux("send-keys", "Enter")
        for question, answer in answers:
            end = time.monotonic() + PATIENCE_S
            while question not in "\n".join(self.text().splitlines()[shown:]):
                if time.monotonic() > end:
                    raise AssertionError(f"'{question}' was not asked:\n{self.text()}")
                time.sleep(0.005)
            self._tmux("send-keys", "-l", answer)
            self._tmux("send-keys", "Enter")
        self._wait(before + 1, command)
        status, ended = self._lines_done()[-1].split()
        lines = len(self.text().splitlines()) - shown - 1  # without the new prompt
        return int(status), float(ended) - start, max(lines, 0)

    def close(self):
        self._tmux("kill-server")
