# --- fails
import torch


class Dropout(torch.nn.Module):
    def forward(self, x):
        if not torch.cuda.is_current_stream_capturing():
            x = torch.nn.functional.dropout(x, 0.1)  # cgsan: CG202
        return x


model = torch.nn.Sequential(torch.nn.LayerNorm(8), Dropout()).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
# --- fixed
import torch


class Dropout(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.dropout(x, 0.1)


model = torch.nn.Sequential(torch.nn.LayerNorm(8), Dropout()).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
# --- lookalike
import torch


class Monitor(torch.nn.Module):
    def forward(self, x):
        if not torch.cuda.is_current_stream_capturing():
            print("norm", x.norm().item())
        return x


model = torch.nn.Sequential(torch.nn.LayerNorm(8), Monitor()).cuda()
x = torch.ones(4, 8, device="cuda")
model(x)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
