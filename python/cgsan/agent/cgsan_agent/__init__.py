"""The agent of cgsan in a Python process.

It starts the virtual GPU before PyTorch loads, and tells what only Python knows. Nothing here may
raise into the program, print, import PyTorch, or keep an object of the program alive.
"""

import os
import sys

from . import ending, interpreter, parts, perf, torch_version, warp
from .status import Status, write_status

# What begins captures in ways of its own.
UNANNOUNCED = ("cupy", "cuda", "numba", "warp")

_started = None


def computes():
    """Whether the GPU of this process computes: a real one does, the virtual one if values were asked for."""
    return _started is None or not _started.is_virtual or _has_values()


def not_computed():
    """How often something was not computed so far that the GPU of this process should compute, and what that was."""
    if not _has_values():
        return 0, ""
    from .values import not_computed

    return not_computed.so_far(_started)


def compare(graph, alike):
    """What the region of a captured graph would do now, beside what the graph does, or as a text why that is not known."""
    from . import hooks

    return hooks.compare(graph, alike)


def recorder():
    """The recorder of this process; None if nothing is recorded."""
    return _started


def _has_values():
    """Whether this process is served by the virtual GPU, and values were asked for."""
    return _started is not None and _started.is_virtual and bool(os.environ.get("CGSAN_VALUES"))


def about_to_import(name, finder):
    """Called when the module `name` is being looked for, by `finder`."""
    if perf.is_wanted():
        _about_to_measure(name, finder)
    elif name == "torch.cuda.graphs":
        if _started is not None:
            from . import hooks

            hooks.listen_to_captures(sys.modules.get("torch._C"), _started)
    elif name == "torch.cuda.nvtx":
        if _started is not None:
            from . import operators

            operators.observe_once_cuda_is_used(_started)
            if _has_values():
                from . import values

                values.compute_once_cuda_is_used(_started)
            if os.environ.get("CGSAN_VERIFY"):
                from . import verification

                verification.verify_graphed_callables(_started)
    elif name == "torch._inductor.cudagraph_utils":
        if _started is not None:
            from . import compiled

            compiled.listen(name, _started)
    elif name == "torch._inductor.lowering":
        if _started is not None:
            from . import partitions

            partitions.listen(_started)
    elif name in ("triton.testing", "torch._inductor.graph"):
        if _started is not None:
            from . import partitions
            from .kernels import launches

            launches.listen(_started)
            partitions.listen(_started)
        if _has_values():
            from . import values

            values.compute_kernels(_started)
    elif name == "torch.distributed.distributed_c10d":
        if _started is not None:
            from . import groups

            groups.listen(_started)
    elif name == "cuda.bindings.cyruntime":
        if _started is not None and _started.is_virtual:
            from . import bindings

            bindings.stand_in(_started)
    elif name == "numba.cuda.descriptor":
        if _started is not None and _started.is_virtual:
            from . import numba_code

            numba_code.link_ptx()
    elif name == "warp":
        if _started is None and warp.is_installed():
            _start(name, finder)
    elif _started is None:
        _start(name, finder)
    if name in UNANNOUNCED and _started is not None:
        from . import hooks

        hooks.listen_to_exceptions(_started)
        _started.keep_watching()


def _about_to_measure(name, finder):
    """The same where the program is measured, and not watched."""
    if name == "torch":
        status = _status(name, finder)
        if status.state is None:
            from . import native

            recorder = native.Recorder()
            status.state, status.detail = recorder.start(status)
            if status.state == "started":
                perf.start(recorder)
        write_status(status)
    elif name == "torch.cuda.nvtx":
        perf.observe()
    elif name == "torch._inductor.cudagraph_utils":
        perf.listen_to_compiler(name)


def _start(name, finder):
    global _started
    status = _status(name, finder)
    if status.state is None:
        from . import native

        recorder = native.Recorder()
        status.state, status.detail = recorder.start(status)
        if status.state == "started":
            _started = recorder
            from . import hooks

            # Registered early, so called late: what other handlers do is still seen with its stacks.
            ending.at_end(recorder.python_ends)
            hooks.listen_to_threads(recorder)
            hooks.tell_rank(recorder)
    write_status(status)


def _status(name, finder):
    """What is known of this process so far: a state if something stands against watching it."""
    status = Status(trigger=name, test=parts.test_of_environment())
    found = torch_version.find(finder)
    if found is not None:
        status.torch, status.cuda = found.torch, found.cuda
    status.state, status.detail = _obstacle(name, found)
    return status


def _obstacle(name, found):
    """Why the virtual GPU cannot serve this process, or a pair of nothing."""
    if not interpreter.is_supported():
        return "unsupported_python", interpreter.name()
    if name == "warp" and warp.is_left_alone():
        return "not_served", warp.NAME
    if found is None:
        return ("torch_missing", None) if name == "torch" else (None, None)
    if found.hip:
        return "not_cuda", "ROCm " + found.hip
    if not found.cuda:
        return "not_cuda", "CPU"
    return None, None
