"""Outputs of compiled functions that are captured: which call made each that the program has, and which call overwrote it.

A tree of graphs gives out the same memory in each step (torch/_inductor/cudagraph_trees.py, PyTorch 2.6 to 2.15). While it records,
PyTorch itself forbids to use what a later step has overwritten; once it replays, it does not, and even returns the same object.

An output is known by its storage, not by its tensor: `detach()`, views and gradients keep the one and not the other.
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
from . import frames
from .weak import Weak

# Outputs that are followed, and those told of, in one process.
FOLLOWED = 4_096
TOLD = 512
# On a real GPU, the share of a run's time that following may take, and seconds that it may take anyway; then it ends.
SHARE, ANYWAY = 0.01, 0.2
# Frames kept of a call, without those of PyTorch.
FRAMES = 8
# References to an output of which only its graph knows: the list of the graph, and the two of who counts.
BY_THE_GRAPH = 3


class Output:
    """The memory of a tensor that a run of a graph returned. It is referred to weakly."""

    def __init__(self, number, storage):
        self.number = number
        # As long as the weak reference lives, no other storage has this place.
        self._reference = sys.modules["torch.multiprocessing.reductions"].StorageWeakRef(storage)
        self.storage = storage._cdata
        self.address = storage.data_ptr()
        self.tensor = self.node = self.place = self.run = self.made = None
        self.is_overwritten = False

    def is_of(self, tensor, node, place, run, made):
        """Takes note of the run that returned it last, and as which of its outputs."""
        self.tensor, self.node = Weak(tensor), weakref.ref(node)
        self.place, self.run, self.made = place, run, made
        self.is_overwritten = False

    def is_gone(self):
        """Whether nobody has it any more. A tensor that PyTorch forbids to use has lost its storage."""
        return _users(self.storage) == 0 and self.tensor() is None

    def address_now(self):
        """Where it lies now; 0 where PyTorch forbids to use it."""
        if _users(self.storage) == 0:
            return 0
        storage = sys.modules["torch"].UntypedStorage._new_with_weak_ptr(self.storage)
        try:
            return storage.data_ptr()
        except RuntimeError:
            return 0


class CompiledOutputs:
    """Follows the outputs of all trees of this process."""

    def __init__(self, recorder):
        self._recorder = recorder
        # By the storage, as long as that lives.
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
                        # PyTorch refuses what it has released by then.
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
                if tensor is None or not (
                    sys.getrefcount(tensor) > BY_THE_GRAPH or _is_shared(tensor)
                ):
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
        self._drop_what_is_gone()
        for place, (tensor, weak) in enumerate(zip(outputs, node.outputs_weakrefs, strict=False)):
            if weak is not None and isinstance(tensor, tensor_class):
                output = self._output_of(tensor.untyped_storage())
                if output is not None:
                    if output.is_overwritten:
                        self._recorder.tell_reads(output.storage, 0)
                    output.is_of(tensor, node, place, run, made)
        self._look_for_overwritten(path, made)

    def _output_of(self, storage):
        """What is known of memory that a graph returns, perhaps not for the first time; None if there is too much."""
        output = self._outputs.get(storage._cdata)
        if output is None and len(self._outputs) < FOLLOWED:
            self._count += 1
            output = self._outputs[storage._cdata] = Output(self._count, storage)
        return output

    def _drop_what_is_gone(self):
        for output in list(self._outputs.values()):
            if output.is_gone():
                self._drop(output)

    def _drop(self, output):
        del self._outputs[output.storage]
        if output.is_overwritten:
            self._recorder.tell_reads(output.storage, 0)

    def _look_for_overwritten(self, path, stack):
        """Tells of the outputs whose runs are no longer the last of a node in the path."""
        known = {id(it) for it in path}
        for output in list(self._outputs.values()):
            own = output.node()
            is_valid = own is not None and id(own) in known and self._runs.get(own) == output.run
            if is_valid or output.is_overwritten or not _is_held(output, own):
                continue
            address = output.address_now()
            if address not in (0, output.address):
                self._drop(output)  # PyTorch has copied it for the program, as it can since 2.14.
                continue
            self._overwrites(output, stack, is_by_itself=bool(path) and own is path[-1])
            if address and output.is_overwritten:
                self._recorder.tell_reads(output.storage, output.number)

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

    def _caller(self):
        """The lines of the program that the call comes from."""
        found = self._lines(sys._getframe(1))
        if found:
            return found
        # A backward pass runs in a thread of autograd's: its lines are those of who waits for it.
        waiting = frames.waiting_for_autograd()
        return self._lines(waiting[0]) if len(waiting) == 1 else found

    def _lines(self, frame):
        """The lines that a thread is at, innermost first, without those of PyTorch and of the agent."""
        found = []
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


def _is_held(output, node):
    """Whether anybody has an output beside the graph that gives it out."""
    if output.is_gone():
        return False
    cached = getattr(node, "cached_tensor_outputs", ())
    tensor = cached[output.place] if output.place < len(cached) else None
    if tensor is None or tensor.untyped_storage()._cdata != output.storage:
        return True
    # Since PyTorch 2.10; C++ has it once for all of Python.
    in_c = getattr(tensor, "_use_count", None)
    return (
        sys.getrefcount(tensor) > BY_THE_GRAPH
        or (in_c is not None and in_c() > 1)
        or _is_shared(tensor)
    )


def _is_shared(tensor):
    """Whether another tensor lies in the same storage."""
    return _users(tensor.untyped_storage()._cdata) > _users_of_one_tensor()


@functools.cache
def _users_of_one_tensor():
    """Since PyTorch 2.10, the object that Python has for a storage counts too."""
    torch = sys.modules["torch"]
    with torch._C._DisableTorchDispatch():
        tensor = torch.empty(0, device="cpu")
    return _users(tensor.untyped_storage()._cdata)


def _users(storage):
    """How many refer to a storage, which lies at this place."""
    return sys.modules["torch"]._C._storage_Use_Count(storage)


def _path(manager):
    """The nodes that were run since the step began, first to last."""
    node = manager.current_node
    return node._path_from_root if node is not None else ()
