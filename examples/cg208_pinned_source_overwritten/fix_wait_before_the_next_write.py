"""The host waits for the replay that reads the buffer before it writes the buffer again."""

import torch

buffer = torch.zeros(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(50_000_000)
    y = buffer.to("cuda", non_blocking=True) * 2

done = torch.cuda.Event()
results = []
for value in range(4):
    done.synchronize()
    buffer.fill_(value)
    graph.replay()
    done.record()
    results.append(y.clone())
assert [result[0].item() for result in results] == [0, 2, 4, 6]
