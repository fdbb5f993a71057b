"""Outputs of compiled functions that are captured: which call made each tensor that the program has, and which call overwrote it.

A tree of graphs gives out the same memory in each step (torch/_inductor/cudagraph_trees.py, PyTorch 2.6 to 2.15). While it records,
PyTorch itself forbids to use what a later step has overwritten; once it replays, it does not, and even returns the same object.
"""

import contextlib
import functools
import os
import sys
import threading
import weakref

from .. import compiled
from ..exceptions import AGENT
from ..own_frames import Hidden

# Outputs that are followed, and those told of, in one process.
FOLLOWED = 4_096
TOLD = 64
# Frames kept of a call, without those of PyTorch.
FRAMES = 8
# References to an output of which only its graph knows: the list of the graph, and the two of who counts.
BY_THE_GRAPH = 3


class Output:
    """A tensor that a run of a graph returned. It is referred to weakly."""

    def __init__(self, number, tensor, node, run, made, gone):
        self.number = number
        self.storage = tensor.untyped_storage()._cdata
        self.address = tensor.untyped_storage().data_ptr()
        self.node = node
        self.run = run
        self.made = made
        self.is_overwritten = False
        self.tensor = weakref.ref(tensor, gone)


class CompiledOutputs:
    """Follows the outputs of all trees of this process."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._outputs = {}
        self._runs = weakref.WeakKeyDictionary()
        self._count = 0
        self._told = 0
        self._thread = threading.local()
        self._torch = os.path.join(os.path.dirname(sys.modules["torch"].__file__), "")

    def listen(self):
        """Follows them from now on, if PyTorch's trees are as expected."""
        manager = getattr(sys.modules.get(compiled.TREES), "CUDAGraphTreeManager", None)
        run = getattr(manager, "run", None)
        if run is None or hasattr(run, "__wrapped__"):
            return

        @functools.wraps(run)
        def followed(this, *arguments, **keywords):
            with Hidden():
                if getattr(self._thread, "runs", False):
                    return run(this, *arguments, **keywords)
                self._thread.runs = True
                try:
                    with contextlib.suppress(Exception):
                        self._leave_to_the_program(this)
                    outputs = run(this, *arguments, **keywords)
                    with contextlib.suppress(Exception):
                        self._follow(this, outputs)
                    return outputs
                finally:
                    self._thread.runs = False

        manager.run = followed

    def _leave_to_the_program(self, manager):
        """Has graphs make new tensors for outputs that the program still has: those are then of their run alone."""
        core = sys.modules["torch"]._C
        for node in _path(manager):
            cached = getattr(node, "cached_tensor_outputs", ())
            for place in range(len(cached)):
                tensor = cached[place]
                if tensor is None or sys.getrefcount(tensor) <= BY_THE_GRAPH:
                    continue
                # As PyTorch does for outputs that others share.
                node.unaliased_in_all_paths[place] = False
                node.outputs_weakrefs[place].remove_extra_reference()
                cached[place] = None
                core._remove_cached_tensor(tensor)

    def _follow(self, manager, outputs):
        path = list(_path(manager))
        if not path or not isinstance(outputs, (list, tuple)):
            return
        node = path[-1]
        run = self._runs[node] = self._runs.get(node, 0) + 1
        made = self._caller()
        known = {id(it) for it in path}
        for output in list(self._outputs.values()):
            own = output.node()
            is_valid = own is not None and id(own) in known and self._runs.get(own) == output.run
            if not is_valid and not output.is_overwritten:
                self._overwrites(output, made, is_by_itself=own is node)
        tensor_class = sys.modules["torch"].Tensor
        for tensor, storage in zip(outputs, node.outputs_weakrefs, strict=False):
            if storage is None or not isinstance(tensor, tensor_class):
                continue
            if len(self._outputs) < FOLLOWED:
                self._count += 1
                gone = functools.partial(self._is_gone, self._count)
                node_of = weakref.ref(node)
                self._outputs[self._count] = Output(self._count, tensor, node_of, run, made, gone)

    def _overwrites(self, output, stack, is_by_itself):
        output.is_overwritten = True
        if output.tensor() is None or self._told >= TOLD:
            return
        self._told += 1
        self._recorder.event(
            {
                "event": "output_overwritten",
                "output": output.number,
                "address": output.address,
                "made": output.made,
                "stack": stack,
                "again": is_by_itself,
            }
        )
        self._recorder.tell_reads(output.storage, output.number)

    def _is_gone(self, number, _reference):
        # Also while Python ends, when the names of this module may lead nowhere.
        output = self._outputs.pop(number, None)
        if output is not None and output.is_overwritten:
            self._recorder.tell_reads(output.storage, 0)

    def _caller(self):
        """The lines that the calling thread is at, innermost first, without those of PyTorch and of the agent."""
        found = []
        frame = sys._getframe(2)
        while frame is not None and len(found) < FRAMES:
            code = frame.f_code
            if not code.co_filename.startswith((AGENT, self._torch)):
                name = getattr(code, "co_qualname", code.co_name)
                found.append({"file": code.co_filename, "function": name, "line": frame.f_lineno or 0})
            frame = frame.f_back
        return found


def _path(manager):
    """The nodes that were run since the step began, first to last."""
    node = manager.current_node
    return node._path_from_root if node is not None else ()
