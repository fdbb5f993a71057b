"""The first operator whose replay gives other values than its eager call, found by recording both once more."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ..place import Place
from ..state.reach import reach
from ..state.values import names_by_storage
from ..tolerance import Gap, OtherForm, Tolerance, largest_difference
from .alignment import align
from .cause import Cause, Records
from .entry import Entry
from .recorder import Recorder

if TYPE_CHECKING:
    from ..region import Region


@dataclasses.dataclass
class First:
    """The first operator that differs: which it is, by how much, and why, as far as that is known."""

    operator: str
    place: Place | None
    gap: Gap | OtherForm | None
    cause: Cause | None
    is_random: bool = False


def first_difference(region: Region, call: int) -> First | None:
    """What differs first at `call`, counted from 1, or None if no operator does while they are recorded."""
    eager, names = _record_eagerly(region, call)
    again, _ = _record_eagerly(region, call)
    region.base.restore()
    graph_names = _names(region)
    graph = Recorder(keeps=True)
    captured = region.capture(graph)
    region.base.restore_values()
    with region.on_stream():
        for number in range(call):
            region.inputs.write(number)
            captured.graph.replay()
    pairs = align(eager, graph.entries)
    records = Records(call, eager, graph.entries, pairs, names, graph_names)
    for at, it in pairs:
        gap = _gap(region.tolerance, eager[at], again[at : at + 1], graph.entries[it])
        if gap is not None:
            cause = records.of(at, it)
            blamed = cause.operator if cause is not None else eager[at]
            return First(blamed.name, blamed.place, gap, cause, eager[at].is_random)
    cause = records.unmatched() or records.left_out()
    return First(cause.operator.name, cause.operator.place, None, cause) if cause else None


def _record_eagerly(region: Region, call: int) -> tuple[list[Entry], dict[int, str]]:
    """The operators of an eager call, and the paths of tensors before it."""
    region.base.restore()
    with region.on_stream():
        for number in range(call - 1):
            region.call_alone(number)
        names = _names(region)
        recorder = Recorder(keeps=True)
        region.call_alone(call - 1, recorder)
    return recorder.entries, names


def _names(region: Region) -> dict[int, str]:
    return names_by_storage(reach(region.function, region.arguments).tensors)


def _gap(
    tolerance: Tolerance, eager: Entry, again: list[Entry], graph: Entry
) -> Gap | OtherForm | None:
    for number, (expected, got) in enumerate(zip(eager.values, graph.values, strict=False)):
        noise = 0.0
        if again and again[0].key == eager.key and len(again[0].values) > number:
            noise = largest_difference(expected, again[0].values[number])
        gap = tolerance.gap(expected, got, noise)
        if gap is not None:
            return gap
    return None
