"""Build for speed and measure. Options as bench/run.py, without --build."""

import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
BUILD = TOP / "build-bench"
PROGRAMS = ["mcptools", "tests/test-server", "bench/loadgen", "bench/server/bench-server"]


def build():
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", BUILD, "--buildtype=release"], cwd=TOP, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["ninja", "-C", BUILD, *PROGRAMS], stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    build()
    sys.exit(subprocess.run([sys.executable, TOP / "bench/run.py", "--build", BUILD, *sys.argv[1:]], check=False).returncode)
