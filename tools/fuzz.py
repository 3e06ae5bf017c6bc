"""Run every fuzz target for some seconds on its corpus; new findings stay in build-asan/fuzz. With --write, the figures go into
docs/RELIABILITY.md.

With a seed, which `make check` gives, targets try the same inputs in each run, as many as the time allows.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
BUILD = TOP / "build-asan"
SANITIZERS = ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dfuzz=enabled"]
OTHER_CORPUS = {"flow": "tests/flow"}  # of the other targets: tests/fuzz/corpus/NAME


def prepare():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, *SANITIZERS, "-Dtests=enabled"], cwd=TOP, env={**os.environ, "CC": "clang"},
                       stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["ninja", "-C", BUILD], stdout=subprocess.DEVNULL, check=True)


def fuzz(target, seconds, seed):
    name = target.name.removeprefix("fuzz-")
    findings = BUILD / "fuzz" / name
    findings.mkdir(parents=True, exist_ok=True)
    command = [target, f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=8192", "-rss_limit_mb=2048", "-verbosity=0",
               "-print_final_stats=1", f"-artifact_prefix={findings}/", findings, TOP / OTHER_CORPUS.get(name, f"tests/fuzz/corpus/{name}")]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    runs = next((int(line.split()[-1]) for line in done.stderr.splitlines() if "number_of_executed_units" in line), 0)
    print(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'} {runs} inputs", flush=True)
    return name, runs, "" if done.returncode == 0 else done.stderr[-4000:] or "no output"


def write(seconds, done):
    sys.path.insert(0, str(TOP / "tests/campaign"))
    import machine  # pylint: disable=import-outside-toplevel,import-error
    import report  # pylint: disable=import-outside-toplevel,import-error
    report.put("fuzz", title="Fuzzing", command=f"make fuzz SECONDS={seconds} WRITE=1", machine=machine.described(),
               date=time.strftime("%Y-%m-%d"), order=50, columns=["target", "inputs", "findings"],
               rows=[[name, runs, "yes" if finding else "none"] for name, runs, finding in done] + [["all", sum(runs for _, runs, _ in done), ""]],
               text=["libFuzzer with AddressSanitizer and UBSan. The corpus of each target is `tests/fuzz/corpus/TARGET`; that of "
                     "`flow` is the transcripts of `tests/flow`, and its mutator changes what servers and clients say to a whole gateway."])


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    seconds = int(arguments[0]) if arguments else 60
    seed = int(arguments[1]) if len(arguments) > 1 else 0  # libFuzzer draws one
    prepare()
    targets = sorted(p for p in (BUILD / "tests/fuzz").glob("fuzz-*") if p.is_file())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda target: fuzz(target, seconds, seed), targets))
    if "--write" in sys.argv:
        write(seconds, done)
    found = [(name, finding) for name, _, finding in done if finding]
    for name, finding in found:
        print(f"{finding}\nnot ok {name}")
    return 0 if targets and not found else 1


if __name__ == "__main__":
    sys.exit(main())
