"""The static input of a training step was made in inference mode, and autograd cannot save it."""

import torch

model = torch.nn.Linear(8, 8, device="cuda")


@torch.inference_mode()
def make_static_input():
    return torch.zeros(4, 8, device="cuda")


static = make_static_input()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    batch = torch.ones(4, 8, device="cuda")
    for _ in range(3):
        model(batch).square().mean().backward()
torch.cuda.current_stream().wait_stream(side)

model.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = model(static).square().mean()  # cgsan: CG132
    loss.backward()
graph.replay()
torch.cuda.synchronize()
