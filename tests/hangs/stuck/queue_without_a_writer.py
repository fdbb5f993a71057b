"""The thread that fills a queue has ended after three batches; the reader wants a fourth."""

# says: every thread waits for a lock or a condition that only another one of them can release
# attach says: waits for an item of a queue
# attach says: `graph` of module __main__
# attach says: CG405

import queue
import threading

import torch

x = torch.zeros(64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.sum()
batches = queue.Queue()


def load():
    for i in range(3):
        batches.put(torch.full((64,), float(i)))


threading.Thread(target=load, daemon=True).start()
while True:
    x.copy_(batches.get())  # cgsan: CG405
    graph.replay()
