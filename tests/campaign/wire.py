"""A small HTTP/1.1 client for asyncio: keep-alive, chunks, event streams read as they come, and connections that are cut."""

import asyncio
import socket
import struct

PATIENCE_S = 120


class Cut(Exception):
    """The connection ended before its answer."""


class Connection:
    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None
        self.left, self.chunked, self.status, self.headers = 0, False, 0, {}

    async def _open(self):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 26)
            self.writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self, reset=False):
        if self.writer is None:
            return
        if reset:
            sock = self.writer.get_extra_info("socket")
            if sock is not None:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.writer.transport.abort()
        else:
            self.writer.close()
        self.writer = None

    async def send(self, method, path, headers, body=b""):
        """Sends a request on a new connection or one that is still open. A kept connection may have been closed."""
        fresh = self.writer is None
        try:
            await self._open()
            lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *(f"{k}: {v}" for k, v in headers.items())]
            if body or method == "POST":
                lines.append(f"Content-Length: {len(body)}")
            self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            await self.writer.drain()
            await self._read_head()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, IndexError, Cut) as error:
            nothing = isinstance(error, asyncio.IncompleteReadError) and not error.partial
            self.close()
            if fresh or not nothing:
                raise Cut(f"{method} {path}: {error!r}") from None
            await self.send(method, path, headers, body)

    async def _read_head(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        self.status = int(first.split(" ")[1])
        self.headers = {k.lower(): v.strip() for k, v in (line.split(":", 1) for line in lines if line)}
        self.chunked = "chunked" in self.headers.get("transfer-encoding", "")
        self.left = int(self.headers.get("content-length", 0))

    async def chunk(self):
        """The next bytes of the body; b"" at its end."""
        try:
            if self.chunked:
                size = int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16)
                data = (await self.reader.readexactly(size + 2))[:-2]
            else:
                data = await self.reader.readexactly(self.left)
                self.left = 0
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            self.close()
            raise Cut(f"in a body: {error!r}") from None
        if not data and self.headers.get("connection", "") == "close":
            self.close()
        return data

    async def body(self):
        out = b""
        while data := await self.chunk():
            out += data
            if not self.chunked:
                break
        return out

    async def events(self):
        """The data of each event of a stream, as it comes."""
        rest = b""
        while data := await self.chunk():
            rest += data
            *blocks, rest = rest.split(b"\n\n")
            for block in blocks:
                text = b"\n".join(line[5:].lstrip() for line in block.split(b"\n") if line.startswith(b"data:"))
                if text:
                    yield text

    @property
    def is_stream(self):
        return self.headers.get("content-type", "").startswith("text/event-stream")
