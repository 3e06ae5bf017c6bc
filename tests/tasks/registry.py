"""The registry of tests/program, as tasks.py wants it."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "program"))

import registry_server  # pylint: disable=wrong-import-position


class Registry:
    def __init__(self):
        self.server = registry_server.Registry().add(registry_server.GITHUB).add(registry_server.FILES)
        self.server.__enter__()
        self.url = self.server.url

    def close(self):
        self.server.__exit__()
