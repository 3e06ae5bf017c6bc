"""The command line: time of short commands, a cold list of servers that start slowly, and the start of the gateway."""

import contextlib
import functools
import json
import os
import statistics
import subprocess
import time

import clients
import processes
import rounds
import targets
from parts import peers
from report import Figure, Result, Table

SLOW_MS = (300, 400, 500)
WANTED_LIST = ("≤", 1.2)  # times the slowest server
IDLE_S = 1
NOTHING = "/bin/true"
WITHOUT_SERVERS = {"--version": ["--version"], "--help": ["--help"],
                   "completion of a word": ["__complete", "--shell", "bash", "--last", "li", "--", "li"]}


def timed(command, environment=None):
    """{"ms": …, "cpu_ms": user and system time} of a command."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, env=environment, **dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command}: exit status {process.returncode}")
    return {"ms": (time.perf_counter() - begin) * 1000, "cpu_ms": (used.ru_utime + used.ru_stime) * 1000}


def commands(world):
    """{name: command}: without servers, with one that is started for it, a program that does nothing, and mcporter."""
    config = targets.write_config(world, "one", {"s": {"command": world.server}})
    cold = {"list": ["--config", config, "list"], "call of a tool": ["--config", config, "call", "s.tool1"]}
    found = {name: [world.mcptools, *words] for name, words in {**WITHOUT_SERVERS, **cold}.items()}
    found[NOTHING] = [NOTHING]
    mcporter = peers.FOLDER / "node_modules/.bin/mcporter"
    if mcporter.exists():
        for name, words in {"--version": ["--version"], **cold}.items():
            found[f"mcporter, {name}"] = [peers.node(), mcporter, *words]
    return found


def time_commands(world, options):
    """{name: medians}"""
    environment = targets.own_environment(world.folder)
    actions = {name: functools.partial(timed, command, environment) for name, command in commands(world).items()}
    return {name: rounds.medians(samples) for name, samples in rounds.interleaved(3 * options.rounds, actions).items()}


def cold_list_ms(world, options):
    """Of three servers that start slowly, without a gateway that runs."""
    servers = {f"s{ms}": {"command": world.server, "args": ["--start-ms", str(ms)]} for ms in SLOW_MS}
    config = targets.write_config(world, "slow", servers)
    command = [world.mcptools, "--config", config, "list"]
    return statistics.median(timed(command, targets.own_environment(world.folder))["ms"] for _ in range(options.rounds))


def first_answer_ms(world, config):
    """From the start of `serve --stdio` to the first byte of its answer to server/discover."""
    begin = time.perf_counter()
    command = [world.mcptools, "serve", "--stdio", "--config", config]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(clients.message(clients.STATELESS, "server/discover", {}, 1).encode() + b"\n")
        process.stdin.flush()
        os.read(process.stdout.fileno(), 1)
        took = (time.perf_counter() - begin) * 1000
        process.stdin.close()
    return took


def idle_memory(world):
    """Memory of an idle gateway with three servers, theirs not counted."""
    with contextlib.ExitStack() as stack:
        servers = {f"s{i}": {"command": world.echo, "args": ["--tools", "10"]} for i in range(3)}
        _, pid = targets.gateway(targets.sub_world(world, stack), "idle", servers)
        time.sleep(IDLE_S)
        return processes.memory_kib(pid)


def run(world, options):
    found = time_commands(world, options)
    config = targets.write_config(world, "none", {})
    start = statistics.median(first_answer_ms(world, config) for _ in range(5 * options.rounds))
    memory = idle_memory(world)
    listed = cold_list_ms(world, options)
    figures = [Figure(f"{name}: user and system time, more than {NOTHING}", found[name]["cpu_ms"] - found[NOTHING]["cpu_ms"], "ms")
               for name in WITHOUT_SERVERS]
    figures += [Figure("start of `serve --stdio` to the answer of server/discover", start, "ms"),
                Figure("resident memory of an idle gateway with 3 servers", memory["Rss"] * 1024 / 1e6, "MB"),
                Figure("its proportional share", memory["Pss"] * 1024 / 1e6, "MB"),
                Figure(f"cold `list` of servers that start in {json.dumps(SLOW_MS)[1:-1]} ms, the slowest = 1",
                       listed / max(SLOW_MS), "×", WANTED_LIST)]
    rows = [[name, f"{one['ms']:.2f}", f"{one['cpu_ms']:.2f}"] for name, one in found.items()]
    return Result(figures, [Table(["command", "ms", "user and system ms"], rows)])
