"""Where a program keeps what a region reads: each kind of place knows its content, and how to put one back."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from types import CellType
from typing import Any, Generic, Protocol, TypeVar

Key = TypeVar("Key")


class Holder(Protocol[Key]):
    """A place that keeps values by their keys: names, positions, or those of a dictionary."""

    def content(self) -> dict[Key, Any]: ...

    def put_back(self, content: dict[Key, Any]) -> None: ...


class Items(Generic[Key]):
    """A dictionary: one of the program, or that of an object's attributes."""

    def __init__(self, owner: dict[Key, Any]) -> None:
        self._owner = owner

    def content(self) -> dict[Key, Any]:
        return dict(dict.items(self._owner))

    def put_back(self, content: dict[Key, Any]) -> None:
        # Past what a class of the program does when it is written to.
        ordered = isinstance(self._owner, collections.OrderedDict)
        kind = collections.OrderedDict if ordered else dict
        kind.clear(self._owner)
        kind.update(self._owner, content)


class Names:
    """Some names of a module, those that functions ask for."""

    def __init__(self, owner: dict[str, Any], names: Sequence[str]) -> None:
        self._owner = owner
        self._names = names

    def content(self) -> dict[str, Any]:
        return {name: self._owner[name] for name in self._names if name in self._owner}

    def put_back(self, content: dict[str, Any]) -> None:
        for name in self._names:
            if name in content:
                self._owner[name] = content[name]
            else:
                self._owner.pop(name, None)


class Elements:
    """A list, a deque, a set, or a tuple, which keeps its elements."""

    def __init__(
        self, owner: list[Any] | collections.deque[Any] | set[Any] | tuple[Any, ...]
    ) -> None:
        self._owner = owner

    def content(self) -> dict[int, Any]:
        return dict(enumerate(self._owner))

    def put_back(self, content: dict[int, Any]) -> None:
        if isinstance(self._owner, tuple):
            return
        self._owner.clear()
        add = self._owner.update if isinstance(self._owner, set) else self._owner.extend
        add(content.values())


class Cell:
    """A variable that a function has from the one around it."""

    def __init__(self, cell: CellType, name: str) -> None:
        self._cell = cell
        self._name = name

    def content(self) -> dict[str, Any]:
        try:
            return {self._name: self._cell.cell_contents}
        except ValueError:  # Not assigned yet.
            return {}

    def put_back(self, content: dict[str, Any]) -> None:
        if self._name in content:
            self._cell.cell_contents = content[self._name]
        else:
            del self._cell.cell_contents


class Attributes:
    """Attributes that are not kept in a dictionary: slots, a class's own, a tensor's gradient."""

    def __init__(self, owner: object, names: Sequence[str]) -> None:
        self._owner = owner
        self._names = names

    def content(self) -> dict[str, Any]:
        found = {name: getattr(self._owner, name, None) for name in self._names}
        return {name: value for name, value in found.items() if value is not None}

    def put_back(self, content: dict[str, Any]) -> None:
        for name in self._names:
            value = content.get(name)
            if getattr(self._owner, name, None) is not value:
                setattr(self._owner, name, value)


def of_container(value: object) -> Holder[Any] | None:
    """The holder of a container's elements, or None for what is none."""
    if isinstance(value, dict):
        return Items(value)
    if isinstance(value, (list, collections.deque, set, tuple)):
        return Elements(value)
    return None
