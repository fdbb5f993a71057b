"""`cgsan.explain(exception)`: which failure modes an exception shows, as the command says of its traceback."""

from __future__ import annotations

import json
import traceback
from types import SimpleNamespace
from typing import TYPE_CHECKING

from . import command

if TYPE_CHECKING:
    from . import fields


class Explanation(SimpleNamespace):
    """What an exception may be about: `candidates`, best first, and what else `cgsan explain --json` says (docs/json.md).

    As a string, it is what `cgsan explain` prints. It is false if nothing in the catalogue matches.
    """

    candidates: list[fields.Candidate]
    about_graphs: bool
    decided: bool
    no_failure_of_a_graph: int | None
    elsewhere: str | None
    command: str
    text: str

    def __bool__(self) -> bool:
        return bool(self.candidates)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        ids = [candidate.id for candidate in self.candidates]
        return f"<cgsan explanation: {', '.join(ids) or 'nothing matches'}>"


def explain(exception: BaseException | str) -> Explanation:
    """Explains an exception, with those that it came from, or the text of a traceback or a log.

    Raises `cgsan.CommandMissing` if there is no command, and `cgsan.CommandFailed` if it fails.
    """
    text = exception if isinstance(exception, str) else traceback_of(exception)
    # 1 says that nothing matches.
    found = command.run(["explain", "--json", "-"], text=text, statuses=(0, 1))
    said = json.loads(found, object_hook=lambda fields: SimpleNamespace(**fields))
    readable = "nothing in cgsan's catalogue matches this exception"
    if said.candidates:
        readable = command.run(["explain", "-"], text=text).rstrip()
    return Explanation(**vars(said), text=readable)


def traceback_of(exception: BaseException) -> str:
    """The text that Python prints of an exception."""
    return "".join(traceback.format_exception(exception))
