"""A server has a graph for each batch size, in one pool; a large batch overwrites the answer to a small one."""

import torch


def model(x):
    return (x * 3 + 5) * 2  # cgsan: label


class Server:
    def __init__(self, sizes):
        self.pool = torch.cuda.graph_pool_handle()
        self.slots = {size: self.capture(size) for size in sorted(sizes, reverse=True)}

    def capture(self, size):
        static = torch.zeros(size, 4, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            output = model(static)
        return static, graph, output

    def __call__(self, batch):
        static, graph, output = self.slots[len(batch)]
        static.copy_(batch)
        graph.replay()  # cgsan: CG214
        return output


server = Server([2, 8])
small = torch.full((2, 4), 2.0, device="cuda")
large = torch.full((8, 4), 8.0, device="cuda")
first = server(small)
second = server(large)
replayed = [first[0, 0].item(), second[0, 0].item()]
print("replay", replayed, "eager", [model(small)[0, 0].item(), model(large)[0, 0].item()])
