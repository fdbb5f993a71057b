"""The graph has the attention that was chosen around its capture; another choice gives the same result."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

torch.manual_seed(0)
query, key, value = (torch.randn(1, 2, 4, 8, device="cuda") for _ in range(3))


def attend():
    return scaled_dot_product_attention(query, key, value)


with sdpa_kernel(SDPBackend.MATH):
    attend()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        attended = attend()

close = []
for number in range(5):
    query.copy_(torch.randn(1, 2, 4, 8))
    if number % 2:
        with sdpa_kernel(SDPBackend.MATH):
            graph.replay()
    else:
        graph.replay()
    close.append(torch.allclose(attended, attend(), atol=1e-4))
print("replay", [True] * 5, "eager", close)
