"""Reads a whole list again and again, as fast as a client can take it."""

import socket
import time
import urllib.parse

import clients
import processes
import rounds

BUFFER = 1 << 20
AT_LEAST_S = 0.2


def read_answer(connection, buffer):
    """Reads one answer with a Content-Length. Returns the length of its body."""
    got, head = connection.recv_into(buffer), b""
    head = bytes(buffer[:got])
    while b"\r\n\r\n" not in head:
        head += connection.recv(BUFFER)
    end = head.index(b"\r\n\r\n") + 4
    length = int(next(line.split(b":")[1] for line in head[:end].split(b"\r\n") if line.lower().startswith(b"content-length")))
    left = length - (len(head) - end)
    while left > 0:
        n = connection.recv_into(buffer)
        if not n:
            raise RuntimeError("the list was cut off")
        left -= n
    return length


def request_of(url):
    parts = urllib.parse.urlsplit(url)
    body = clients.message(clients.STATELESS, "tools/list", {}, 1)
    lines = [f"{name}: {value}" for name, value in clients.headers(clients.STATELESS, "tools/list").items()]
    text = "\r\n".join([f"POST {parts.path} HTTP/1.1", f"Host: {parts.netloc}", *lines, f"Content-Length: {len(body)}", "", body])
    return (parts.hostname, parts.port), text.encode()


def one_round(connection, request, buffer, pid):
    """{"per_s": bytes per second, "per_cpu_s": bytes per CPU second of the gateway, "length": bytes of the list}"""
    used, begin, total = processes.cpu_ns(pid), time.perf_counter(), 0
    while time.perf_counter() - begin < AT_LEAST_S:
        connection.sendall(request)
        length = read_answer(connection, buffer)
        total += length
    seconds = time.perf_counter() - begin
    return {"per_s": total / seconds, "per_cpu_s": total * 1e9 / (processes.cpu_ns(pid) - used), "length": length}


def measure(url, pid, n_rounds):
    """Medians of what one_round() returns."""
    address, request = request_of(url)
    buffer = memoryview(bytearray(BUFFER))
    with socket.create_connection(address) as connection:
        one_round(connection, request, buffer, pid)  # fills the cache
        return rounds.medians([one_round(connection, request, buffer, pid) for _ in range(n_rounds)])
