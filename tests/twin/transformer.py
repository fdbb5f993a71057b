"""What the twin costs: a training step of a transformer of 12 layers, captured, and 1,000 replays. For a real GPU; prints seconds."""

import time

import torch

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(
    1024, 16, 4096, dropout=0.0, batch_first=True, norm_first=True
)
model = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, capturable=True)
x = torch.randn(8, 256, 1024, device="cuda")
y = torch.randn(8, 256, 1024, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
        loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
optimizer.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
begin = time.perf_counter()
with torch.cuda.graph(graph):
    loss = step()
torch.cuda.synchronize()
captured = time.perf_counter()
for _ in range(1000):
    x.normal_()
    graph.replay()
torch.cuda.synchronize()
end = time.perf_counter()
print(f"capture {captured - begin:.3f} replays {end - captured:.3f} loss {loss.item():.4f}")
