"""The rows of the attack suite. A row is an attacker, what it does, and the outcome that is demanded; either a function here
does it to the real program (`attack`), or tests of other suites do (`held`)."""

import dataclasses
import pathlib
import typing

OWASP = {  # the OWASP MCP Top 10 (2025, beta); LLM10 is "Unbounded Consumption" of the Top 10 for LLM applications
    "MCP01": "Token mismanagement and secret exposure",
    "MCP02": "Privilege escalation via scope creep",
    "MCP03": "Tool poisoning",
    "MCP04": "Supply chain attacks and tampering with dependencies",
    "MCP05": "Command injection and execution",
    "MCP06": "Intent flow subversion",
    "MCP07": "Insufficient authentication and authorization",
    "MCP08": "Lack of audit and telemetry",
    "MCP09": "Shadow MCP servers",
    "MCP10": "Context injection and over-sharing",
    "LLM10": "Unbounded consumption",
}
ACTORS = ("stdio server", "HTTP server", "HTTP client", "stdio client", "web page", "authorization server", "local process",
          "configuration", "package")
TESTS = pathlib.Path(__file__).resolve().parent.parent
ROWS = {}


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    owasp: str
    actor: str
    attack: str    # what it does: the subject is the actor
    outcome: str
    group: str     # the module, without the end of its name
    run: typing.Callable = None  # of a Scene
    script: str = ""             # below tests/, of a row that tests of other suites hold
    tests: tuple = ()
    beside: bool = False         # a well-behaved client is measured meanwhile


def _add(row):
    assert row.name not in ROWS, f"two rows are called {row.name}"
    assert row.owasp in OWASP and row.actor in ACTORS, row
    ROWS[row.name] = row


def attack(name, owasp, actor, what, outcome, beside=False):
    """A decorator: the function gets a Scene, does it, and asserts the outcome."""
    def add(function):
        group = function.__module__.removesuffix("_rows")
        _add(Row(name, owasp, actor, what, outcome, group, run=function, beside=beside))
        return function
    return add


def held(name, owasp, actor, what, outcome, script, *tests):
    """What these tests of that script do and demand."""
    _add(Row(name, owasp, actor, what, outcome, "held", script=script, tests=tests))
