"""A worker ends at the end of its queue; the main thread wants one answer more than there were questions."""

# says: every thread waits for a lock or a condition that only another one of them can release
# attach says: `graph` of module __main__
# attach says: CG405

import threading
from queue import SimpleQueue

import torch

x = torch.zeros(8, device="cuda")
x.sum()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.sum()
questions, answers = SimpleQueue(), SimpleQueue()


def serve():
    for question in iter(questions.get, None):
        x.fill_(question)
        graph.replay()
        answers.put(y.item())


threading.Thread(target=serve).start()
questions.put(1.0)
questions.put(None)
for _ in range(2):
    answers.get()  # cgsan: CG405
