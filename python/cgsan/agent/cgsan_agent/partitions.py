"""Compiled functions that Inductor splits into several graphs, and the operators around which it splits them."""

import contextlib
import functools
import re
import sys

from .own_frames import hidden

SCHEDULER = "torch._inductor.scheduler"
OUTPUT = "torch._inductor.output_code"
# Where Dynamo compiles a function, and the variable that has its code (2.8 to 2.15).
COMPILES = "torch/_dynamo/convert_frame.py", "_compile", "code"
# Functions that are told of, and operators of one.
FUNCTIONS = 256
OPERATORS = 16
# Characters kept of a reason.
REASON = 256
FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


def listen(recorder):
    """Listens to what Inductor splits from now on, once both of its modules are imported."""
    scheduler, output = (sys.modules.get(name) for name in (SCHEDULER, OUTPUT))
    split = getattr(getattr(scheduler, "Scheduler", None), "graph_partition", None)
    finish = getattr(output, "cudagraph_partition_post_compile", None)
    # Since 2.8 each part has a graph of its own.
    if split is not None and finish is not None:
        _listen(recorder, scheduler, output)


@functools.cache
def _listen(recorder, scheduler, output):
    partitions = Partitions(recorder)
    split = hidden(scheduler.Scheduler.graph_partition)
    finish = hidden(output.cudagraph_partition_post_compile)

    @functools.wraps(split)
    def graph_partition(self):
        parts, signatures = split(self)
        with contextlib.suppress(Exception):
            partitions.split(scheduler.V.graph.graph_id, self, parts, signatures)
        return parts, signatures

    @functools.wraps(finish)
    def cudagraph_partition_post_compile(inputs, compiled, cudagraphs, *others, **keywords):
        result = finish(inputs, compiled, cudagraphs, *others, **keywords)
        with contextlib.suppress(Exception):
            if cudagraphs and not compiled.fx_kwargs["is_backward"]:
                partitions.finished(compiled.fx_kwargs["graph_id"], len(compiled.partition_maps))
        return result

    scheduler.Scheduler.graph_partition = graph_partition
    output.cudagraph_partition_post_compile = cudagraph_partition_post_compile


class Partitions:
    """Tells of each compiled function with more than one graph."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._operators = {}
        self._told = 0

    def split(self, graph, scheduler, parts, signatures):
        """Keeps the operators of the parts that have no graph, for when it is known that the others have one."""
        operators = []
        for part, signature in zip(parts, signatures, strict=True):
            if signature.skip_cudagraph:
                operators += [it for node in part for it in _operators(scheduler, node)]
        self._operators[graph] = operators

    def finished(self, graph, graphs):
        """Tells of a function that has so many graphs. One that was found in Inductor's cache was not split here."""
        operators = self._operators.pop(graph, [])
        code = _compiled_code(sys._getframe())
        if graphs < 2 or code is None or self._told >= FUNCTIONS:
            return
        self._told += 1
        self._recorder.event(
            {
                "event": "partitioned",
                "function": getattr(code, "co_qualname", code.co_name),
                "file": code.co_filename,
                "line": code.co_firstlineno,
                "graphs": graphs,
                "operators": operators[:OPERATORS],
            }
        )


def _operators(scheduler, node):
    """The operators of a node that no graph may hold, each with the line of the program that called it."""
    for part in node.get_nodes():
        made_of = part.node
        reason = scheduler.should_partition(part) if made_of is not None else None
        if not reason:
            continue
        first = made_of.get_origin_node()
        for origin in [first] if first is not None else made_of.get_origins():
            frames = FRAME.findall(origin.meta.get("stack_trace") or "")
            if frames:
                file, line, function = frames[-1]
                yield {
                    "operator": str(origin.target),
                    # Before 2.11 it is not said why.
                    "reason": reason[:REASON] if isinstance(reason, str) else None,
                    "file": file,
                    "line": int(line),
                    "function": function,
                }


def _compiled_code(frame):
    """The code that Dynamo compiles; None where Inductor compiles for somebody else."""
    file, function, variable = COMPILES
    while frame is not None:
        code = frame.f_code
        if code.co_name == function and code.co_filename.endswith(file):
            return frame.f_locals.get(variable)
        frame = frame.f_back
    return None
