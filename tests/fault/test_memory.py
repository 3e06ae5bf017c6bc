"""Each allocation of a command fails once, and all from there on: no crash, no hang, no success with less than all.

FAIL_ALLOC in the environment names the library that makes them fail (tests/support/fail_alloc.c).
"""

import concurrent.futures
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "program"))
from auth_server import AuthServer, browser  # noqa: E402
from harness import MCPTOOLS, PATIENCE_S, environment, main, server, test, write_config  # noqa: E402

WORKERS = 4
RUNS = 50  # of one command in one way; of one with more allocations some are left out (`make torture`: none)


def start(folder, command, at, many=1, tell=None):
    env = {**environment(folder), "LD_PRELOAD": os.environ["FAIL_ALLOC"], "FAIL_AT": str(at), "FAIL_FOR": str(many)}
    return subprocess.Popen([MCPTOOLS, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, errors="replace",
                            env={**env, **({"FAIL_TELL": str(tell)} if tell else {})})


def finish(process):
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "hang", "", ""
    return process.returncode, re.sub(r"process: +\d+", "process: N", out), err


def once(folder, command, at, many=1, tell=None):
    return finish(start(folder, command, at, many, tell))


def judge(good, result):
    """What is wrong; None: nothing is."""
    status, out, err = result
    if status == "hang" or status < 0:
        return "a crash or a hang"
    if status == 0 and out != good[1]:
        return "success with another output"
    # the last one is how the C library ends a program that it cannot give thread-local data
    if status != 0 and not re.search("out of memory|Cannot allocate memory|Memory allocation failure|libcurl cannot be loaded|"
                                     "cannot allocate memory for thread-local data", out + err):
        return "does not say why"
    return None


def every_allocation(folder, *command, run=once):
    good = run(folder, command, 0, tell=folder / "count")
    assert good[0] == 0, good
    n = int((folder / "count").read_text())
    assert n > 40, (command, n)  # otherwise nothing is preloaded
    step = max(1, n // int(os.environ.get("MEMORY_RUNS", RUNS)))
    plan = [(at, many) for many, stride in ((1, step), (1 << 30, 4 * step)) for at in range(1, n + 1, stride)]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
        results = workers.map(lambda p: run(folder, command, *p), plan)
        wrong = [(p, judge(good, r), r) for p, r in zip(plan, results) if judge(good, r)]
    assert not wrong, (command, n, len(wrong), wrong[:3])
    return n


def two_servers(folder):
    return write_config(folder, {"a": server("--tools", 3, "--resources", 2, "--prompts", 1, "--templates", 1),
                                 "b": server("--tools", 2)}, {"policy": {"deny": ["b.tool1"]}}, name="two.json")


@test
def commands_on_the_demo_server(folder):
    every_allocation(folder, "list")
    every_allocation(folder, "tools")
    every_allocation(folder, "call", "demo.echo", "text=hello")


@test
def configurations(folder):
    config = two_servers(folder)
    every_allocation(folder, "config", "check", "--config", config)
    every_allocation(folder, "config", "list", "-o", "json", "--config", config)


@test
def commands_on_servers(folder):
    config = two_servers(folder)
    for command in (("list", "-o", "json"), ("tools",), ("call", "a.tool0", "x=1"), ("status",)):
        every_allocation(folder, *command, "--config", config)


@test
def commands_for_logins(folder):
    with AuthServer() as a:
        a.expires_in = 10_000_000  # shown in days
        config = write_config(folder, {"notes": {"url": a.url}, "b": server()})
        env = {**environment(folder), "BROWSER": str(browser(folder)[0])}
        subprocess.run([MCPTOOLS, "login", "notes"], cwd=folder, env=env, check=True, capture_output=True)
        for command in (("auth", "status"), ("auth", "status", "-o", "json"), ("auth", "token", "notes")):
            every_allocation(folder, *command, "--config", config)
        subprocess.run([MCPTOOLS, "logout", "notes"], cwd=folder, env=env, check=True, capture_output=True)
        every_allocation(folder, "logout", "notes", "--config", config)


def serve_once(folder, command, at, many=1, tell=None):
    """Until it says that it serves, then to an orderly end."""
    process = start(folder, command, at, many, tell)
    said = []
    for line in process.stderr:  # EOF ends it, too
        said.append(line)
        if "Ctrl-C ends it" in line:
            process.send_signal(signal.SIGTERM)
            break
    status, out, err = finish(process)
    return status, out, "".join(said) + err


@test
def the_start_of_serve(folder):
    every_allocation(folder, "serve", "--http", "127.0.0.1:0", "--config", two_servers(folder), run=serve_once)


main()
