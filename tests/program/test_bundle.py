"""`mcptools add FILE.mcpb`: bundles, good and hostile ones."""

import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import threading
import zipfile

from harness import TEST_SERVER, main, run, test
from registry_server import Registry, plain
from terminal import Terminal

MANIFEST = {
    "manifest_version": "0.3", "name": "notes", "version": "1.2.0", "description": "Notes in a folder",
    "author": {"name": "Ada"},
    "server": {"type": "binary", "entry_point": "server/run", "mcp_config": {
        "command": "server/run", "args": ["--tool-name", "notes ${user_config.title}"],
        "env": {"TOKEN": "${user_config.token}", "ROOT": "${__dirname}${/}data", "KEPT": "${OTHER}"},
        "platform_overrides": {"win32": {"command": "run.exe"}}}},
    "user_config": {
        "title": {"type": "string", "title": "Title", "default": "mine"},
        "token": {"type": "string", "description": "Token of the service", "sensitive": True, "required": True}},
}
SCRIPT = f'#!/bin/sh\nenv >"$OUT/env"; pwd >"$OUT/cwd"; exec "{TEST_SERVER}" "$@"\n'


def entry(name, mode=0o100644, method=zipfile.ZIP_DEFLATED):
    info = zipfile.ZipInfo(name)
    info.external_attr, info.create_system, info.compress_type = mode << 16, 3, method
    return info


