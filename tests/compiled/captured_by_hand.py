"""Compiled functions that are captured by hand, with one graph for each choice of the host, and numbers that lie on the device."""

import torch

torch.manual_seed(0)
layers = [torch.nn.Linear(8, 8).cuda().requires_grad_(False) for _ in range(3)]


def forward(x, scale, skipped):
    for index, layer in enumerate(layers):
        if index not in skipped:
            x = torch.relu(layer(x)) + x
    return x * scale


fast = torch.compile(forward)
x, scale = torch.zeros(2, 8, device="cuda"), torch.ones((), device="cuda")
graphs = {}
for skipped in ((), (1,)):
    fast(x, scale, skipped), fast(x, scale, skipped)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = fast(x, scale, skipped)
    graphs[skipped] = graph, out

for step in range(4):
    for skipped, (graph, out) in graphs.items():
        x.copy_(torch.randn(2, 8, device="cuda"))
        scale.fill_(1 / (step + 1))
        graph.replay()
        torch.testing.assert_close(out, forward(x, scale, skipped))


def attend(q, mask):
    return torch.softmax(q @ q.transpose(-1, -2) + mask, -1) @ q


q, mask = torch.randn(2, 8, 16, device="cuda"), torch.zeros(8, 8, device="cuda")
compiled = torch.compile(attend)
compiled(q, mask)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = q * 0.5
    out = compiled(temporary, mask)
    del temporary  # It lies in the pool of the graph, which alone uses it.
for _ in range(3):
    q.normal_()
    mask.copy_(torch.triu(torch.full((8, 8), float("-inf"), device="cuda"), 1))
    graph.replay()
    torch.testing.assert_close(out, attend(q * 0.5, mask))
