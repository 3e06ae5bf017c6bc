"""tools/image.py makes an image whose program runs with nothing but what is in it. TAP. Argument: the program mcptools."""

import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
MCPTOOLS = sys.argv[1]


def make(path):
    subprocess.run([sys.executable, TOP / "tools" / "image.py", MCPTOOLS, path], check=True, stdout=subprocess.DEVNULL)


def archive(folder):
    """The files of the image that the first test made."""
    with tarfile.open(folder / "one.tar") as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}


def blob(files, descriptor):
    data = files["blobs/" + descriptor["digest"].replace(":", "/")]
    assert hashlib.sha256(data).hexdigest() == descriptor["digest"][7:] and len(data) == descriptor["size"], descriptor
    return data


def parts(files):
    manifest = json.loads(blob(files, json.loads(files["index.json"])["manifests"][0]))
    return json.loads(blob(files, manifest["config"])), gzip.decompress(blob(files, manifest["layers"][0]))


def two_runs_are_identical(folder):
    make(folder / "one.tar")
    make(folder / "two.tar")
    assert (folder / "one.tar").read_bytes() == (folder / "two.tar").read_bytes()


def digests_are_those_of_the_contents(folder):
    config, layer = parts(archive(folder))
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
    assert json.loads(archive(folder)["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}


def nobody_else_can_write(folder):
    config, layer = parts(archive(folder))
    assert config["config"]["User"] not in ("", "0", "root")
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        writable = [m.name for m in tar if m.mode & 0o022 and m.name != "tmp"]
        assert not writable, writable


def the_program_runs_in_it(folder):
    if os.geteuid() != 0:
        return "SKIP only root can change the root folder"
    config, layer = parts(archive(folder))
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        tar.extractall(folder / "root")
    inside = {name: value for name, _, value in (pair.partition("=") for pair in config["config"]["Env"])}
    user = int(config["config"]["User"])

    def run(*words):
        return subprocess.run([*config["config"]["Entrypoint"], *words], cwd="/", env=inside, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: (os.chroot(folder / "root"), os.chdir("/home/mcptools"), os.setgid(user), os.setuid(user)))

    listed = run("list", "demo", "--brief")
    assert listed.returncode == 0 and listed.stdout, listed
    away = run("list", "http://127.0.0.1:1/mcp")  # libcurl is there
    assert away.returncode == 4 and "libcurl" not in away.stderr, away
    return None


def main():
    if not os.path.exists("/etc/ssl/certs/ca-certificates.crt"):
        print("1..0 # SKIP the package ca-certificates is missing")
        return
    tests = [two_runs_are_identical, digests_are_those_of_the_contents, nobody_else_can_write, the_program_runs_in_it]
    failed = 0
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory(prefix="mcptools-image-") as folder:
        os.chmod(folder, 0o755)
        for number, test in enumerate(tests, 1):
            try:
                skipped = test(pathlib.Path(folder))
                print(f"ok {number} - {test.__name__}{f' # {skipped}' if skipped else ''}")
            except (AssertionError, subprocess.CalledProcessError) as err:
                failed += 1
                print(f"not ok {number} - {test.__name__}\n# {err}")
    sys.exit(bool(failed))


main()
