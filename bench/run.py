#!/usr/bin/env python3
"""Compare a gateway with nginx, answering directly (a) and as a proxy (b)."""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import servers

HERE = pathlib.Path(__file__).resolve().parent
LOADGEN_LIMIT_S = 300
DEFAULT_BODY = ('{"jsonrpc":"2.0","id":@ID@,"method":"tools/call",'
                '"params":{"name":"echo","arguments":{"text":"hello"}}}')
COLUMNS = ("rps", "p50_us", "p90_us", "p99_us", "max_us", "own_cpu_us", "cpu_us_per_request")


@dataclass
class Shape:
    clients: int
    requests: int
    warmup: int


FULL = (5, (Shape(1, 10000, 1000), Shape(64, 40000, 4000)))
SHORT = (3, (Shape(1, 1000, 100), Shape(64, 4000, 640)))


def measure(arguments, target, shape):
    command = [arguments.loadgen, "--url", target.url, "--clients", str(shape.clients),
               "--requests", str(shape.requests), "--warmup", str(shape.warmup),
               "--body", arguments.body, "--expect", arguments.expect, *target.options]
    for pid in (target.own_pid, *target.other_pids):
        command += ["--pid", str(pid)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=LOADGEN_LIMIT_S)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"load on {target.name} failed, status {done.returncode}")
    sample = json.loads(done.stdout)
    sample["own_cpu_us"] = sample["cpu_us_by_pid"][str(target.own_pid)]
    if sample["own_cpu_us"] <= 0:
        raise RuntimeError(f"{target.name}: process {target.own_pid} used no CPU time: a wrapper?")
    return sample


def run_rounds(arguments, targets, shape, rounds):
    """Return the samples by target name. Every round starts with another target."""
    samples = {target.name: [] for target in targets}
    for number in range(rounds):
        first = number % len(targets)
        for target in targets[first:] + targets[:first]:
            samples[target.name].append(measure(arguments, target, shape))
    return samples


def summarize(samples):
    summary = {column: statistics.median(sample[column] for sample in samples)
               for column in COLUMNS}
    summary["errors"] = sum(sample["errors"] for sample in samples)
    summary["reconnects"] = sum(sample["reconnects"] for sample in samples)
    summary["rps_least"] = min(sample["rps"] for sample in samples)
    summary["rps_most"] = max(sample["rps"] for sample in samples)
    return summary


def memory_kib(pid):
    fields = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in ("Rss", "Pss"):
            fields[name.lower() + "_kib"] = int(rest.split()[0])
    return fields


def compare_cpu(row, proxy):
    own, everyone = row["own_cpu_us"], row["cpu_us_per_request"]
    return {"requests_per_cpu_second": 1e6 / own,
            "times_nginx_proxy": proxy["own_cpu_us"] / own,
            "requests_per_cpu_second_of_all": 1e6 / everyone}


def compare(medians):
    """Compare each target with (a) in latency and with (b) in CPU time."""
    direct_p50 = medians["1"]["nginx"]["p50_us"]
    return {name: {"p50_over_nginx_us": row["p50_us"] - direct_p50,
                   "cpu": {clients: compare_cpu(rows[name], rows["nginx-proxy"])
                           for clients, rows in medians.items()}}
            for name, row in medians["1"].items()}


def print_table(medians):
    print(f"{'clients':>7} {'target':<12} {'rps':>8} {'(least..most)':>16} {'p50 us':>8} {'p90 us':>8} "
          f"{'p99 us':>8} {'max us':>8} {'own CPU us':>10} {'all CPU us':>10} {'errors':>6}")
    for clients, summaries in medians.items():
        for name, row in summaries.items():
            spread = f"{row['rps_least']:.0f}..{row['rps_most']:.0f}"
            print(f"{clients:>7} {name:<12} {row['rps']:8.0f} {spread:>16} {row['p50_us']:8.1f} "
                  f"{row['p90_us']:8.1f} {row['p99_us']:8.1f} {row['max_us']:8.0f} "
                  f"{row['own_cpu_us']:10.2f} {row['cpu_us_per_request']:10.2f} {row['errors']:6}")


def print_comparisons(comparisons, memory):
    for name, entry in comparisons.items():
        print(f"\n{name}:")
        print(f"  p50 over nginx at 1 client: {entry['p50_over_nginx_us']:+.1f} us")
        for clients, cpu in entry["cpu"].items():
            print(f"  requests per CPU second at {clients} clients: "
                  f"{cpu['requests_per_cpu_second']:.0f} "
                  f"({cpu['requests_per_cpu_second_of_all']:.0f} with the processes behind it), "
                  f"{cpu['times_nginx_proxy']:.2f} times nginx-proxy")
        print(f"  memory: Rss {memory[name]['rss_kib']} KiB, Pss {memory[name]['pss_kib']} KiB")


def run(arguments):
    rounds, shapes = SHORT if arguments.short else FULL
    report = {"kernel": platform.release(), "cpus": os.cpu_count(), "load": os.getloadavg(),
              "rounds": rounds, "samples": {}, "medians": {}}
    with contextlib.ExitStack() as stack:
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        directory.chmod(0o755)  # the workers of an nginx started by root run as nobody
        targets = servers.start_targets(stack, arguments, directory)
        for shape in shapes:
            samples = run_rounds(arguments, targets, shape, rounds)
            report["samples"][str(shape.clients)] = samples
            report["medians"][str(shape.clients)] = {
                name: summarize(rows) for name, rows in samples.items()}
        report["memory"] = {target.name: memory_kib(target.own_pid) for target in targets}
    report["comparisons"] = compare(report["medians"])
    return report


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gateway", metavar="COMMAND", help="run without a shell; its pid is measured")
    parser.add_argument("--gateway-url", metavar="URL")
    parser.add_argument("--gateway-header", metavar="'NAME: VALUE'", action="append", default=[])
    parser.add_argument("--no-session", action="store_true", help="no MCP handshake with the gateway")
    parser.add_argument("--body", default=DEFAULT_BODY, help="as for loadgen")
    parser.add_argument("--expect", default='"result"', help="text that every answer contains")
    parser.add_argument("--loadgen", default=str(HERE / "loadgen"))
    parser.add_argument("--short", action="store_true", help="few requests, for CI")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path)
    arguments = parser.parse_args()
    if bool(arguments.gateway) != bool(arguments.gateway_url):
        parser.error("--gateway and --gateway-url go together")
    return arguments


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # even when started ignoring it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(128 + signal.SIGHUP))
    arguments = parse_arguments()
    try:
        report = run(arguments)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    print_table(report["medians"])
    print_comparisons(report["comparisons"], report["memory"])
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    errors = sum(row["errors"] for rows in report["medians"].values() for row in rows.values())
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
