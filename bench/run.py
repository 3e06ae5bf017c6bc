#!/usr/bin/env python3
"""Measures the gateway beside nginx, HAProxy and npm's gateways, part by part, and writes what it has found."""

import argparse
import contextlib
import pathlib
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import report
import targets
from parts import (command_line, http_servers, idle_streams, long_messages, many_connections, many_servers, many_tools, peers,
                   resource_lists, stdio_servers)

HERE = pathlib.Path(__file__).resolve().parent


@dataclass
class Part:
    title: str
    run: object  # (World, options) → Result


PARTS = {
    "stdio": Part("Servers over stdio", stdio_servers.run),
    "http": Part("Servers with an http:// URL", http_servers.run),
    "tls": Part("Servers with an https:// URL", http_servers.run_tls),
    "peers": Part("Gateways from npm", peers.run),
    "servers": Part("1 to 1,000 servers", many_servers.run),
    "tools": Part("1 to 100,000 tools", many_tools.run),
    "connections": Part("1 to 1,000 connections", many_connections.run),
    "payload": Part("Results of 100 bytes to 100 MB", long_messages.run),
    "streams": Part("Idle event streams", idle_streams.run),
    "resources": Part("Resources of 100 servers in one list", resource_lists.run),
    "command": Part("The command line", command_line.run),
}


def run_part(name, options):
    """Returns a line for each figure that misses what is wanted."""
    described = report.machine(options.build / "mcptools")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mcptools-bench-")))
        folder.chmod(0o755)  # the workers of an nginx started by root run as nobody
        result = PARTS[name].run(targets.World(stack, options.build, folder), options)
    form = "short form" if options.short else f"median of {options.rounds}"
    print(report.write(options.results, name, PARTS[name].title, result, described, form), flush=True)
    return [f"{name}: {figure.line}" for figure in result.figures if figure.misses]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of a release build")
    parser.add_argument("--short", action="store_true", help="few requests; results go to the build folder")
    parser.add_argument("--only", action="append", choices=PARTS, default=[], help="a part (repeatable); default: all")
    parser.add_argument("--results", type=pathlib.Path, help="folder of the results")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.rounds = 3 if options.short else 5
    options.results = options.results or (options.build / "results" if options.short else HERE / "results")
    return options


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # even when started ignoring it
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    options = parse_arguments()
    missed, failed = [], []
    for name in options.only or PARTS:
        try:
            missed += run_part(name, options)
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
        except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
            failed.append(f"{name}: {error}")
            print(f"run.py: part {failed[-1]}", file=sys.stderr)
    report.write_all(options.results, PARTS)
    print("\n".join(["Not reached:", *missed]) if missed else "Nothing that was measured misses what is wanted.")
    if failed:
        print("\n".join(["Not measured:", *failed]))
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
