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
TEXT = "tanh"
# Keys of tensors that are not what lies in their storage.
ODD = (
    "Conjugate",
    "Negative",
    "ZeroTensor",
    "SparseCPU",
    "SparseCsrCPU",
    "QuantizedCPU",
    "NestedTensorCPU",
)


def observe_once_cuda_is_used(recorder):
    """Has the recorder observe operators from the moment that PyTorch sets up CUDA."""
    calls = getattr(sys.modules.get("torch.cuda"), "_queued_calls", None)
    if isinstance(calls, list):
        # PyTorch's own way to put something off until then; the second is where it was asked for.
        calls.append((lambda: observe(recorder), []))


def observe(recorder):
    """Has the recorder observe operators from now on, and kernels that are launched past them."""
    import torch

    from .kernels import launches

    launches.listen(recorder)
    with contextlib.suppress(Exception), torch.no_grad():
        tensor = torch.zeros(SIZES, device="cpu", dtype=torch.float32)
        other = torch.zeros(SIZES, device="cpu", dtype=torch.float32)
        view = tensor.narrow(0, 1, 2)
        if not recorder.probe_operators(_known(torch, tensor, other, view)):
            return
        try:
            torch.add(tensor, other, alpha=INTEGER)
            torch.add(tensor, other, alpha=FLOAT)
            torch.sum(tensor, (DIMENSION,), True)
            torch.nn.functional.gelu(tensor, approximate=TEXT)
            complex_one = tensor.new_zeros(1, dtype=torch.complex64)
            torch.add(complex_one, complex_one, alpha=FLOAT * 1j)
        finally:
            recorder.operators_ready()


def _known(torch, tensor, other, view):
    storage = tensor.untyped_storage()
    return {
        "tensor": tensor._cdata,
        "other": other._cdata,
        "view": view._cdata,
        "storage": storage._cdata,
        "data": storage.data_ptr(),
        "bytes": storage.nbytes(),
        "sizes": SIZES,
        "strides": tensor.stride(),
        "offset": view.storage_offset(),
        "integer": INTEGER,
        "float": FLOAT,
        "element": DIMENSION,
        "text": TEXT,
        "keys": torch._C._dispatch_keys(tensor).raw_repr(),
        "odd": _keys(torch),
    }


def _keys(torch):
    """The keys of tensors that are not what lies in their storage."""
    key = torch._C.DispatchKey
    odd = 0
    for name in ODD:
        odd |= torch._C.DispatchKeySet(getattr(key, name)).raw_repr()
    # A set has the bit of a device too, which other tensors have as well.
    dense, of_device = (torch._C.DispatchKeySet(it).raw_repr() for it in (key.Dense, key.CPU))
    return odd & ~(of_device & ~dense)
