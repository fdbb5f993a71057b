"""As many nodes as before, in one line instead of two branches."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


def capture(work):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        work()
    return graph


def update(executable, graph):
    info = (ctypes.c_void_p * 3)()
    handles = executable.raw_cuda_graph_exec(), graph.raw_cuda_graph()
    return cudart.cudaGraphExecUpdate(*map(ctypes.c_void_p, handles), info)  # cgsan: CG601


side = torch.cuda.Stream()
a, b, c = (torch.ones(8, device="cuda") for _ in range(3))


def branches():
    a.add_(1)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        b.add_(1)
    c.add_(1)
    torch.cuda.current_stream().wait_stream(side)
    a.add_(1)


def line():
    for tensor in (a, b, c, a):
        tensor.add_(1)


step, straight = capture(branches), capture(line)
step.instantiate()
code = update(step, straight)
assert code == 0, code
