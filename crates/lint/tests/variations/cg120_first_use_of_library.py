# --- a convolution, after a product
import torch

x = torch.ones(2, 3, 8, 8, device="cuda")
w = torch.ones(8, 8, device="cuda")
w @ w
conv = torch.nn.Conv2d(3, 4, 3).cuda()
with torch.no_grad(), torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = conv(x)  # cgsan: CG120
# --- a transform, in a capture by hand
import torch

x = torch.ones(128, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    g.capture_begin()
    y = torch.fft.rfft(x)  # cgsan: CG120
    g.capture_end()
# --- a functional layer, in mode thread_local
import torch
import torch.nn.functional as F

x = torch.ones(4, 8, device="cuda")
w = torch.ones(8, 8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode="thread_local"):
    y = F.linear(x, w)  # cgsan: CG120
# --- silent: the mode allows it
import torch

x = torch.ones(8, 8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode="relaxed"):
    y = x @ x
# --- silent: it was warmed up by what graphs it
import torch

layer = torch.nn.Linear(8, 8).cuda()
layer = torch.cuda.make_graphed_callables(layer, (torch.ones(4, 8, device="cuda"),))
# --- silent: nobody calls it here
import torch


def capture(x):
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        return x.cuda() @ x.cuda()


# --- silent: it runs on the host
import torch

x = torch.ones(8, 8)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x @ x
# --- silent: turns before the capture use it
import torch

w = torch.ones(4, 4, device="cuda")
graph = torch.cuda.CUDAGraph()
for step in range(4):
    if step == 3:
        with torch.cuda.graph(graph):
            y = w @ w
    else:
        y = w @ w
# --- silent: turns before the capture may use it
import sys

import plugins
import torch

w = torch.ones(4, 4, device="cuda")
graph = torch.cuda.CUDAGraph()
for line in sys.stdin:
    if line.startswith("capture"):
        with torch.cuda.graph(graph):
            y = w @ w
    elif line.startswith("replay"):
        graph.replay()
    else:
        plugins.run(line, w)
# --- no turn but the one that captures uses it
import torch

w = torch.ones(4, 4, device="cuda")
graph = torch.cuda.CUDAGraph()
for step in range(4):
    if step == 0:
        with torch.cuda.graph(graph):
            y = w @ w  # cgsan: CG120
    else:
        graph.replay()
