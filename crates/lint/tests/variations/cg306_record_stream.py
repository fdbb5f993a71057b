# --- a branch marks its input, and lets it go
import torch

side = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    for _ in range(4):
        temporary = x * 2
        side.wait_stream(main)
        with torch.cuda.stream(side):
            y = temporary + 1
        temporary.record_stream(side)  # cgsan: CG306
        del temporary
        z = x * 3
    main.wait_stream(side)
# --- in a module's forward
import torch


class Overlap(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()

    def forward(self, x):
        hidden = x.relu()
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            extra = hidden * 2
        hidden.record_stream(self.side)  # cgsan: CG306
        del hidden
        main = x + 1
        torch.cuda.current_stream().wait_stream(self.side)
        return main + extra


module = Overlap()
x = torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = module(x)
# --- a helper marks it, by hand and by position
import torch


def use_on(tensor, stream):
    tensor.record_stream(stream)  # cgsan: CG306


origin, side = torch.cuda.Stream(), torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(origin):
    graph.capture_begin()
    temporary = x * 2
    side.wait_stream(origin)
    with torch.cuda.stream(side):
        y = temporary + 1
    use_on(temporary, side)
    del temporary
    z = x + 2
    origin.wait_stream(side)
    graph.capture_end()
# --- silent: joined before it is let go, without `record_stream`
import torch

side = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    temporary = x * 2
    side.wait_stream(main)
    with torch.cuda.stream(side):
        y = temporary + 1
    main.wait_stream(side)
    del temporary
    z = x * 3
# --- silent: outside captures it is the right thing
import torch

side = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
temporary = x * 2
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = temporary + 1
temporary.record_stream(side)
del temporary
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = x * 3
# --- silent: the allocator is told to use such memory again
import os

import torch

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "graph_capture_record_stream_reuse:True"
side = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x * 2
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = temporary + 1
    temporary.record_stream(side)
    del temporary
    torch.cuda.current_stream().wait_stream(side)
    z = x * 3
# --- a helper hands pieces of a loop on, each in the place of the one before
import torch


def hand_over(tensor, stream):
    tensor.record_stream(stream)  # cgsan: CG306
    return tensor


side = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
sink = torch.zeros(1 << 18, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    for piece in x.chunk(8):
        doubled = piece * 2
        side.wait_stream(main)
        with torch.cuda.stream(side):
            sink.add_(hand_over(doubled, side))
    main.wait_stream(side)
# --- silent: each piece is kept
import torch


def hand_over(tensor, stream):
    tensor.record_stream(stream)
    return tensor


side = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
sink = torch.zeros(1 << 18, device="cuda")
kept = []
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    for piece in x.chunk(8):
        doubled = piece * 2
        kept.append(doubled)
        side.wait_stream(main)
        with torch.cuda.stream(side):
            sink.add_(hand_over(doubled, side))
    main.wait_stream(side)
