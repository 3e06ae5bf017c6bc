"""tools/setup, `make install` and its script: who may install what, and what they say. Commands of the system are stand-ins."""

import pathlib
import subprocess

from harness import main, test

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
STANDINS = {
    "dpkg-query": 'for last; do :; done; case " $MISSING " in *" $last "*) exit 1 ;; esac; echo "ii "',
    "id": 'echo "$FAKE_UID"',
    "apt-get": 'echo "apt-get $*" >> "$TOLD"; exit "$APT_STATUS"',
    "sudo": '[ "$1" = -n ] && [ "$SUDO" = yes ] || exit 1; shift; [ "$1" = true ] || echo sudo >> "$TOLD"; exec "$@"',
    "ldconfig": 'echo ldconfig >> "$TOLD"',
    "meson": 'echo "meson $* DESTDIR=$DESTDIR" >> "$TOLD"; mkdir -p build; touch build/build.ninja',
    "ninja": 'echo "ninja $*" >> "$TOLD"',
}


def told(folder):
    path = folder / "told"
    return path.read_text() if path.exists() else ""


def fake(folder, *command, cwd=TOP, **variables):
    """Run with stand-ins first in PATH; what they are told is in the file `told`, which is empty at first."""
    for name, script in STANDINS.items():
        path = folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    (folder / "told").unlink(missing_ok=True)
    env = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "TOLD": str(folder / "told"), "MISSING": "", "FAKE_UID": "1000", "SUDO": "no",
           "APT_STATUS": "0", **variables}
    return subprocess.run([str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False)


def setup(folder, **variables):
    return fake(folder, TOP / "tools" / "setup", "build", **variables)


@test
def nothing_is_missing(folder):
    done = setup(folder)
    assert (done.returncode, done.stdout, done.stderr, told(folder)) == (0, "", "", ""), done


@test
def only_the_manual_pages_lack_something(folder):
    done = setup(folder, MISSING="scdoc")
    assert done.returncode == 0 and "building without scdoc" in done.stdout and not told(folder), done
    done = setup(folder, MISSING="scdoc", FAKE_UID="0", APT_STATUS="100")
    assert done.returncode == 0 and "building without scdoc" in done.stdout, done


@test
def a_user_is_told_what_root_has_to_install(folder):
    done = setup(folder, MISSING="meson libuv1-dev scdoc")
    assert done.returncode == 1 and not told(folder), done
    assert "missing Debian packages: meson libuv1-dev\n" in done.stderr and "administrator" in done.stderr, done
    assert "scdoc" not in done.stderr, "only documentation needs it"
    assert "apt-get install --no-install-recommends meson libuv1-dev" in done.stderr, done


@test
def root_and_sudo_install(folder):
    for variables in ({"FAKE_UID": "0"}, {"SUDO": "yes"}):
        done = setup(folder, MISSING="meson scdoc", **variables)
        assert done.returncode == 0 and "installing: meson\n" in done.stdout, done
        assert "apt-get update" in told(folder) and "install -y -qq --no-install-recommends meson" in told(folder), told(folder)
        assert "--no-install-recommends scdoc" in told(folder), told(folder)
        assert ("sudo" in told(folder)) == ("SUDO" in variables), told(folder)
    assert setup(folder, MISSING="meson", FAKE_UID="0", APT_STATUS="100").returncode, "a build is not begun without meson"


@test
def the_linker_hears_of_a_new_library(folder):
    rows = [("0", "/usr/local", "", True), ("0", "/usr", "", True), ("0", "/usr/local", "/stage", False),
            ("0", "/opt/mcptools", "", False), ("1000", "/usr/local", "", False)]
    for uid, prefix, destdir, wanted in rows:
        done = fake(folder, TOP / "tools" / "install-ldconfig", FAKE_UID=uid, MESON_INSTALL_PREFIX=prefix, DESTDIR=destdir)
        assert done.returncode == 0 and (told(folder) == "ldconfig\n") == wanted, (uid, prefix, destdir, done, told(folder))
    assert "tools/install-ldconfig" in (TOP / "meson.build").read_text()


@test
def make_install_honours_prefix_and_destdir(folder):
    (folder / "tools").mkdir()
    (folder / "tools" / "setup").symlink_to("/bin/true")
    (folder / "Makefile").write_text((TOP / "Makefile").read_text())
    done = fake(folder, "make", "install", f"PREFIX={folder}/p", f"DESTDIR={folder}/stage", cwd=folder)
    assert done.returncode == 0, done
    lines = told(folder).splitlines()
    assert any(line.startswith("meson setup") and f"--prefix={folder}/p" in line for line in lines), lines
    assert any(line.startswith("meson install") and f"--destdir {folder}/stage" in line for line in lines), lines
    for words, prefix in ((["PREFIX=elsewhere"], f"{folder}/elsewhere"), ([], "/usr/local"), ([], None)):
        done = fake(folder, "make", "install", *words, cwd=folder)
        lines = [line.split(" DESTDIR")[0] for line in told(folder).splitlines() if line.startswith("meson configure")]
        assert lines == ([f"meson configure build --prefix={prefix}"] if prefix else []), (words, done)
    fake(folder, "make", "uninstall", cwd=folder)
    assert told(folder) == "ninja -C build uninstall\n", told(folder)


if __name__ == "__main__":
    main()
