"""The files of the repository, for the checkers: without what is installed or made."""

import os
import pathlib

SKIPPED = {"node_modules", "__pycache__"}


def files_below(folder):
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - SKIPPED)
        yield from (pathlib.Path(parent, name) for name in sorted(names))
