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
batches = [torch.full((size, 4), float(size), device="cuda") for size in (2, 8)]
answers = [server(batch) for batch in batches]
replayed = [answer[0, 0].item() for answer in answers]
print("replay", replayed, "eager", [model(batch)[0, 0].item() for batch in batches])
