"""What is made of all summaries: by the command, as it would make it of the traces."""

from __future__ import annotations

import os
from collections.abc import Iterable

from .. import command
from .collected import TABLES


def report(summaries: str, lost: str, output: str, options: Iterable[str]) -> tuple[int, str]:
    """Writes the report as text, JSON and a page into the folder `output`. Gives the command's status, and the text."""
    text, json, html = (
        os.path.join(output, f"report.{ending}") for ending in ("txt", "json", "html")
    )

    def write(*files: str) -> int:
        words = ["report", *files, "--lost", lost, *options, "--", summaries]
        return command.status(words, statuses=(0, 1))

    status = write("--output", text, "--also-json", json)
    # By itself, since it asks for what summaries do not have, and says so.
    write("--output", os.devnull, "--html", html)
    with open(text, encoding="utf-8") as file:
        return status, file.read()


def findings(summaries: str, tables: str) -> None:
    """Adds the table of findings: those of the report, which no worker knows by itself."""
    command.run(["export", "--partitioned", "--output", tables, "--", summaries])


def page(output: str) -> None:
    """Writes the page of ranks and steps, from the tables."""
    written = ["--output", os.path.join(output, "fleet.html")]
    command.run(["export", "--format", "page", *written, "--", os.path.join(output, TABLES)])
