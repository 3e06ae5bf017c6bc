# A person at a terminal: runs a command in a pseudo-terminal, waits for each text and types what follows it.
# usage: terminal.py '[["text to wait for", "what is typed"], ...]' COMMAND ARGS...
# Prints what was on the screen; its exit status is the command's (124: a text did not come).
import json, os, pty, select, signal, sys

PATIENCE_S = 30
steps, command = json.loads(sys.argv[1]), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)

screen, seen, late = b"", 0, False
while True:
    while steps and (at := screen.find(steps[0][0].encode(), seen)) >= 0:
        seen = at + len(steps[0][0].encode())
        os.write(fd, steps.pop(0)[1].encode())
    late = not select.select([fd], [], [], PATIENCE_S)[0]
    try:
        more = b"" if late else os.read(fd, 65536)
    except OSError:  # Linux says EIO when the other side has gone
        more = b""
    if not more:
        break
    screen += more

if late:
    os.kill(pid, signal.SIGKILL)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
os.write(1, screen.replace(b"\r\n", b"\n"))
if steps:
    os.write(2, f"never saw {steps[0][0]!r}\n".encode())
sys.exit(124 if late or steps else status if status >= 0 else 128 - status)