def bundle(path, manifest=None, files=(), change=None):
    """A bundle with a server, and further files: (name or ZipInfo, content)."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("manifest.json", json.dumps(manifest or MANIFEST))
        z.writestr(entry("server/run", 0o100755), SCRIPT)
        for name, content in files:
            z.writestr(name, content)
    raw = data.getvalue()
    path.write_bytes(change(raw) if change else raw)
    return path


def add(folder, *words, **more):
    return run(folder, "add", "--no-sandbox", *words, **{"env": {"OUT": str(folder)}, **more})


def entries(folder):
    file = folder / ".config/mcptools/mcptools.json"
    return json.loads(file.read_text())["mcpServers"] if file.exists() else {}


def unpacked(folder):
    bundles = folder / ".local/share/mcptools/bundles"
    return sorted(str(p.relative_to(bundles)) for p in bundles.rglob("*"))


@test
def a_bundle_is_unpacked_tried_and_written(folder):
    bundle(folder / "notes.mcpb", files=[("data/", ""), ("data/a.txt", "x" * 100000)])
    p = add(folder, "notes.mcpb", "--yes", "--arg", "token=s3cr3t", "--env", "OUT")
    home = folder / ".local/share/mcptools/bundles/notes-1.2.0"
    assert p.returncode == 0 and "Connected: test-server 1, 4 tools: tool0, tool1, tool2, notes mine" in p.stdout and "s3cr3t" not in p.stdout + p.stderr, p
    assert "notes: notes 1.2.0\n  Notes in a folder\n" in p.stdout, p.stdout
    secret = folder / ".config/mcptools/secrets/notes.token"
    assert entries(folder)["notes"] == {
        "command": str(home / "server/run"), "args": ["--tool-name", "notes mine"], "cwd": str(home),
        "env": {"TOKEN": f"${{file:{secret}}}", "ROOT": f"{home}/data", "KEPT": "$${OTHER}", "OUT": "${OUT}"}}, entries(folder)
    assert secret.read_text() == "s3cr3t\n"
    env = (folder / "env").read_text().splitlines()
    assert "TOKEN=s3cr3t" in env and "KEPT=${OTHER}" in env and (folder / "cwd").read_text() == f"{home}\n"
    assert (home / "data/a.txt").read_text() == "x" * 100000
    assert stat.S_IMODE((home / "server/run").stat().st_mode) & 0o111 and not (home / "data/a.txt").stat().st_mode & 0o111
    assert {name.split("/")[0] for name in unpacked(folder)} == {"notes-1.2.0"}, unpacked(folder)
    # a second time: replaced as a whole
    bundle(folder / "notes.mcpb", files=[("new.txt", "")])
    p = add(folder, "notes.mcpb", "--yes")
    assert p.returncode == 2 and "a server 'notes' is configured already" in p.stderr, p
    p = add(folder, "notes.mcpb", "--yes", "--force", "--no-check", env={"TOKEN": "x"})
    assert p.returncode == 0 and not (home / "data").exists() and (home / "new.txt").exists(), p
    assert [n for n in unpacked(folder) if "/" not in n] == ["notes-1.2.0"]
    p = run(folder, "config", "remove", "notes")
    assert p.returncode == 0 and f"its bundle is still in {home}\n" in p.stdout and not entries(folder), p


@test
def a_person_answers_the_questions_of_a_bundle(folder):
    manifest = json.loads(json.dumps(MANIFEST))
    manifest["user_config"]["folders"] = {"type": "directory", "multiple": True, "required": True,
                                          "default": ["${HOME}/Documents", "${DESKTOP}"]}
    manifest["user_config"]["count"] = {"type": "number", "min": 1, "max": 9, "required": True}
    manifest["server"]["mcp_config"]["args"] += ["${user_config.folders}", "${user_config.count}"]
    bundle(folder / "notes.dxt", manifest)
    t = Terminal(folder, "add", "--no-sandbox", "notes.dxt", "--no-check", env={"OUT": str(folder)})
    t.until(b"token: Token of the service (required)")
    t.until(b"starts: ")
    t.type(b"\n")
    at = t.until(f"value [{folder}/Documents]: ".encode())
    t.type(b"\n")
    at = t.until(b"value: ", at)
    t.type(b"12\n")
    at = t.until(b"12 must be at most 9", at)
    t.until(b"value: ", at)
    t.type(b"3\n")
    t.until(b"Set some of them? [y/N] ")
    t.type(b"\n")
    t.until(b"[Y/n] ")
    assert not (folder / ".local/share").exists()
    t.type(b"\n")
    status, out = t.end()
    assert status == 0, out
    assert entries(folder)["notes"]["args"] == ["--tool-name", "notes mine", f"{folder}/Documents", f"{folder}/Desktop", "3"]
    assert entries(folder)["notes"]["env"]["TOKEN"] == "${TOKEN}"


@test
def other_kinds_of_servers(folder):
    for kind, config, command, args in (
            ("node", None, "node", ["$D/index.js"]), ("python", None, "python3", ["$D/index.js"]),
            ("uv", None, "uv", ["run", "--directory", "$D", "$D/index.js"]), ("binary", None, "$D/index.js", None),
            ("node", {"command": "node", "args": ["${__dirname}/x", "${HOME}", "${user_config.none}"],
                      "platform_overrides": {"linux": {"args": ["y"]}}}, "node", ["y"]),
            ("node", {"command": "node", "args": ["${HOME}/x", "${user_config.none}"]}, "node",
             [f"{folder}/x", "$${user_config.none}"])):
        manifest = {"dxt_version": "0.1", "name": "k", "version": "1", "description": "", "author": {},
                    "server": {"type": kind, "entry_point": "index.js", **({"mcp_config": config} if config else {})}}
        bundle(folder / "k.mcpb", manifest)
        p = add(folder, "k.mcpb", "--yes", "--no-check", "--force")
        assert p.returncode == 0, p
        home = str(folder / ".local/share/mcptools/bundles/k-1")
        assert entries(folder)["k"] == {"command": command.replace("$D", home), "cwd": home,
                                        **({"args": [a.replace("$D", home) for a in args]} if args else {})}, entries(folder)


@test
def manifests_that_cannot_be_used(folder):
    for change, said in (
            ({"manifest_version": "9"}, '"manifest_version" must be 0.1 to 0.4, not "9"'),
            ({"manifest_version": None}, '"manifest_version" must be 0.1 to 0.4'),
            ({"name": 7, "version": None}, '"name" and "version" must be texts'),
            ({"server": {}}, '"server" must have "mcp_config"'),
            ({"server": {"type": "node", "mcp_config": {}}}, '"mcp_config" has no "command"'),
            ({"server": {"mcp_config": {"command": "x", "args": [{}]}}}, "invalid, or too large"),
            ({"compatibility": {"platforms": ["darwin", "win32"]}}, "does not run on this system")):
        bundle(folder / "b.mcpb", {**MANIFEST, **change})
        p = add(folder, "b.mcpb", "--yes")
        assert p.returncode == 4 and said in p.stderr and not entries(folder), (change, p)
    for raw, said in ((b"", "not a ZIP file"), (b"PK", "not a ZIP file"), (b"x" * 1000, "not a ZIP file")):
        (folder / "b.mcpb").write_bytes(raw)
        assert said in add(folder, "b.mcpb", "--yes").stderr
    with zipfile.ZipFile(folder / "b.mcpb", "w") as z:
        z.writestr("other.json", "{}")
    assert "has no manifest.json" in add(folder, "b.mcpb", "--yes").stderr
    with zipfile.ZipFile(folder / "b.mcpb", "w") as z:
        z.writestr("manifest.json", "{")
    assert "manifest.json is not valid JSON" in add(folder, "b.mcpb", "--yes").stderr
    assert not (folder / ".local/share").exists()


def patched(offset_of, *changes):
    """Changes bytes behind a mark: (offset, bytes)."""
    def change(raw):
        raw = bytearray(raw)
        at = raw.rfind(offset_of)
        for offset, data in changes:
            raw[at + offset:at + offset + len(data)] = data
        return bytes(raw)
    return change


def beyond_the_end(raw):
    """The last two entries are said to be behind the archive, one behind the other."""
    first = raw.rfind(b"PK\1\2", 0, raw.rfind(b"PK\1\2"))
    for at, place in ((first, 1 << 30), (raw.rfind(b"PK\1\2"), 1 << 31)):
        raw = raw[:at + 42] + struct.pack("<I", place) + raw[at + 46:]
    return raw


@test
def hostile_archives(folder):
    zeros = b"\0" * (300 << 20)
    for files, change, said in (
            ([("../evil", "x")], None, "would leave its folder"),
            ([("/etc/evil", "x")], None, "would leave its folder"),
            ([("a/../../evil", "x")], None, "would leave its folder"),
            ([("a//b", "x")], None, "would leave its folder"),
            ([("a\x1b[2Jb", "x")], None, "control characters or backslashes"),
            ([("SERVER/RUN", "x")], None, "has the name of another entry"),
            ([("a", "x"), ("a/", "")], None, "has the name of another entry"),
            ([("a" * 300, "x")], None, "very long name"),
            ([("d/" * 80 + "x", "x")], None, "is too deep"),
            ([(entry("link", 0o120777), "/etc/passwd")], None, "is a link or another special file"),
            ([(entry("fifo", 0o010644), "")], None, "is a link or another special file"),
            ([(entry("dir/", 0o100644), "")], None, "is neither a file nor a folder"),
            ([("zeros", zeros)], None, "too large when they are unpacked"),
            ([("z", "x")], patched(b"PK\1\2", (8, b"\1\0")), "is encrypted"),
            ([("z", "x")], patched(b"PK\1\2", (10, b"\x0c\0")), "unknown method"),
            ([("z", "x")], patched(b"PK\1\2", (24, b"\xff\xff\xff\xff")), "is too large"),
            ([("z", "x")], patched(b"PK\1\2", (20, struct.pack("<I", 1 << 20))), "overlaps another one"),
            ([("z", "x")], patched(b"PK\1\2", (42, struct.pack("<I", 7))), "is not where the directory says"),
            ([("z", "x")], patched(b"PK\1\2", (46, b"y")), "has two names"),
            ([("z", "x")], beyond_the_end, "is not where the directory says"),
            ([("z", "x" * 1000)], patched(b"PK\1\2", (24, struct.pack("<I", 10))), "is larger than the directory says"),
            ([("z", "x" * 1000)], patched(b"PK\1\2", (16, b"\0\0\0\0")), "is damaged"),
            ([("z", "x" * 1000)], patched(b"PK\3\4", (31 + 2, b"\xff\xff")), "is damaged"),
            ([], patched(b"PK\5\6", (8, b"\x09\0\x09\0")), "its directory is damaged"),
            ([], patched(b"PK\5\6", (4, b"\1\0")), "has several parts"),
            ([], patched(b"PK\5\6", (16, b"\0\0\0\0")), "its directory is not where it should be"),
            ([], lambda raw: raw[:-30], "not a ZIP file, or was cut"),
            ([], lambda raw: raw + b"trailing", "not a ZIP file, or was cut"),
            ([], lambda raw: b"MZ" + raw, "not where")):
        bundle(folder / "b.mcpb", files=files, change=change)
        p = add(folder, "b.mcpb", "--yes", "--no-check", "--arg", "token=x")
        assert p.returncode == 4 and said in p.stderr and "\x1b" not in p.stderr, (said, p)
        assert not entries(folder) and not [f for f in unpacked(folder)], unpacked(folder)
    assert not pathlib.Path("/etc/evil").exists() and not list(folder.rglob("evil"))


@test
def a_bundle_that_does_not_work_leaves_nothing(folder):
    manifest = json.loads(json.dumps(MANIFEST))
    manifest["server"]["mcp_config"]["command"] = "server/none"
    bundle(folder / "b.mcpb", manifest)
    p = add(folder, "b.mcpb", "--yes", "--arg", "token=x")
    assert p.returncode == 4 and "not added, because the server does not work" in p.stderr, p
    assert not unpacked(folder) and not list((folder / ".config/mcptools/secrets").iterdir()) and not entries(folder)


# ---- from a registry


@test
def a_bundle_of_a_registry_must_have_its_hash(folder):
    raw = bundle(folder / "b.zip").read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_):
            pass

    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=files.serve_forever, args=(0.05,), daemon=True).start()
    url = f"http://127.0.0.1:{files.server_address[1]}/notes.mcpb"
    with Registry() as r:
        for name, sha in (("good", hashlib.sha256(raw).hexdigest()), ("bad", "0" * 64), ("none", None)):
            r.add(plain(f"com.a/{name}", packages=[{"registryType": "mcpb", "identifier": url, "version": "1.2.0",
                                                     "transport": {"type": "stdio"}, **({"fileSha256": sha} if sha else {})}]))
        env = {"MCPTOOLS_REGISTRY_URL": r.url, "OUT": str(folder)}
        given = ("--yes", "--arg", "token=x", "--env", "OUT")
        for name, said in (("bad", "its SHA-256 is another one"), ("none", "has no fileSha256")):
            p = add(folder, f"com.a/{name}", *given, env=env)
            assert p.returncode == 4 and said in p.stderr and not unpacked(folder), p
        p = add(folder, "com.a/good", *given, env=env)
        assert p.returncode == 0 and entries(folder)["good"]["cwd"].endswith("/bundles/notes-1.2.0"), p
    files.shutdown()
    files.server_close()


# ---- signatures


def signed(raw, folder):
    """The archive with a signature of a self-signed certificate, as `mcpb sign --self-signed` makes it."""
    key, cert, der = folder / "key.pem", folder / "cert.pem", folder / "sig.der"
    (folder / "raw").write_bytes(raw)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-subj",
                    "/CN=Ada Lovelace", "-days", "2"], check=True, capture_output=True)
    subprocess.run(["openssl", "cms", "-sign", "-binary", "-in", folder / "raw", "-signer", cert, "-inkey", key, "-outform",
                    "DER", "-out", der], check=True, capture_output=True)
    block = der.read_bytes()
    return raw + b"MCPB_SIG_V1" + struct.pack("<I", len(block)) + block + b"MCPB_SIG_END"


@test
def a_signature_is_checked(folder):
    raw = bundle(folder / "b.mcpb").read_bytes()
    full = signed(raw, folder)
    given = ("--yes", "--no-check", "--arg", "token=x", "--dry-run")
    for data, status, said in (
            (full, 0, "note: it is signed, but the signer 'Ada Lovelace' is unknown to this system"),
            (raw, 0, "notes 1.2.0"),
            (full[:10] + b"\1\1" + full[12:], 7, "danger: its signature is broken"),
            (raw + b"MCPB_SIG_V1\5\0\0\0helloMCPB_SIG_END", 7, "danger: its signature is broken")):
        (folder / "b.mcpb").write_bytes(data)
        p = add(folder, "b.mcpb", *given)
        assert p.returncode == status and said in p.stdout, (said, p)
    env = {"SSL_CERT_FILE": str(folder / "cert.pem")}
    (folder / "b.mcpb").write_bytes(full)
    p = add(folder, "b.mcpb", *given, env=env)
    assert p.returncode == 0 and "note: it is signed by 'Ada Lovelace'\n" in p.stdout, p


if shutil.which("openssl") is None:
    raise SystemExit("openssl is missing")
main()
