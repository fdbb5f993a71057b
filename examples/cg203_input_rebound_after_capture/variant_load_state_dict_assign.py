"""A checkpoint is assigned to the module, not copied into the weights that the graph reads."""

import torch

model = torch.nn.LayerNorm(4, device="cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.arange(4.0, device="cuda")
with torch.no_grad():
    model(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)  # cgsan: label

checkpoint = {name: value + 4 for name, value in model.state_dict().items()}
model.load_state_dict(checkpoint, assign=True)  # cgsan: CG203
graph.replay()
replayed = y.tolist()
print("replay", replayed, "eager", model(x).tolist())
