"""Where traces lie: files and folders of this machine or a shared disk, and whatever `fsspec` reads."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from .missing import package

# The names that `cgsan run --save` gives, as `cgsan report` knows them in folders.
_NAMED_AS_TRACE = re.compile(r"\.cgsan(\.[0-9]+)?$")
# A path that is not a plain one: what is before `://` says how to read it.
_URL = re.compile(r"[a-z][a-z0-9+.-]*(::|://)", re.IGNORECASE)


@dataclass(frozen=True)
class Trace:
    """A trace that is to be analysed."""

    # Its path or address.
    place: str
    # The folder that was named and has it: then it may be of a process that did not use CUDA. `None` if it was named itself.
    within: str | None = None


def find(paths: Iterable[str]) -> list[Trace]:
    """The traces at these paths, and in folders below them, each once, in the order of their names."""
    found: dict[str, Trace] = {}
    for path in paths:
        for trace in _in_storage(path) if is_url(path) else _on_disk(path):
            found.setdefault(trace.place, trace)
    return [found[place] for place in sorted(found)]


def is_url(path: str) -> bool:
    """Whether `fsspec` is needed to read it."""
    return _URL.match(path) is not None


@contextmanager
def at_hand(trace: Trace) -> Iterator[tuple[str | None, str]]:
    """The folder to run the command in, and the file's name there. What is not on a disk is fetched first, and removed again."""
    if not is_url(trace.place):
        yield None, trace.place
        return
    storage, path = _storage(trace.place)
    with tempfile.TemporaryDirectory(prefix="cgsan-fleet-") as folder:
        # The command names files as they are given to it: by the path that the trace has where it lies.
        name = path.lstrip("/")
        copy = os.path.join(folder, name)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        storage.get_file(path, copy)
        yield folder, name


def _on_disk(path: str) -> list[Trace]:
    # Workers may have another working directory.
    path = os.path.abspath(path)
    if not os.path.isdir(path):
        return [Trace(path)]
    found: list[str] = []
    for folder, _, names in os.walk(path):
        found += [os.path.join(folder, name) for name in names if _NAMED_AS_TRACE.search(name)]
    return [Trace(place, within=path) for place in found]


def _in_storage(url: str) -> list[Trace]:
    storage, path = _storage(url)
    if not storage.isdir(path):
        return [Trace(url)]
    found = [name for name in storage.find(path) if _NAMED_AS_TRACE.search(name)]
    return [Trace(storage.unstrip_protocol(name), within=url) for name in found]


class _Storage(Protocol):
    """The part of a file system of `fsspec` that is used here."""

    def isdir(self, path: str) -> bool: ...

    def find(self, path: str) -> list[str]: ...

    def unstrip_protocol(self, name: str) -> str: ...

    def get_file(self, path: str, copy: str) -> None: ...


def _storage(url: str) -> tuple[_Storage, str]:
    found: tuple[_Storage, str] = package("fsspec", ".core").url_to_fs(url)
    return found
