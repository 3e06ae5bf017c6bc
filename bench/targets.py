"""Starts what the benchmark compares: the gateway, nginx, HAProxy, and the servers behind them."""

import copy
import json
import os
import pathlib
import subprocess
import time
import urllib.request

import clients
import processes

CONF = pathlib.Path(__file__).resolve().parent / "conf"
LOCAL = "127.0.0.1"


class World:
    """Programs and folder of one part. Everything started here ends with `stack`."""

    def __init__(self, stack, build, folder):
        self.stack, self.folder = stack, folder
        self.mcptools = str(build / "mcptools")
        self.loadgen = str(build / "bench/loadgen")
        self.server = str(build / "bench/server/bench-server")
        self.echo = str(build / "tests/test-server")

    def new_folder(self, name):
        folder = self.folder / name
        folder.mkdir()
        return folder


def sub_world(world, stack):
    """The same world; what is started in it ends with `stack`."""
    sub = copy.copy(world)
    sub.stack = stack
    return sub


def fill(template, to, **values):
    text = (CONF / template).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    to.write_text(text)
    return to


def nginx(world, name, template="nginx-constant.conf.in", **values):
    """Returns the URL and the worker's pid."""
    prefix, port = world.new_folder(name), processes.free_ports(1)[0]
    config = fill(template, prefix / "nginx.conf", PREFIX=prefix, PORT=port, **values)
    log = prefix / "error.log"
    process = processes.start(world.stack, ["nginx", "-p", prefix, "-e", log, "-c", config], log)
    url = f"http://{LOCAL}:{port}/mcp"
    processes.wait_until_up(process, url, log)
    return url, processes.only_child(process.pid)


def nginx_proxy(world, name, backend_port, authority=None):
    """nginx in front of a server; `authority` is the CA file if that server speaks TLS."""
    lines = ("proxy_ssl_session_reuse on; proxy_ssl_verify on; proxy_ssl_server_name on; proxy_ssl_name localhost; "
             f"proxy_ssl_trusted_certificate {authority};")
    return nginx(world, name, "nginx-proxy.conf.in", BACKEND_PORT=backend_port, SCHEME="https" if authority else "http",
                 TLS=lines if authority else "")


def haproxy(world, name, backend_port, authority=None):
    prefix, port = world.new_folder(name), processes.free_ports(1)[0]
    config = fill("haproxy-proxy.cfg.in", prefix / "haproxy.cfg", PORT=port, BACKEND_PORT=backend_port,
                  TLS=f"ssl verify required ca-file {authority}" if authority else "")
    log = prefix / "log"
    process = processes.start(world.stack, ["haproxy", "-db", "-q", "-f", config], log)
    url = f"http://{LOCAL}:{port}/mcp"
    processes.wait_until_up(process, url, log)
    return url, process.pid


def http_server(world, name, *options):
    """The benchmark's own server. Returns its port."""
    port = processes.free_ports(1)[0]
    log = world.folder / f"{name}.log"
    process = processes.start(world.stack, [world.server, "--http", str(port), *options], log)
    processes.wait_until_up(process, f"http://{LOCAL}:{port}/mcp", log)
    return port


def certificates(folder):
    """A test CA and a certificate of it for this machine. Returns the CA's file; server.pem lies beside it."""
    def openssl(*args):
        subprocess.run(["openssl", *args], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    (folder / "names").write_text(f"subjectAltName=DNS:localhost,IP:{LOCAL}\n")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=bench CA")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.crt")
    (folder / "server.pem").write_text((folder / "server.crt").read_text() + (folder / "server.key").read_text())
    return folder / "ca.pem"


def tls_in_front(world, name, backend_port, authority):
    """Puts TLS in front of a server, with the certificate beside `authority`. Returns the port."""
    prefix, port = world.new_folder(name), processes.free_ports(1)[0]
    config = fill("haproxy-tls.cfg.in", prefix / "haproxy.cfg", PORT=port, BACKEND_PORT=backend_port, PREFIX=authority.parent)
    process = processes.start(world.stack, ["haproxy", "-db", "-q", "-f", config], prefix / "log")
    processes.wait_until_listening(process, port, prefix / "log")
    return port


def write_config(world, name, servers, more=None):
    path = world.folder / f"{name}.json"
    path.write_text(json.dumps({"mcpServers": servers, "mcptools": more or {}}))
    return path


def own_environment(home):
    """Variables with which a program reads and writes no files of the person who measures."""
    return {**os.environ, **dict.fromkeys(
        ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(home))}


def wait_until_connected(url, n_servers):
    address = url.replace("/mcp", "/readyz")
    while True:
        with urllib.request.urlopen(address, timeout=clients.LIMIT_S) as answer:
            states = [server["state"] for server in json.load(answer)["servers"]]
        if states.count("connected") == n_servers:
            return
        time.sleep(0.002)


def gateway(world, name, servers, more=None, environment=None):
    """`mcptools serve --http` in front of `servers`, ready. Returns its URL and pid."""
    port = processes.free_ports(1)[0]
    config = write_config(world, name, servers, more)
    home = world.new_folder(name)
    log = home / "log"
    own = {**own_environment(home), **(environment or {})}
    process = processes.start(world.stack, [world.mcptools, "serve", "--http", f"{LOCAL}:{port}", "--config", config], log, own)
    url = f"http://{LOCAL}:{port}/mcp"
    processes.wait_until_up(process, url, log)
    client = clients.Client(url, clients.STATELESS)
    client.result("tools/list")  # waits for the servers
    client.close()
    return url, process.pid
