"""Each thread has static inputs and a graph of its own."""

import threading

import torch


class Server(threading.local):
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, capture_error_mode="thread_local"):
            self.y = self.x * 2

    def __call__(self, value):
        self.x.fill_(value)
        self.graph.replay()
        return self.y[0].item()


def work(values):
    for value in values:
        results.append(server(value))


results = []
server = Server()
for values in ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)):
    worker = threading.Thread(target=work, args=(values,))
    worker.start()
    worker.join()
work((7.0, 8.0))
assert results == [2, 4, 6, 8, 10, 12, 14, 16]
