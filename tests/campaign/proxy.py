"""A TCP proxy that breaks connections: which one, and how, is told by the nonce of a request on it.

Plans, each with the position k in bytes of the answer (of the request for those that say so):

    reset, close, stall, garbage    after k bytes of the answer; "stall" goes on as a half-open connection
    reset-request, stall-request    after k bytes of the request
    swallow                         nothing gets through
    split, slow                     all bytes arrive, one by one, or late
    half-close                      no further bytes from the client; the answer arrives
"""

import asyncio
import contextlib
import re
import socket
import struct

NONCE = re.compile(rb"n\d+x\d+z")
PLANS = ("reset", "close", "stall", "garbage", "reset-request", "stall-request", "swallow", "split", "slow", "half-close")

ANSWER_PLANS = ("reset", "close", "stall", "garbage", "split", "slow")


class Proxy:
    def __init__(self, port):
        self.to, self.port, self.server = port, None, None
        self.plans, self.seen, self.writers = {}, {}, set()

    async def open(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    def close(self):
        self.server.close()
        for writer in list(self.writers):
            writer.transport.abort()

    async def _serve(self, reader, writer):
        self.writers.add(writer)
        upstream = None
        try:
            there, upstream = await asyncio.open_connection("127.0.0.1", self.to)
            self.writers.add(upstream)
            link = Link(self, reader, writer, there, upstream)
            await asyncio.wait([asyncio.ensure_future(link.requests()), asyncio.ensure_future(link.answers())])
        except OSError:
            pass
        finally:
            for one in (writer, upstream):
                if one is not None:
                    self.writers.discard(one)
                    one.transport.abort()


class Link:
    """Both directions of one connection."""

    def __init__(self, proxy, reader, writer, there, upstream):
        self.proxy, self.reader, self.writer, self.there, self.upstream = proxy, reader, writer, there, upstream
        self.plan, self.k, self.sent, self.over = None, 0, 0, False

    def _arm(self, data):
        for nonce in NONCE.findall(data):
            nonce = nonce.decode()
            self.proxy.seen[nonce] = self.proxy.seen.get(nonce, 0) + 1
            if self.plan in ANSWER_PLANS:
                self.plan = None  # the answer that it was for was shorter
            if nonce in self.proxy.plans:
                (self.plan, self.k), self.sent = self.proxy.plans.pop(nonce), 0

    def _end(self, reset):
        self.over = True
        for writer in (self.writer, self.upstream):
            if reset:
                sock = writer.get_extra_info("socket")
                with contextlib.suppress(OSError, AttributeError):
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            else:
                writer.close()

    async def requests(self):
        with contextlib.suppress(OSError):
            while data := await self.reader.read(1 << 16):
                self._arm(data)
                if self.plan in ("reset-request", "stall-request"):
                    self.upstream.write(data[:self.k])
                    if self.plan == "reset-request":
                        self._end(True)
                        return
                    await self.reader.read()
                    break
                if self.plan == "swallow":
                    continue
                self.upstream.write(data)
                await self.upstream.drain()
                if self.plan == "half-close":
                    self.upstream.write_eof()
        self.over = True
        with contextlib.suppress(OSError, RuntimeError):
            self.upstream.close()

    async def answers(self):
        with contextlib.suppress(OSError):
            while data := await self.there.read(1 << 16):
                if self.plan is None or self.plan == "half-close":
                    self.writer.write(data)
                elif self.plan == "split":
                    await self._drip(data, 1, 0)
                elif self.plan == "slow":
                    await self._drip(data[:100], 5, 0.02)
                    self.writer.write(data[100:])
                elif self.sent + len(data) <= self.k:
                    self.writer.write(data)
                else:
                    await self._break(data)
                    return
                self.sent += len(data)
                await self.writer.drain()
        if not self.over:
            with contextlib.suppress(OSError, RuntimeError):
                self.writer.close()

    async def _drip(self, data, size, pause):
        for k in range(0, len(data), size):
            self.writer.write(data[k:k + size])
            await self.writer.drain()
            await asyncio.sleep(pause)

    async def _break(self, data):
        self.writer.write(data[:max(0, self.k - self.sent)])
        if self.plan == "garbage":
            self.writer.write(b"\0\xff{]\r\n\r\nHTTP/1.1 999\r\n" * 20)
        if self.plan == "stall":
            while not self.over:
                await asyncio.sleep(0.05)
        else:
            with contextlib.suppress(OSError):
                await self.writer.drain()
            self._end(self.plan == "reset")
