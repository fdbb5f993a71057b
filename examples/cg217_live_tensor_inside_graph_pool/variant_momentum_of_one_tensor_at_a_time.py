"""SGD goes from one parameter to the next, and its first step is captured: the momentum begins anew at each replay."""

import torch


def training():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2, bias=False, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=False)

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
