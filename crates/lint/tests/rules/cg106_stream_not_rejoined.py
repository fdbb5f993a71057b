# --- fails
import torch


def exchange(x, side):
    """Starts on a stream of its own what the next layer needs."""
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        return x.transpose(0, 1).contiguous() * 2


side = torch.cuda.Stream()
x = torch.ones(64, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: CG106
    exchanged = exchange(x, side)
    y = x + 1
# --- fixed
import torch


def exchange(x, side):
    """Starts on a stream of its own what the next layer needs."""
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        return x.transpose(0, 1).contiguous() * 2


side = torch.cuda.Stream()
x = torch.ones(64, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    exchanged = exchange(x, side)
    y = x + 1
    torch.cuda.current_stream().wait_stream(side)
# --- lookalike
import torch


def exchange(x, side):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        return x.transpose(0, 1).contiguous() * 2


side = torch.cuda.Stream()
x = torch.ones(64, 64, device="cuda")
exchanged = exchange(x, side)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
