"""Build and run all tests; the last line is `N passed, N failed, N skipped`.

With CI set in the environment also: clang with warnings as errors, AddressSanitizer and
UndefinedBehaviorSanitizer, Valgrind, and a short run of the fuzzers.
"""

import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

TOP = pathlib.Path(__file__).resolve().parent.parent
COUNTS = {"passed": 0, "failed": 0, "skipped": 0}
VALGRIND = "valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect"


def say(text):
    print(f"\n== {text}", flush=True)


def step(name, command):
    """A command that is one test of its own."""
    say(name)
    ok = subprocess.run(command, cwd=TOP, check=False).returncode == 0
    COUNTS["passed" if ok else "failed"] += 1
    return ok


def build(folder, compiler, *options):
    """True when the folder is configured and builds."""
    say(f"building {folder} with {compiler}")
    path = TOP / folder
    environment = {**os.environ, "CC": compiler}
    if not (path / "build.ninja").exists():
        setup = ["meson", "setup", path, "-Dwerror=true", "-Dtests=enabled", *options]
        done = subprocess.run(setup, cwd=TOP, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(done.stdout)
            COUNTS["failed"] += 1
            return False
    done = subprocess.run(["ninja", "-C", path], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stdout)
        COUNTS["failed"] += 1
    return done.returncode == 0


def count(path):
    """Add what a JUnit file says."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            COUNTS["failed"] += 1
        elif case.find("skipped") is not None:
            COUNTS["skipped"] += 1
        else:
            COUNTS["passed"] += 1


def run_tests(folder, *options, environment=None):
    say(f"testing {folder} {' '.join(options)}")
    logs = TOP / folder / "meson-logs"
    for old in logs.glob("testlog*.junit.xml"):
        old.unlink()
    subprocess.run(["meson", "test", "-C", folder, "--print-errorlogs", *options], cwd=TOP,
                   env={**os.environ, **(environment or {})}, check=False)
    written = list(logs.glob("testlog*.junit.xml"))  # a wrapper puts its name behind "testlog"
    for log in written:
        count(log)
    if not written:
        COUNTS["failed"] += 1


def everywhere():
    step("layers", [sys.executable, "tools/check-layers.py"])
    if build("build-check", "gcc"):
        run_tests("build-check")


def in_ci():
    quick = [f for suite in ("unit", "suite", "flow") for f in ("--suite", suite)]
    build("build-clang", "clang")
    if build("build-asan", "clang", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dfuzz=enabled"):
        run_tests("build-asan", *quick, "--suite", "program", environment={
            "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
            "TEST_PATIENCE": "120"})
        step("fuzzing, short", [sys.executable, "tools/fuzz.py", "10"])
    run_tests("build-check", *quick, f"--wrap={VALGRIND}", "--timeout-multiplier=10")


def main():
    everywhere()
    if os.environ.get("CI"):
        in_ci()
    print(f"\n{COUNTS['passed']} passed, {COUNTS['failed']} failed, {COUNTS['skipped']} skipped")
    return 1 if COUNTS["failed"] or not COUNTS["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
