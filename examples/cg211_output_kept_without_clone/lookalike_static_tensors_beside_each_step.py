"""Each step notes which static tensors it used, inputs and outputs, and reads its loss at once."""

import torch

static = {"x": torch.zeros(4, device="cuda")}


def losses():
    return {"loss": static["x"].sum()}


losses()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static["result"] = losses()

history = []
for number in range(6):
    static["x"].fill_(number)
    graph.replay()
    history.append({"step": number, "of": static, "loss": static["result"]["loss"].item()})
print("replay", [it["loss"] for it in history], "eager", [4.0 * number for number in range(6)])
