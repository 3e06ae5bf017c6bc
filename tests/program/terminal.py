"""Running the program on a pseudo-terminal. Standard library only."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

from harness import MCPTOOLS, PATIENCE_S, WRAPPER, environment


class Terminal:
    """A command whose stdin, stdout, stderr and /dev/tty are one terminal."""

    def __init__(self, folder, *arguments, env=None, program=None, size=None):
        self.out = b""
        argv = [*([program] if program else [*WRAPPER, MCPTOOLS]), *map(str, arguments)]
        clean = {k: v for k, v in environment(folder).items() if k != "NO_COLOR"}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            if size:  # rows, columns; otherwise the terminal does not know them
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            os.chdir(folder)
            os.execvpe(argv[0], argv, {**clean, "TERM": "xterm", **(env or {})})

    def _read(self):
        """Whether there was more."""
        if not select.select([self.fd], [], [], PATIENCE_S)[0]:
            raise AssertionError(f"nothing more came: {self.out!r}")
        try:
            chunk = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            chunk = b""
        self.out += chunk
        return bool(chunk)

    def until(self, text, start=0):
        """Reads until the text has come; returns where it ends."""
        while text not in self.out[start:]:
            assert self._read(), (text, self.out)
        return self.out.index(text, start) + len(text)

    def type(self, text):
        os.write(self.fd, text)

    def interrupt(self):
        os.kill(self.pid, signal.SIGINT)

    def end(self):
        """Reads to the end; the exit status and all output."""
        while self._read():
            pass
        end = time.monotonic() + PATIENCE_S
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            assert time.monotonic() < end, f"does not end: {self.out!r}"
            time.sleep(0.01)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status), self.out
