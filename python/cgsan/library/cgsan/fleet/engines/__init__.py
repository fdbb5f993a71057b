"""Have workers do the same with many things. Each engine is a function `results(work, items, workers, address)`.

It gives what `work(item)` gives, for each item, in any order, as it comes. An item whose worker was killed is given to another
one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol, TypeAlias, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Name: TypeAlias = Literal["local", "ray", "spark"]

NAMES: dict[Name, str] = {"local": "local", "ray": "ray_tasks", "spark": "spark_job"}


class Engine(Protocol):
    """Such a function."""

    def __call__(
        self,
        work: Callable[[Item], Result],
        items: Iterable[Item],
        workers: int | None = None,
        address: str | None = None,
    ) -> Iterator[Result]: ...


def named(name: Name) -> Engine:
    """The engine of a name."""
    engine: Engine = importlib.import_module(f".{NAMES[name]}", __name__).results
    return engine
