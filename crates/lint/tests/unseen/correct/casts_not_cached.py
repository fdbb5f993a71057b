import torch

layer = torch.nn.Linear(128, 128).cuda()
tokens = torch.rand(16, 128, device="cuda")
side = torch.cuda.Stream()
with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        layer(tokens)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        answer = layer(tokens)
for step in range(3):
    with torch.no_grad():
        layer.weight.mul_(0.5)
    graph.replay()
    print(answer.float().norm().item())
