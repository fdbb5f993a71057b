"""Launches of the kernels that `torch.compile` makes, told as those of Triton are: Inductor launches them past `JITFunction.run`
(torch/_inductor/runtime, PyTorch 2.6 to 2.15).
"""

import contextlib
import functools
import json
import os
import weakref

import torch
from torch._inductor.runtime import benchmarking, triton_heuristics

from ..own_frames import Hidden
from . import access, launches

# What the beginning of a parameter's name says of a kernel that Inductor wrote.
PARAMETERS = {"in_out_ptr": access.BOTH, "in_ptr": access.READS, "out_ptr": access.WRITES}
# What measures how fast something is.
MEASURES = ("benchmark_gpu", "benchmark_gpu_with_cuda_graph")

# The names of kernels in JSON, and what each does through its pointers. Attributes of theirs would get into caches.
_names = weakref.WeakKeyDictionary()
_found = weakref.WeakKeyDictionary()


@functools.cache
def listen(recorder):
    """Tells launches from now on, but for those that are only measured."""
    tuner = triton_heuristics.CachingAutotuner
    launch = tuner.run

    @functools.wraps(launch)
    def run(self, *arguments, **keywords):
        with Hidden():
            if (
                keywords.get("benchmark_run")
                or launches.are_measured()
                or not recorder.takes_kernels()
                # It is compiled or tuned first.
                or len(self.launchers) != 1
            ):
                return launch(self, *arguments, **keywords)
            number = 0
            with contextlib.suppress(Exception):
                number = recorder.kernel_begins(launches.told(_name(self), arguments, ()))
            try:
                return launch(self, *arguments, **keywords)
            finally:
                if number:
                    recorder.kernel_ends(number, _accesses(self, arguments))

    tuner.run = run
    for kind in vars(benchmarking).values():
        for name in MEASURES if isinstance(kind, type) else ():
            if name in vars(kind):
                setattr(kind, name, _measuring(vars(kind)[name]))


def _measuring(measure):
    @functools.wraps(measure)
    def measured(self, *arguments, **keywords):
        with Hidden(), launches.measuring():
            return measure(self, *arguments, **keywords)

    return measured


def _name(tuner):
    known = _names.get(tuner)
    if known is None:
        known = _names[tuner] = json.dumps(tuner.fn.__name__)
    return known


def _accesses(tuner, arguments):
    """What a kernel does through each of its pointers, a byte each, in their order; None where that is not known. It is found out
    once."""
    if tuner not in _found:
        _found[tuner] = None
        for find in (_by_its_text, _by_its_parameters):
            with contextlib.suppress(Exception):
                _found[tuner] = bytes(find(tuner, arguments))
                break
    return _found[tuner]


def _by_its_text(tuner, arguments):
    found = access.of_pointers(_text(tuner))
    if len(found) != sum(isinstance(it, torch.Tensor) for it in arguments):
        raise ValueError("a pointer is missing")
    return found


def _text(tuner):
    """A kernel's intermediate representation, which Triton keeps beside what it has compiled."""
    (launcher,) = tuner.launchers
    compiled = launcher.__globals__.get("bin")
    if compiled is not None:
        return compiled.asm["ttir"]
    folder = triton_heuristics.triton_cache_dir(tuner.triton_meta.get("device", 0))
    file = os.path.join(folder, launcher.cache_hash, f"{tuner.fn.__name__}.ttir")
    with open(file, encoding="utf-8") as text:
        return text.read()


def _by_its_parameters(tuner, arguments):
    found = []
    for name, value in zip(tuner.fn.arg_names, arguments, strict=False):
        if isinstance(value, torch.Tensor):
            found.append(next(it for start, it in PARAMETERS.items() if name.startswith(start)))
    return found
