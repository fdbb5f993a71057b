"""Mode `thread_local` frees other threads from the rules, not the one that captures."""

import torch

graph = torch.cuda.CUDAGraph()
with (
    torch.cuda.graph(graph, capture_error_mode="thread_local"),
    torch.cuda.stream(torch.cuda.default_stream()),
):
    scratch = torch.empty(64 << 20, device="cuda")
