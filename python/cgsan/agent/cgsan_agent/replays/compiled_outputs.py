"""Outputs of compiled functions that are captured: which call made each tensor that the program has, and which call overwrote it.

A tree of graphs gives out the same memory in each step (torch/_inductor/cudagraph_trees.py, PyTorch 2.6 to 2.15). While it records,
PyTorch itself forbids to use what a later step has overwritten; once it replays, it does not, and even returns the same object.
"""

import contextlib
import functools
import os
import sys
import threading
import time
import weakref

from .. import budget, compiled
from ..exceptions import AGENT, location
from ..own_frames import Hidden

# Outputs that are followed, and those told of, in one process.
FOLLOWED = 4_096
TOLD = 64
# On a real GPU, the share of a run's time that following may take, and seconds that it may take anyway; then it ends.
SHARE, ANYWAY = 0.01, 0.2
# Frames kept of a call, without those of PyTorch.
FRAMES = 8
# References to an output of which only its graph knows: the list of the graph, and the two of who counts.
BY_THE_GRAPH = 3


class Output:
    """A tensor that a run of a graph returned. It is referred to weakly."""

    def __init__(self, number, tensor, gone):
        self.number = number
        self.storage = tensor.untyped_storage()._cdata
        self.address = tensor.untyped_storage().data_ptr()
        self.tensor = weakref.ref(tensor, gone)
        self.node = self.run = self.made = None
        self.is_overwritten = False

    def is_of(self, node, run, made):
        """Takes note of the run that returned it last."""
        self.node, self.run, self.made = weakref.ref(node), run, made
        self.is_overwritten = False


class CompiledOutputs:
    """Follows the outputs of all trees of this process."""

    def __init__(self, recorder):
        self._recorder = recorder
        # By the identity of the tensor, as long as that lives.
        self._outputs = {}
        self._runs = weakref.WeakKeyDictionary()
        self._count = 0
        self._told = 0
        self._budget = budget.Budget(SHARE, ANYWAY)
        self._thread = threading.local()
        self._torch = os.path.join(os.path.dirname(sys.modules["torch"].__file__), "")

    def listen(self):
        """Follows them from now on, if PyTorch's trees are as expected."""
        manager = getattr(sys.modules.get(compiled.TREES), "CUDAGraphTreeManager", None)
        run = getattr(manager, "run", None)
        if run is None or hasattr(run, "__wrapped__") or self._is_too_dear():
            return

        @functools.wraps(run)
        def followed(this, *arguments, **keywords):
            with Hidden():
                if getattr(self._thread, "runs", False):
                    return run(this, *arguments, **keywords)
                self._thread.runs = True
                try:
                    with self._at_own_cost():
                        self._leave_to_the_program(this)
                    try:
                        outputs = run(this, *arguments, **keywords)
                    except BaseException:
                        # PyTorch refuses what it has let go of by then.
                        with self._at_own_cost():
                            self._look_for_overwritten(list(_path(this)), self._caller())
                        raise
                    with self._at_own_cost():
                        self._follow(this, outputs)
                    if self._is_too_dear():
                        self._stop()
                        manager.run = run
                    return outputs
                finally:
                    self._thread.runs = False

        manager.run = followed

    @contextlib.contextmanager
    def _at_own_cost(self):
        """What goes wrong in it goes no further, and how long it takes is counted."""
        began = time.monotonic()
        with contextlib.suppress(Exception):
            yield
        self._budget.spend(began)

    def _is_too_dear(self):
        return not self._recorder.is_virtual and self._budget.is_spent()

    def _stop(self):
        """Follows nothing any more."""
        for output in self._outputs.values():
            if output.is_overwritten:
                self._recorder.tell_reads(output.storage, 0)
        self._outputs.clear()

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
        tensor_class = sys.modules["torch"].Tensor
        for tensor, storage in zip(outputs, node.outputs_weakrefs, strict=False):
            if storage is not None and isinstance(tensor, tensor_class):
                output = self._output_of(tensor)
                if output is not None:
                    if output.is_overwritten:
                        self._recorder.tell_reads(output.storage, 0)
                    output.is_of(node, run, made)
        self._look_for_overwritten(path, made)

    def _output_of(self, tensor):
        """What is known of a tensor that a graph returns, perhaps not for the first time; None if there are too many."""
        output = self._outputs.get(id(tensor))
        if output is not None and output.tensor() is tensor:
            return output
        if len(self._outputs) >= FOLLOWED:
            return None
        self._count += 1
        gone = functools.partial(self._is_gone, id(tensor))
        output = self._outputs[id(tensor)] = Output(self._count, tensor, gone)
        return output

    def _look_for_overwritten(self, path, stack):
        """Tells of the outputs whose runs are no longer the last of a node in the path."""
        known = {id(it) for it in path}
        for output in list(self._outputs.values()):
            own = output.node()
            is_valid = own is not None and id(own) in known and self._runs.get(own) == output.run
            if not is_valid and not output.is_overwritten and _is_held(output.tensor(), own):
                self._overwrites(output, stack, is_by_itself=bool(path) and own is path[-1])

    def _overwrites(self, output, stack, is_by_itself):
        if self._told >= TOLD:
            return
        output.is_overwritten = True
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

    def _is_gone(self, identity, _reference):
        # Also while Python ends, when the names of this module may lead nowhere.
        output = self._outputs.pop(identity, None)
        if output is not None and output.is_overwritten:
            self._recorder.tell_reads(output.storage, 0)

    def _caller(self):
        """The lines that the calling thread is at, innermost first, without those of PyTorch and of the agent."""
        found = []
        frame = sys._getframe(1)
        while frame is not None and len(found) < FRAMES:
            code, module = frame.f_code, frame.f_globals.get("__name__")
            # What Inductor generates lies elsewhere, and is in a module of PyTorch's.
            is_of_torch = type(module) is str and module.startswith("torch.")
            # What Dynamo has compiled has no lines but its first: the call is in its caller.
            is_compiled = frame.f_lineno == code.co_firstlineno
            if (
                not is_of_torch
                and not is_compiled
                and not code.co_filename.startswith((AGENT, self._torch))
            ):
                found.append(location(frame, frame.f_lineno or 0))
            frame = frame.f_back
        return found


def _is_held(tensor, node):
    """Whether anybody has a tensor beside the graph that gives it out."""
    if tensor is None:
        return False
    if not any(it is tensor for it in getattr(node, "cached_tensor_outputs", ())):
        return True
    # The list, this function and the one that counts, and its caller; C++ has it once for all of these.
    in_python = sys.getrefcount(tensor) > BY_THE_GRAPH + 1
    in_c = getattr(tensor, "_use_count", None)
    return in_python or (in_c is not None and in_c() > 1)


def _path(manager):
    """The nodes that were run since the step began, first to last."""
    node = manager.current_node
    return node._path_from_root if node is not None else ()
