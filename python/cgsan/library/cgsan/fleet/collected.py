"""What comes back from workers, written down: one file of summaries, and the tables."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .examine import Examined

SUMMARIES = "run.cgsan-summary"
TABLES = "tables"
LOST = "lost.txt"


class Collected:
    """What has come back so far. What an earlier run left is replaced when all of this one is there."""

    def __init__(self, output: str) -> None:
        self._output = output
        self.tables = os.path.join(output, f".{TABLES}.partial")
        self._partial = os.path.join(output, f".{SUMMARIES}.partial")
        self._header: str | None = None
        # Where the summary of each trace lies among what has come back.
        self._parts: list[tuple[str, int, int]] = []
        # The traces that could not be read, each with the reason.
        self.lost: list[tuple[str, str]] = []
        shutil.rmtree(self.tables, ignore_errors=True)
        os.makedirs(self.tables)
        with open(self._partial, "wb"):
            pass

    def add(self, examined: Examined) -> None:
        """Takes what came of a trace."""
        header, _, processes = examined.summary.partition("\n")
        reason = examined.lost
        if reason is None and self._header not in (None, header):
            reason = f"its worker has another version of cgsan: {header} and not {self._header}"
        if reason is not None:
            self.lost.append((examined.trace.place, reason))
            return
        self._header = header
        with open(self._partial, "ab") as file:
            start = file.tell()
            file.write(processes.encode())
            self._parts.append((examined.trace.place, start, file.tell() - start))
        for name, content in examined.tables.items():
            path = os.path.join(self.tables, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)

    def finish(self) -> tuple[str, str]:
        """Ends the file of summaries, and gives its path, and that of the list of what is lost.

        What came back in any order is written in the order of the traces, so that whoever worked, the files are the same.
        """
        summaries = os.path.join(self._output, SUMMARIES)
        with open(self._partial, "rb") as parts, open(summaries, "wb") as file:
            file.write((self._header or "").encode() + b"\n")
            for _, start, length in sorted(self._parts):
                parts.seek(start)
                file.write(parts.read(length))
        os.remove(self._partial)
        lost = os.path.join(self._output, LOST)
        self.lost.sort()
        with open(lost, "w", encoding="utf-8") as file:
            file.writelines(" ".join(reason.split()) + "\n" for _, reason in self.lost)
        return summaries, lost

    def put_tables_in_place(self) -> None:
        """Replaces the tables of an earlier run."""
        place = os.path.join(self._output, TABLES)
        shutil.rmtree(place, ignore_errors=True)
        os.replace(self.tables, place)
