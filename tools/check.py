"""Build and run all tests; the last line is `N passed, N failed, N skipped`.

With CI set in the environment also: clang with AddressSanitizer and UndefinedBehaviorSanitizer, Valgrind, and a short
run of the fuzzers. Most tests of the program wait for something, so two lanes go on side by side (with more, tests wait
for the machine itself); tests that want the machine for themselves (the suite `alone`) come after that. A busy machine
upsets some tests that wait for other programs: up to MOST_REPEATED
programs that failed then run once more, alone, and are reported as `unsteady` if they pass. Memory errors are never
repeated. With the argument `sanitized`: the tests with both sanitizers and nothing else, more of them than in CI.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

from fuzz import SANITIZERS

TOP = pathlib.Path(__file__).resolve().parent.parent
COUNTS = {"passed": 0, "failed": 0, "skipped": 0}
CORES = os.cpu_count() or 1
FAILURES = []  # failed tests, repeated at the end: of a long log, often only the tail is shown
TIMES = []  # (what, seconds, seconds of CPU)
REPEATED = []  # programs with failures, as they were run: see repeat()
MOST_REPEATED = 8
NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")  # Meson copies what tests print
MEMORY_ERROR = re.compile(r"ERROR: \w+Sanitizer|runtime error:|==\d+==|SUMMARY: ")
EVERY = sys.argv[1:] == ["sanitized"]
LOCK = threading.Lock()  # protects these three and stdout
LINKER = {"CC_LD": "mold"} if shutil.which("mold") else {}  # hundreds of test programs: several times faster than GNU ld
QUICK = [word for suite in ("unit", "suite", "together", "golden") for word in ("--suite", suite)]
VALGRIND = "valgrind -q --error-exitcode=9 --leak-check=full --show-leak-kinds=definite,indirect"
IN_CI = {"TEST_PATIENCE": "120"}  # other tests run, too
SANITIZED = {**IN_CI, "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


def fail(name, output=""):
    with LOCK:
        COUNTS["failed"] += 1
        FAILURES.append((name, output))


def run(name, command, environment=None):
    """Runs a command and shows its lines as they come, behind the name of the lane if there is one. Returns its exit status and output."""
    lane = threading.current_thread().name
    prefix = "" if lane == "MainThread" else f"{lane}: "
    start, lines = time.monotonic(), []

    def show(line):
        with LOCK:
            print(prefix + line, flush=True)

    show(f"== {name}")
    with subprocess.Popen(command, cwd=TOP, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace") as process:
        for line in process.stdout:
            lines.append(line)
            show(line.rstrip("\n"))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with LOCK:
        TIMES.append((name, time.monotonic() - start, used.ru_utime + used.ru_stime))
    return process.returncode, "".join(lines)


def step(name, command):
    """A command that is one test of its own."""
    status, output = run(name, command)
    if status:
        fail(name, output)
    else:
        with LOCK:
            COUNTS["passed"] += 1


def build(folder, compiler, *options):
    """True when the folder is configured and builds."""
    if not (TOP / folder / "build.ninja").exists():
        setup = ["meson", "setup", folder, "-Dwerror=true", "-Dtests=enabled", *options]
        status, output = run(f"setting up {folder} with {compiler}", setup, {"CC": compiler, **LINKER})
        if status:
            fail(f"setting up {folder}", output)
            return False
    status, output = run(f"building {folder}", ["nice", "ninja", "--quiet", "-C", folder])
    if status:
        fail(f"building {folder}", output)
    return status == 0


class Program:
    """What one test program said: its name, its subtests (name, "passed" | "failed" | "skipped") and its output."""

    def __init__(self, line, suites):
        said = json.loads(line)
        suite = suites.get(f"mcptools.{said['name']}")
        self.name = said["name"].split(" / ")[-1]
        self.output = said.get("stdout", "") + "\n" + said.get("stderr", "")
        self.tests = [(case.get("name"), self.outcome(case)) for case in suite.iter("testcase")] if suite is not None else []
        bad = said["result"] not in ("OK", "SKIP", "EXPECTEDFAIL")
        if bad and all(outcome != "failed" for _, outcome in self.tests):  # it crashed, or took too long
            self.tests.append((f"{said['result']}, exit status {said.get('returncode')}", "failed"))
        elif not self.tests:
            self.tests.append((self.name, "skipped" if said["result"] == "SKIP" else "passed"))
        self.failed = bad

    @staticmethod
    def outcome(case):
        bad = case.find("failure") is not None or case.find("error") is not None
        return "failed" if bad else "skipped" if case.find("skipped") is not None else "passed"

    def count(self, folder):
        output = self.output
        for name, outcome in self.tests:
            if outcome == "failed":
                fail(f"{folder}: {self.name}: {name}", output)
                output = ""  # print it once only
            else:
                with LOCK:
                    COUNTS[outcome] += 1


def programs(folder, options, jobs, environment):
    """Runs test programs and returns what they said."""
    stem = TOP / folder / "meson-logs" / ("testlog-valgrind" if f"--wrap={VALGRIND}" in options else "testlog")
    logs = stem.with_suffix(".json"), stem.with_suffix(".junit.xml")
    for log in logs:
        log.unlink(missing_ok=True)
    run(f"testing {folder} {' '.join(options)}",
        ["meson", "test", "-C", folder, "--no-rebuild", "--print-errorlogs", "--num-processes", str(jobs), *options], environment)
    if not all(log.exists() for log in logs):
        return []
    told = NOT_IN_XML.sub("?", logs[1].read_text(errors="replace"))
    suites = {suite.get("name"): suite for suite in ElementTree.fromstring(told).iter("testsuite")}
    return [Program(line, suites) for line in logs[0].read_text(errors="replace").splitlines()]


def run_tests(folder, *options, jobs=2 * CORES, environment=None):
    said = programs(folder, options, jobs, environment)
    if not said:
        fail(f"testing {folder} {' '.join(options)}: no test ran")
    for program in said:
        if program.failed and "CI" in os.environ and not MEMORY_ERROR.search(program.output):
            with LOCK:
                REPEATED.append((program, folder, [o for o in options if o.startswith("--wrap=")], environment))
        else:
            program.count(folder)


def repeat():
    """Runs the programs of REPEATED once more, alone, and counts what they say then. Returns those that now pass."""
    unsteady, many = [], len(REPEATED) > MOST_REPEATED
    for program, folder, wrap, environment in REPEATED:
        patience = "--timeout-multiplier=20" if wrap else "--timeout-multiplier=3"
        again = [] if many else programs(folder, [patience, *wrap, program.name], 1, environment)
        for said in again or [program]:
            said.count(folder)
        if again and not any(said.failed for said in again):
            unsteady.append((f"{folder}: {program.name}", program.output))
    return unsteady


def plain():
    run_tests("build-check", "--no-suite", "alone", "--timeout-multiplier=3", environment=IN_CI)


def sanitized():
    if build("build-asan", "clang", *SANITIZERS, "-Doptimization=0"):  # half the time of a build that is optimized
        run_tests("build-asan", *QUICK, "--suite", "program", "--suite", "api", "--no-suite", "alone", "--timeout-multiplier=3",
                  *([] if EVERY else ["--no-suite", "person", "--no-suite", "work"]), environment=SANITIZED)
        step("fuzzing, short", [sys.executable, "tools/fuzz.py", "3", "1"])
        step("changed traffic, short", [sys.executable, "tests/mutation/mutate.py", "build-asan/mcptools", "build-asan/tests/test-server",
                                        "--seconds", "45", "--seed", "1"])


def valgrind():
    run_tests("build-check", *QUICK, "--suite", "api-c", "--no-suite", "work", "--no-suite", "native", f"--wrap={VALGRIND}",
              "--timeout-multiplier=20")


def in_ci():
    def lane(*functions):
        for function in functions:
            threading.current_thread().name = function.__name__
            function()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        for running in [pool.submit(lane, plain, valgrind), pool.submit(lane, sanitized)]:
            running.result()
    run_tests("build-check", "--suite", "alone")
    if (TOP / "build-asan" / "build.ninja").exists():
        run_tests("build-asan", "--suite", "alone", "--no-suite", "conformance", environment=SANITIZED)


def relevant(output):
    """Returns the useful lines of a failed program's output: all of a short one, otherwise failures and their remarks."""
    lines = [line for line in output.splitlines() if not line.startswith("ok ")]
    if len(lines) <= 40:
        return lines
    near = {k + step for k, line in enumerate(lines) if line.startswith("not ok") for step in range(-3, 20)}
    return [line for k, line in enumerate(lines) if k in near or k >= len(lines) - 10][:80]


def main():
    for name in ("layers", "names"):
        step(name, [sys.executable, f"tools/check-{name}.py"])
    step("format", [sys.executable, "tools/format.py", "--check"])
    if EVERY:
        sanitized()
    elif build("build-check", "gcc", "-Doptimization=3"):  # more optimisation finds more warnings
        if os.environ.get("CI"):
            in_ci()
        else:
            run_tests("build-check")
    for name, output in repeat():
        print(f"\n== unsteady: {name}: failed beside other tests, passed alone")
        print("".join(f"   {line[:400]}\n" for line in relevant(output)), end="")
    for name, output in FAILURES:
        print(f"\n== failed: {name}")
        print("".join(f"   {line[:400]}\n" for line in relevant(output)), end="")
    print("\n" + "".join(f"{wall:7.1f} s {cpu:7.1f} s of CPU  {name[:100]}\n" for name, wall, cpu in TIMES))
    print(f"{COUNTS['passed']} passed, {COUNTS['failed']} failed, {COUNTS['skipped']} skipped")
    return 1 if COUNTS["failed"] or not COUNTS["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
