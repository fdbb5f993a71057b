"""What a copy of a large process costs: memory of so many GiB is written first (30 unless an argument says otherwise), then a graph is
replayed 64 times. Prints how long the replays took in which a copy may be made, and the others, in milliseconds."""

import sys
import time

import torch

gib = int(sys.argv[1]) if len(sys.argv) > 1 else 30
held = [torch.ones(1 << 28) for _ in range(gib)]
x = torch.ones(1 << 20, device="cuda")
(x * 2.0).sum()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
begin = time.perf_counter()
with torch.cuda.graph(graph):
    y = (x * 2.0).sum()
capture = time.perf_counter() - begin
looks, others = [], []
for number in range(1, 65):
    begin = time.perf_counter()
    graph.replay()
    torch.cuda.synchronize()
    took = 1000 * (time.perf_counter() - begin)
    (looks if number & (number - 1) == 0 or number == 3 else others).append(took)
print(f"capture {1000 * capture:.1f} ms", "looks", [round(it, 1) for it in looks])
print("others at most", round(max(others), 2), "of", len(held), "GiB")
