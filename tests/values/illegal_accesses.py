"""Kernels of Triton that access memory which is not there, or is. Each case runs in a process of its own, since the device is lost
afterwards."""

import torch
import triton
import triton.language as tl
from lost_devices import all_as_on_a_gpu, raised

ILLEGAL = "AcceleratorError: CUDA error: an illegal memory access was encountered"
FAR = 1 << 40


@triton.jit
def copy(out, given, step, SIZE: tl.constexpr):
    places = (tl.program_id(0) * SIZE + tl.arange(0, SIZE)).to(tl.int64) * step
    tl.store(out + places, tl.load(given + places))


@triton.jit
def count(out, step):
    tl.atomic_add(out + tl.program_id(0).to(tl.int64) * step, 1)


@triton.jit
def masked(out, given, end, step, SIZE: tl.constexpr):
    places = tl.arange(0, SIZE).to(tl.int64) * step
    here = tl.arange(0, SIZE) < end
    tl.store(out + places, tl.load(given + places, mask=here, other=0.0), mask=here)


def tensors(kind=torch.float32):
    return torch.zeros(256, device="cuda", dtype=kind), torch.ones(256, device="cuda", dtype=kind)


CASES = {
    "read": lambda: copy[(1,)](*tensors(), FAR, SIZE=16),
    "read of bfloat16": lambda: copy[(1,)](*tensors(torch.bfloat16), FAR, SIZE=16),
    "written": lambda: count[(2,)](torch.zeros(8, device="cuda", dtype=torch.int32), FAR),
    "before the beginning": lambda: copy[(2,)](*tensors(), -FAR, SIZE=16),
}


def right_masked():
    out, given = tensors()
    masked[(1,)](out, given, 1, FAR, SIZE=16)
    assert out.sum().item() == 1, out


def right_in_pinned_memory():
    out, given = tensors()
    given = given.cpu().pin_memory()
    copy[(16,)](out, given, 1, SIZE=16)
    assert out.sum().item() == 256, out


def right_in_a_view():
    whole = torch.arange(4096.0, device="cuda")
    out = torch.empty(256, device="cuda")
    copy[(16,)](out, whole[1024:], 1, SIZE=16)
    assert out[0].item() == 1024 and out[-1].item() == 1279, out


RIGHT = {it.__name__: it for it in (right_masked, right_in_pinned_memory, right_in_a_view)}


def illegal(case):
    early = raised(CASES[case])
    assert early == "nothing" or early.startswith(ILLEGAL), (case, early)
    late = raised(torch.cuda.synchronize)
    assert late.startswith(ILLEGAL), (case, late)


def captured(case):
    """The graph is right until the number in its buffer is not."""
    out, given = tensors()
    graph = torch.cuda.CUDAGraph()
    copy[(1,)](out, given, 1, SIZE=16)
    with torch.cuda.graph(graph):
        copy[(1,)](out, given, FAR, SIZE=16)
    torch.cuda.synchronize()
    graph.replay()
    late = raised(torch.cuda.synchronize)
    assert late.startswith(ILLEGAL), (case, late)


def right(case):
    error = raised(RIGHT[case])
    assert error == "nothing", (case, error)
    torch.cuda.synchronize()


def main():
    checks = [(illegal, case) for case in CASES]
    checks += [(captured, "read")]
    checks += [(right, case) for case in RIGHT]
    all_as_on_a_gpu(checks)


if __name__ == "__main__":
    main()
