"""A router keeps the load of its experts where the capture put it; the loop clears it in place, and the replays write it."""

import torch


class Router(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.load = None

    def forward(self, tokens):
        shares = tokens.relu() / 4
        self.load = shares.sum(0)
        return shares.amax(1)


def measure(router, run):
    loads = []
    for value in (1.0, 2.0, 3.0):
        tokens.fill_(value)
        router.load.zero_()
        run()
        loads.append(router.load.sum().item())
    return loads


tokens = torch.ones(8, 4, device="cuda")
router, reference = Router(), Router()
with torch.no_grad():
    router(tokens)
    reference(tokens)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        best = router(tokens)
    replayed = measure(router, graph.replay)
    eager = measure(reference, lambda: reference(tokens))
print("replay", replayed, "eager", eager)
