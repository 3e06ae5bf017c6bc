"""Who must get which answer: every request has a nonce, and one outcome.

`expect()` registers a request, `settle()` its outcome. An answer for a request that has one is doubled; an answer with
another's nonce, or for a request that this client never sent, is misdirected; a request without an outcome is lost.
"""

import collections
import itertools
import time

RESULT, ERROR, REFUSED, CUT = "result", "error", "refused", "cut"  # REFUSED: by HTTP; CUT: the client's connection ended


class Request:
    __slots__ = ("nonce", "kind", "server", "client", "begun", "outcome", "ms", "message", "slow")

    def __init__(self, nonce, kind, server, client):
        self.nonce, self.kind, self.server, self.client = nonce, kind, server, client
        self.begun, self.outcome, self.ms, self.message, self.slow = time.monotonic(), None, None, None, False


class Oracle:
    def __init__(self, seed=0):
        self.numbers, self.seed = itertools.count(1), seed
        self.open = {}
        self.counts = collections.Counter()  # (server, kind, outcome)
        self.doubled, self.misdirected, self.lost, self.errors = [], [], [], collections.Counter()
        self.latencies = collections.defaultdict(list)
        self.on_settled = None  # called with each request that has its outcome

    def expect(self, kind, server, client):
        request = Request(f"n{self.seed}x{next(self.numbers)}z", kind, server, client)
        self.open[request.nonce] = request
        return request

    def settle(self, request, outcome, message=None):
        if request.outcome:
            self.doubled.append((request.client, request.kind, request.nonce, str(message)[:300]))
            return
        request.outcome, request.ms, request.message = outcome, (time.monotonic() - request.begun) * 1000, message
        self.open.pop(request.nonce, None)
        self.counts[request.server, request.kind, outcome] += 1
        if outcome == RESULT and not request.slow:
            self.latencies[request.server].append(request.ms)
        else:
            self.errors[request.server, str(message)[:160]] += 1
        if self.on_settled:
            self.on_settled(request)

    def answered(self, request, message, owner=None):
        """Settles a request with its JSON-RPC answer. `owner` is the principal of the client."""
        if "error" in message:
            self.settle(request, ERROR, message["error"].get("message"))
            return
        result = message["result"]
        if result.get("isError"):
            self.settle(request, ERROR, result["content"][0].get("text"))
            return
        got = nonce_in(request.kind, result)
        if got is not None and got != request.nonce:
            self.misdirected.append((request.client, request.kind, request.nonce, got))
        told = result.get("structuredContent", {}).get("owner") if request.kind == "tools/call" else None
        if owner and told and told != owner:
            self.misdirected.append((request.client, f"of {owner}", request.nonce, f"of {told}"))
        self.settle(request, RESULT, result)

    def stranger(self, client, message):
        """An answer that no request of the client is open for."""
        self.misdirected.append((client, "no request", message.get("id"), str(message)[:300]))

    def give_up(self):
        """What has no outcome now has none."""
        for request in list(self.open.values()):
            self.lost.append((request.client, request.server, request.kind, request.nonce))
            self.open.pop(request.nonce)

    def total(self, *outcomes):
        return sum(n for (_, _, outcome), n in self.counts.items() if not outcomes or outcome in outcomes)


def nonce_in(kind, result):
    """The nonce that an answer tells, None where its kind tells none."""
    if result.get("resultType") == "input_required":
        return None
    if kind == "tools/call":
        told = result.get("structuredContent")
        return told.get("nonce", "") if told else result["content"][0]["text"].split(" ")[0]  # 2025-03-26 has only content
    if kind == "resources/read":
        return result["contents"][0]["text"].rsplit("/", 1)[-1]
    if kind == "prompts/get":
        return result["messages"][0]["content"]["text"]
    if kind == "completion/complete":
        return result["completion"]["values"][0]
    return None


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else 0.0
