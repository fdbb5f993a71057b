"""Hooks of a module and of its optimizer count how often they ran. Nothing else reads these numbers."""

import torch


class Loader:
    n = 0

    def batch(self):
        self.n += 1
        return torch.full((4,), float(self.n))


def main():
    torch.manual_seed(0)
    loader = Loader()
    model = torch.nn.Linear(4, 2).cuda()
    rate = torch.tensor(1e-2, device="cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, capturable=True)
    n = [0]
    calls = {"forward": 0}
    model.register_forward_hook(lambda *_: calls.__setitem__("forward", calls["forward"] + 1))
    optimizer.register_step_post_hook(lambda *_: n.__setitem__(0, n[0] + 1))

    x = torch.zeros(4, device="cuda")

    def step():
        optimizer.zero_grad()
        loss = model(x).square().sum()
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    for _ in range(6):
        x.copy_(loader.batch())
        graph.replay()
        print("batch", loader.n, "loss", loss.item())


main()
