"""Load on a target by one of two generators: wrk, which nobody here wrote, and loadgen, which looks at every answer."""

import functools
import json
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass, field

import clients
import processes
import rounds

LIMIT_S = 300
SCRIPT = pathlib.Path(__file__).resolve().parent / "load.lua"


@dataclass
class Target:
    """`pid` is the process whose CPU time counts, `headers` and `body` are those of each request."""
    name: str
    url: str
    pid: int
    headers: dict = field(default_factory=dict)
    body: str = ""


@dataclass
class Shape:
    connections: int
    requests: int  # of loadgen
    seconds: int  # of wrk


def target_of(name, url, pid, kind, tool, arguments=None, session=True):
    """A target that gets calls of one tool. A session is opened if the target knows them."""
    params = {"name": tool, "arguments": {"text": clients.TEXT} if arguments is None else arguments}
    headers = clients.headers(kind, "tools/call", tool)
    if session:
        client = clients.Client(url, kind)
        client.result("tools/list")
        client.result("tools/call", params, tool)
        headers.update(client.session)
        client.close()
    return Target(name, url, pid, headers, clients.message(kind, "tools/call", params))


def header_lines(target):
    return [f"{name}: {value}" for name, value in target.headers.items()]


def by_wrk(_, target, shape):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as body:
        body.write(target.body)
        body.flush()
        command = ["wrk", "-t1", f"-c{shape.connections}", f"-d{shape.seconds}s", f"--timeout={LIMIT_S}s", "-s", SCRIPT, target.url, "--",
                   body.name, *header_lines(target)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT_S)
    return json.loads(done.stdout.strip().splitlines()[-1])


def by_loadgen(program, target, shape):
    command = [program, "--url", target.url, "--clients", str(shape.connections), "--requests", str(shape.requests), "--warmup", "0",
               "--body", target.body, "--expect", '"result"']
    for line in header_lines(target):
        if line.split(":")[0] not in clients.COMMON:  # loadgen sends these by itself
            command += ["--header", line]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=LIMIT_S, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"load on {target.name} failed, status {done.returncode}")
    sample = json.loads(done.stdout)
    return {key: sample[key] for key in ("requests", "seconds", "p50_us", "p99_us", "max_us", "errors")}


GENERATORS = {"wrk": by_wrk, "loadgen": by_loadgen}


def measure(world, target, shape, generator):
    """{"cpu_us": per request, "p50_us": …, "rps": …, "errors": …}"""
    before = processes.settle(target.pid)
    sample = GENERATORS[generator](world.loadgen, target, shape)
    used = processes.cpu_ns(target.pid) - before
    if sample["errors"] or not sample["requests"]:
        raise RuntimeError(f"{target.name}, {generator}: {sample['errors']} bad answers of {sample['requests']}")
    if used <= 0:
        raise RuntimeError(f"{target.name}: process {target.pid} used no CPU time: a wrapper?")
    return {**sample, "cpu_us": used / 1e3 / sample["requests"], "rps": sample["requests"] / sample["seconds"]}


def interleaved_on_one_core(world, chosen, options):
    """{key: medians} of {key: target}, each with one connection, with everything on one core."""
    shape = Shape(1, 1000 if options.short else 5000, 1)
    actions = {key: functools.partial(measure, world, target, shape, "loadgen") for key, target in chosen.items()}
    with processes.on_one_core():
        return {key: rounds.medians(samples) for key, samples in rounds.interleaved(options.rounds, actions).items()}


def call_us(world, target, options):
    """CPU time of the gateway for one call."""
    return interleaved_on_one_core(world, {"": target}, options)[""]["cpu_us"]
