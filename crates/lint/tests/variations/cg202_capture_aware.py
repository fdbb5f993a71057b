# --- a layer takes a shortcut while it is captured
import torch


class Norm(torch.nn.Module):
    def forward(self, x):
        if torch.cuda.is_current_stream_capturing():
            x = x / 8  # cgsan: CG202
        else:
            x = x / x.norm()
        return x


norm = Norm().cuda()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = norm(x)
# --- silent: only the report differs
import torch


def step(x):
    y = x * 2
    if not torch.cuda.is_current_stream_capturing():
        print("mean", y.mean().item())
    return y


x = torch.ones(8, device="cuda")
step(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
# --- silent: it refuses to be captured
import torch


def eager_only(x):
    if torch.cuda.is_current_stream_capturing():
        raise RuntimeError("run this eagerly")
    return x.item()


x = torch.ones((), device="cuda")
eager_only(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
