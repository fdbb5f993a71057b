"""The first step of SGD is captured, which makes the momentum from the gradient; each replay makes it so again."""

import torch


def training():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2, bias=False, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).square().sum().backward()
        optimizer.step()  # cgsan: CG217

    return model, step


x = torch.full((8, 4), 0.25, device="cuda")
stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    torch.nn.Linear(4, 2, bias=False, device="cuda")(x).sum().backward()
torch.cuda.current_stream().wait_stream(stream)

model, step = training()
reference, eager_step = training()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()

for _ in range(4):
    graph.replay()
    eager_step()
print("replay", model.weight.sum().item(), "eager", reference.weight.sum().item())
