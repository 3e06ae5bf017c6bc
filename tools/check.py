"""Build and run all tests; the last line is `N passed, N failed, N skipped`.

With CI set in the environment also: clang and a release build with warnings as errors, AddressSanitizer and
UndefinedBehaviorSanitizer, Valgrind, and a short run of the fuzzers.
"""

import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

TOP = pathlib.Path(__file__).resolve().parent.parent
COUNTS = {"passed": 0, "failed": 0, "skipped": 0}
JOBS = 2 * (os.cpu_count() or 1)  # most tests of the program wait for something
FAILURES = []  # what failed, told once more at the end: a long log is often shown by its tail
VALGRIND = "valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect"


def say(text):
    print(f"\n== {text}", flush=True)


def fail(name, output=""):
    COUNTS["failed"] += 1
    FAILURES.append((name, output))


def step(name, command):
    """A command that is one test of its own."""
    say(name)
    ok = subprocess.run(command, cwd=TOP, check=False).returncode == 0
    if ok:
        COUNTS["passed"] += 1
    else:
        fail(name)


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
            fail(f"setting up {folder}", done.stdout)
            return False
    done = subprocess.run(["ninja", "-C", path], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stdout)
        fail(f"building {folder}", done.stdout)
    return done.returncode == 0


def count(path, folder):
    """Add what a JUnit file says."""
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        output = "\n".join(part.text or "" for part in suite if part.tag in ("system-out", "system-err"))
        for case in suite.iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                fail(f"{folder}: {suite.get('name')}: {case.get('name')}", output)
                output = ""  # once is enough
            elif case.find("skipped") is not None:
                COUNTS["skipped"] += 1
            else:
                COUNTS["passed"] += 1


def run_tests(folder, *options, environment=None):
    say(f"testing {folder} {' '.join(options)}")
    logs = TOP / folder / "meson-logs"
    for old in logs.glob("testlog*.junit.xml"):
        old.unlink()
    subprocess.run(["meson", "test", "-C", folder, "--print-errorlogs", "--num-processes", str(JOBS), *options], cwd=TOP,
                   env={**os.environ, **(environment or {})}, check=False)
    written = list(logs.glob("testlog*.junit.xml"))  # a wrapper puts its name behind "testlog"
    for log in written:
        count(log, folder)
    if not written:
        fail(f"{folder} {' '.join(options)}: no test ran")


def everywhere():
    for name in ("layers", "names"):
        step(name, [sys.executable, f"tools/check-{name}.py"])
    step("format", [sys.executable, "tools/format.py", "--check"])
    if build("build-check", "gcc"):
        run_tests("build-check")


def in_ci():
    quick = [f for suite in ("unit", "suite", "flow", "golden") for f in ("--suite", suite)]
    build("build-clang", "clang")
    build("build-optimized", "gcc", "--buildtype=release", "-Dtests=disabled")  # other warnings than without inlining
    if build("build-asan", "clang", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dfuzz=enabled"):
        run_tests("build-asan", *quick, "--suite", "program", "--suite", "api", environment={
            "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
            "TEST_PATIENCE": "120"})
        step("fuzzing, short", [sys.executable, "tools/fuzz.py", "10"])
    run_tests("build-check", *quick, "--suite", "api-c", f"--wrap={VALGRIND}", "--timeout-multiplier=10")


def told(output):
    """The lines of a failed program's output that say why: all of a short one, else failures and their remarks."""
    lines = [line for line in output.splitlines() if not line.startswith("ok ")]
    if len(lines) <= 40:
        return lines
    near = {k + step for k, line in enumerate(lines) if line.startswith("not ok") for step in range(-3, 20)}
    return [line for k, line in enumerate(lines) if k in near or k >= len(lines) - 10][:80]


def main():
    everywhere()
    if os.environ.get("CI"):
        in_ci()
    for name, output in FAILURES:
        print(f"\n== failed: {name}")
        print("".join(f"   {line[:400]}\n" for line in told(output)), end="")
    print(f"\n{COUNTS['passed']} passed, {COUNTS['failed']} failed, {COUNTS['skipped']} skipped")
    return 1 if COUNTS["failed"] or not COUNTS["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
