"""A router keeps its logits for a loss beside the graphs; there is one graph for each size of a batch."""

import torch

torch.manual_seed(0)


class Router(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = torch.nn.Linear(4, 3)
        self.logits = None

    def forward(self, tokens):
        self.logits = self.gate(tokens)  # cgsan: CG212
        return self.logits.softmax(-1)


class Runner:
    def __init__(self, router, sizes):
        self.router = router
        self.slots = {}
        for size in sizes:
            tokens = torch.zeros(size, 4, device="cuda")
            router(tokens)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                weights = router(tokens)
            self.slots[size] = graph, tokens, weights

    def step(self, batch):
        graph, tokens, weights = self.slots[len(batch)]
        tokens.copy_(batch)
        graph.replay()
        return weights, self.router.logits.square().mean()


router = Router().cuda().requires_grad_(False)
runner = Runner(router, (4, 2))
for size in (2, 4, 2, 4):
    batch = torch.randn(size, 4, device="cuda")
    _, loss = runner.step(batch)
    print("replay", loss.item(), "eager", router.gate(batch).square().mean().item())
