"""Two graphs of one module run one behind the other; what the module keeps is read behind the one that was captured last."""

import torch

torch.manual_seed(0)


class Refiner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.change = None

    def forward(self, state):
        self.change = self.layer(state).tanh()
        return state + self.change


refiner = Refiner().cuda().requires_grad_(False)
state = torch.zeros(2, 4, device="cuda")
refiner(state)
torch.cuda.synchronize()
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    coarse = refiner(state)
with torch.cuda.graph(second):
    fine = refiner(coarse)
for _ in range(5):
    batch = torch.randn(2, 4, device="cuda")
    state.copy_(batch)
    first.replay()
    second.replay()
    change = refiner.change.clone()
    refined = batch + refiner.layer(batch).tanh()
    assert torch.allclose(change, refiner.layer(refined).tanh(), atol=1e-6)
