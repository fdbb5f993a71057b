"""How the recorder learns to read what PyTorch's operators are given.

The operators called here are on the CPU, their results are dropped, and no random number is drawn.
"""

import contextlib
import sys

# Numbers that are not where they are by chance.
SIZES = (3, 5, 7)
INTEGER = 1_000_003
FLOAT = 2.7182818
DIMENSION = 1


def observe_once_cuda_is_used(recorder):
    """Has the recorder observe operators from the moment that PyTorch sets up CUDA."""
    calls = getattr(sys.modules.get("torch.cuda"), "_queued_calls", None)
    if isinstance(calls, list):
        # PyTorch's own way to put something off until then; the second is where it was asked for.
        calls.append((lambda: observe(recorder), []))


def observe(recorder):
    """Has the recorder observe operators from now on."""
    import torch

    with contextlib.suppress(Exception), torch.no_grad():
        tensor = torch.zeros(SIZES, device="cpu", dtype=torch.float32)
        other = torch.zeros(SIZES, device="cpu", dtype=torch.float32)
        view = tensor.narrow(0, 1, 2)
        if not recorder.probe_operators(_known(tensor, other, view)):
            return
        try:
            torch.add(tensor, other, alpha=INTEGER)
            torch.add(tensor, other, alpha=FLOAT)
            torch.sum(tensor, (DIMENSION,), True)
        finally:
            recorder.operators_ready()


def _known(tensor, other, view):
    storage = tensor.untyped_storage()
    return {
        "tensor": tensor._cdata,
        "other": other._cdata,
        "view": view._cdata,
        "storage": storage._cdata,
        "data": storage.data_ptr(),
        "bytes": storage.nbytes(),
        "sizes": SIZES,
        "offset": view.storage_offset(),
        "integer": INTEGER,
        "float": FLOAT,
        "element": DIMENSION,
    }
