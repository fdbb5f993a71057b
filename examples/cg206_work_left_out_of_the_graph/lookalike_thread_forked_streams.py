"""Each head runs in a thread and on a stream of its own, forked from the capture and joined to it by events."""

from concurrent.futures import ThreadPoolExecutor

import torch


class Heads:
    def __init__(self, scales):
        self.x = torch.zeros(4, device="cuda")
        self.scales = scales
        self.streams = [torch.cuda.Stream() for _ in scales]
        self.results = [torch.zeros(4, device="cuda") for _ in scales]
        self.pool = ThreadPoolExecutor(len(scales))

    def head(self, index, ready):
        done = torch.cuda.Event()
        with torch.cuda.stream(self.streams[index]):
            ready.wait()
            torch.mul(self.x, self.scales[index], out=self.results[index])
            done.record()
        return done

    def forward(self):
        ready = torch.cuda.Event()
        ready.record()
        heads = [self.pool.submit(self.head, index, ready) for index in range(len(self.scales))]
        for head in heads:
            head.result().wait()
        return torch.stack(self.results).sum(0)


model = Heads([2.0, 3.0])
model.forward()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = model.forward()

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    model.x.fill_(value)
    graph.replay()
    replayed.append(y[0].item())
    eager.append(model.forward()[0].item())
model.pool.shutdown()
print("replay", replayed, "eager", eager)
