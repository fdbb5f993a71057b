"""Why an operator of the graph computes something else than that of the eager run, where the two records show it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ..tolerance import Number
from . import entry

# Operators whose numbers are sizes, offsets or lengths.
PLANNED = frozenset(
    f"aten.{name}"
    for name in (
        "arange",
        "as_strided",
        "chunk",
        "index_select",
        "narrow",
        "repeat",
        "repeat_interleave",
        "roll",
        "select",
        "slice",
        "split",
        "split_with_sizes",
        "tensor_split",
        "unfold",
    )
)


@dataclasses.dataclass
class Cause:
    """An id of the catalogue, and what the records show."""

    id: str
    text: str
    # The operator that is to blame, which may come before the first one with other values.
    operator: entry.Entry


class Records:
    """What was recorded of the eager call that differs, and of the capture."""

    def __init__(
        self,
        call: int,
        eager: list[entry.Entry],
        graph: list[entry.Entry],
        pairs: list[tuple[int, int]],
        names: Mapping[int, str],
        graph_names: Mapping[int, str],
    ) -> None:
        self.call = call
        self.eager = eager
        self.graph = graph
        self._of_eager = dict(pairs)
        self._of_graph = {it: at for at, it in pairs}
        # Paths of tensors by storage, before the eager call and before the capture.
        self._names = names
        self._graph_names = graph_names

    def of(self, at: int, it: int) -> Cause | None:
        """Why operator `at` of the eager call gave other values than `it` of the graph, or None."""
        eager, graph = self.eager[at], self.graph[it]
        return (
            self._left_out(graph) or self._number(eager, graph) or self._operand(at, eager, graph)
        )

    def of_pairs(self, pairs: list[tuple[int, int]]) -> Cause | None:
        """The first difference in what the same operators were given, whatever their values are."""
        for at, it in pairs:
            eager, graph = self.eager[at], self.graph[it]
            found = self._number(eager, graph) or self._operand(at, eager, graph)
            if found is not None:
                return found
        return None

    def unmatched(self) -> Cause | None:
        """The first operator that only one of the two has."""
        for at, one in enumerate(self.eager):
            if at not in self._of_eager:
                return self._only_eager(one)
        for it, one in enumerate(self.graph):
            if it not in self._of_graph:
                return self._only_graph(one)
        return None

    def left_out(self) -> Cause | None:
        """The first operator that computed on the device and is not in the graph."""
        found = (self._left_out(it) for it in self.graph if it.where == entry.ELSEWHERE)
        return next((it for it in found if it is not None), None)

    def _left_out(self, graph: entry.Entry) -> Cause | None:
        if graph.is_view:
            return None
        if graph.where == entry.ELSEWHERE:
            text = "it ran on a stream that is not captured: it is not in the graph, and no replay runs it"
            return Cause("CG206", text, graph)
        if graph.where == entry.HOST:
            text = "it runs on the host, once while the region is captured, and at no replay"
            return Cause("CG212", text, graph)
        return None

    def _number(self, eager: entry.Entry, graph: entry.Entry) -> Cause | None:
        if eager.numbers == graph.numbers or len(eager.numbers) != len(graph.numbers):
            return None
        at = next(it for it, one in enumerate(eager.numbers) if not _same(one, graph.numbers[it]))
        text = f"the graph holds {graph.numbers[at]}; eager run {self.call} gave it {eager.numbers[at]}"
        return Cause(self._id_of_number(eager.name, at), text, eager)

    def _id_of_number(self, name: str, at: int) -> str:
        if self.call == 1:
            return "CG202"
        packet = name.rpartition(".")[0]
        if packet == "aten.slice" and at == END:
            return "CG207"
        return "CG220" if packet in PLANNED else "CG205"

    def _operand(self, at: int, eager: entry.Entry, graph: entry.Entry) -> Cause | None:
        for one, other in zip(eager.operands, graph.operands, strict=False):
            found = self._producers(eager, one, other) or self._view(at, eager, one, other)
            if found is not None:
                return found
        return None

    def _producers(
        self, eager: entry.Entry, one: entry.Operand, other: entry.Operand
    ) -> Cause | None:
        if one.producer is None and other.producer is None:
            return self._rebound(eager, one, other)
        if one.producer is not None and one.producer not in self._of_eager:
            return self._only_eager(self.eager[one.producer])
        if other.producer is not None and other.producer not in self._of_graph:
            return self._only_graph(self.graph[other.producer])
        if other.producer is not None:
            return self._left_out(self.graph[other.producer])
        return None

    def _rebound(
        self, eager: entry.Entry, one: entry.Operand, other: entry.Operand
    ) -> Cause | None:
        if one.storage == other.storage or self.call == 1:
            return None
        name = self._names.get(one.storage)
        captured = self._graph_names.get(other.storage)
        # Inputs are copied to where the graph reads them.
        if name is None or captured is None or captured.startswith("inputs["):
            return None
        text = f"eager run {self.call} reads the tensor that `{name}` refers to by then; "
        text += f"the graph goes on reading the one that `{captured}` referred to at the capture"
        return Cause("CG203", text, eager)

    def _view(
        self, at: int, eager: entry.Entry, one: entry.Operand, other: entry.Operand
    ) -> Cause | None:
        """An operand of another size: by the numbers of the view that it went through."""
        if one.form == other.form:
            return None
        for before in range(at - 1, -1, -1):
            view = self.eager[before]
            partner = self._of_eager.get(before)
            if partner is not None and one.form in view.form:
                found = self._number(view, self.graph[partner])
                if found is not None:
                    return found
        text = f"the graph works on sizes {list(other.form[1])}; eager run {self.call} on {list(one.form[1])}"
        id = "CG202" if self.call == 1 else "CG207"
        return Cause(id, text, eager)

    def _only_eager(self, one: entry.Entry) -> Cause:
        if self.call == 1:
            text = "eager runs call it, and the same code does not call it while it is captured"
            return Cause("CG202", text, one)
        text = f"eager run {self.call} calls it; the graph holds the path of its capture, which does not"
        return Cause("CG201", text, one)

    def _only_graph(self, one: entry.Entry) -> Cause:
        if self.call == 1:
            text = "the code calls it while it is captured, and does not when it runs eagerly"
            return Cause("CG202", text, one)
        text = f"the graph holds the path of its capture, which calls it; eager run {self.call} does not"
        return Cause("CG201", text, one)


# Among the numbers of `aten.slice`: behind the dimension and the start.
END = 2


def _same(one: Number, other: Number) -> bool:
    return one == other or (one != one and other != other)
