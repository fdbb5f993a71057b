"""Results wait in a queue for a thread that writes them, and all of them are the last one by then."""

import queue
import threading

import torch

x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2

todo, written = queue.Queue(), []
all_there = threading.Event()


def write():
    all_there.wait()
    while (result := todo.get()) is not None:
        written.append(result[1][0].item())


writer = threading.Thread(target=write)
writer.start()
for number in range(6):
    x.fill_(number)
    graph.replay()  # cgsan: CG211
    todo.put((number, y))
todo.put(None)
all_there.set()
writer.join()
print("replay", written, "eager", [2.0 * number for number in range(6)])
