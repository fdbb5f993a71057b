# --- fails
import torch


def capture(step, x, pool):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = step(x)
    return graph, y


def double(x):
    hidden = x * 2
    return hidden + 1


pool = torch.cuda.graph_pool_handle()
left = torch.ones(4096, device="cuda")
right = torch.ones(4096, device="cuda")
one, doubled = capture(double, left, pool)
other, again = capture(double, right, pool)
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
with torch.cuda.stream(second):
    other.replay()  # cgsan: CG216
torch.cuda.synchronize()
print(doubled, again)
# --- fixed
import torch


def capture(step, x, pool):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = step(x)
    return graph, y


def double(x):
    hidden = x * 2
    return hidden + 1


pool = torch.cuda.graph_pool_handle()
left = torch.ones(4096, device="cuda")
right = torch.ones(4096, device="cuda")
one, doubled = capture(double, left, pool)
other, again = capture(double, right, pool)
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
second.wait_stream(first)
with torch.cuda.stream(second):
    other.replay()
torch.cuda.synchronize()
print(doubled, again)
# --- lookalike
import torch


def capture(step, x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = step(x)
    return graph, y


def double(x):
    hidden = x * 2
    return hidden + 1


left = torch.ones(4096, device="cuda")
right = torch.ones(4096, device="cuda")
one, doubled = capture(double, left)
other, again = capture(double, right)
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
with torch.cuda.stream(second):
    other.replay()
torch.cuda.synchronize()
print(doubled, again)
