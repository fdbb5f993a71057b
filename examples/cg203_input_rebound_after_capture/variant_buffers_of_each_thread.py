"""Static inputs are kept for each thread; a worker fills its own, and the graph reads those of the thread that captured."""

import threading

import torch


class Buffers(threading.local):
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")


class Server:
    def __init__(self):
        self.buffers = Buffers()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.buffers.x * 2  # cgsan: CG203

    def __call__(self, value):
        self.buffers.x.fill_(value)
        self.graph.replay()
        return self.y[0].item()


def work():
    for value in (1.0, 2.0, 3.0):
        results.append(server(value))


results = []
server = Server()
worker = threading.Thread(target=work)
worker.start()
worker.join()
print("replay", results, "want", [2, 4, 6])
