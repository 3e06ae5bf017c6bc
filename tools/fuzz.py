"""Run every fuzz target for some seconds on its corpus; new findings stay in build-asan/fuzz.

With a seed, which `make check` gives, targets try the same inputs in each run, as many as the time allows.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
BUILD = TOP / "build-asan"


def prepare():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, "-Db_sanitize=address,undefined", "-Db_lundef=false",
                        "-Dfuzz=enabled", "-Dtests=enabled"], cwd=TOP, env={**os.environ, "CC": "clang"},
                       stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["ninja", "-C", BUILD], stdout=subprocess.DEVNULL, check=True)


def fuzz(target, seconds, seed):
    name = target.name.removeprefix("fuzz-")
    findings = BUILD / "fuzz" / name
    findings.mkdir(parents=True, exist_ok=True)
    command = [target, f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=8192", "-rss_limit_mb=2048", "-verbosity=0",
               "-print_final_stats=1", f"-artifact_prefix={findings}/", findings, TOP / "tests/fuzz/corpus" / name]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    runs = [line for line in done.stderr.splitlines() if "number_of_executed_units" in line]
    print(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'} {runs[0].split()[-1] if runs else '?'} inputs", flush=True)
    if done.returncode:
        print(done.stderr[-4000:])
    return done.returncode == 0


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0  # libFuzzer draws one
    prepare()
    targets = sorted(p for p in (BUILD / "tests/fuzz").glob("fuzz-*") if p.is_file())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        ok = list(pool.map(lambda target: fuzz(target, seconds, seed), targets))
    return 0 if targets and all(ok) else 1


if __name__ == "__main__":
    sys.exit(main())
