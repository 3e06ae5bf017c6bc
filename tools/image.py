"""Writes a container image as an OCI archive, without a registry, a daemon or root: mcptools, the libraries that it loads,
and the certificates that the system trusts. Two runs over the same files give the same bytes.

    python3 tools/image.py PROGRAM OUT.tar

Load it with `podman load -i OUT.tar`, `docker load -i OUT.tar` (25 or newer) or `skopeo copy oci-archive:OUT.tar …`.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile

CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
USER = 65532
TEXTS = {
    "etc/passwd": f"root:x:0:0:root:/:/sbin/nologin\nmcptools:x:{USER}:{USER}:MCP gateway:/home/mcptools:/sbin/nologin\n",
    "etc/group": f"root:x:0:\nmcptools:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
FOLDERS = {"tmp": (0, 0o1777), "home/mcptools": (USER, 0o700), "etc/mcptools": (0, 0o755)}


def libraries(path):
    """The files that the dynamic linker loads for a program or library, the linker included."""
    out = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
    missing = re.findall(r"(\S+) => not found", out)
    if missing:
        sys.exit(f"image.py: {path} needs {', '.join(missing)}, which is not installed")
    return {pathlib.Path(found) for found in re.findall(r"(/\S+) \(0x", out)}


def libcurl():
    """libcurl is loaded at run time, for servers with a URL."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"libcurl\.so\.4 .*=> (\S+)", cache)
    if not found:
        sys.exit("image.py: libcurl.so.4 is not installed (Debian: libcurl4)")
    return pathlib.Path(found[1])


def contents(program):
    """(name in the image, bytes, mode) of each file."""
    if not CERTIFICATES.exists():
        sys.exit(f"image.py: {CERTIFICATES} is missing (Debian: install ca-certificates)")
    curl = libcurl()
    for path in sorted({curl} | libraries(program) | libraries(curl)):
        yield path.as_posix().lstrip("/"), path.read_bytes(), 0o755
    yield "usr/bin/mcptools", program.read_bytes(), 0o755
    yield CERTIFICATES.as_posix().lstrip("/"), CERTIFICATES.read_bytes(), 0o644
    for name, text in TEXTS.items():
        yield name, text.encode(), 0o644


def entry(name, size=0, mode=0o755, owner=0, folder=False):
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime, info.uid, info.gid = size, mode, EPOCH, owner, owner
    info.type = tarfile.DIRTYPE if folder else tarfile.REGTYPE
    return info


def layer(program):
    out, made = io.BytesIO(), set()
    files = sorted(contents(program))
    folders = {**{p.as_posix(): (0, 0o755) for name, *_ in files for p in pathlib.PurePosixPath(name).parents if p.name}, **FOLDERS}
    folders.update({p.as_posix(): folders.get(p.as_posix(), (0, 0o755)) for name in FOLDERS
                    for p in pathlib.PurePosixPath(name).parents if p.name})
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, (owner, mode) in sorted(folders.items()):
            tar.addfile(entry(name, mode=mode, owner=owner, folder=True))
        for name, data, mode in files:
            if name not in made:
                tar.addfile(entry(name, len(data), mode), io.BytesIO(data))
            made.add(name)
    return out.getvalue()


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def image(program):
    """The files of an OCI image layout."""
    plain = layer(program)
    packed = gzip.compress(plain, compresslevel=6, mtime=0)
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    config = {
        "architecture": machine, "os": "linux", "rootfs": {"type": "layers", "diff_ids": [digest(plain)]},
        "config": {
            "User": str(USER), "Entrypoint": ["/usr/bin/mcptools"], "WorkingDir": "/home/mcptools", "StopSignal": "SIGTERM",
            "Cmd": ["--config", "/etc/mcptools/mcptools.json", "serve", "--http", "0.0.0.0:8931"],
            "ExposedPorts": {"8931/tcp": {}}, "Env": ["HOME=/home/mcptools", "PATH=/usr/bin", f"SSL_CERT_FILE={CERTIFICATES}"],
        },
    }
    blobs = {}

    def blob(kind, data):
        blobs[f"blobs/sha256/{digest(data)[7:]}"] = data
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": digest(data), "size": len(data)}

    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": blob("config.v1+json", json.dumps(config, sort_keys=True).encode()),
                "layers": [blob("layer.v1.tar+gzip", packed)]}
    found = blob("manifest.v1+json", json.dumps(manifest, sort_keys=True).encode())
    found["annotations"] = {"org.opencontainers.image.ref.name": "mcptools:latest"}
    return {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}',
            "index.json": json.dumps({"schemaVersion": 2, "manifests": [found]}, sort_keys=True).encode(), **blobs}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, out = map(pathlib.Path, sys.argv[1:])
    with tarfile.open(out, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in sorted(image(program).items()):
            tar.addfile(entry(name, len(data), 0o644), io.BytesIO(data))
    print(f"{out}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
