# --- fails
import torch

observation = torch.zeros(16, 8, device="cuda")
policy = torch.nn.LayerNorm(8).cuda()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    actions = policy(observation).argmax(-1)


def environment(actions):
    return torch.randn(16, 8, device="cuda") + actions.unsqueeze(-1)


for _ in range(4):
    graph.replay()
    observation = environment(actions)  # cgsan: CG203
# --- fixed
import torch

observation = torch.zeros(16, 8, device="cuda")
policy = torch.nn.LayerNorm(8).cuda()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    actions = policy(observation).argmax(-1)


def environment(actions):
    return torch.randn(16, 8, device="cuda") + actions.unsqueeze(-1)


for _ in range(4):
    graph.replay()
    observation.copy_(environment(actions))
# --- lookalike
import torch

static = torch.zeros(16, 8, device="cuda")
policy = torch.nn.LayerNorm(8).cuda()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    actions = policy(static).argmax(-1)
observation = torch.randn(16, 8, device="cuda")
for _ in range(4):
    static.copy_(observation)
    graph.replay()
    observation = torch.randn(16, 8, device="cuda") + actions.unsqueeze(-1)
