import torch

model = torch.nn.Linear(32, 32).cuda().eval()
batch = torch.zeros(8, 32, device="cuda")
with torch.no_grad():
    model(batch)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scores = model(batch)
for checkpoint in ("a.pt", "b.pt"):
    weights = torch.load(checkpoint, map_location="cuda")
    model.weight = torch.nn.Parameter(weights["weight"])  # cgsan: CG203
    model.bias = torch.nn.Parameter(weights["bias"])
    graph.replay()
    print(checkpoint, scores.argmax(1).tolist())
