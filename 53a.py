# expect: none
"""lru_cache'd tables, a trace counter and logging that stays quiet while capturing: nothing that replays would miss."""
import functools
import logging
import sys
import torch

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(message)s")
logger = logging.getLogger(__name__)


@functools.lru_cache(maxsize=8)
def rope_table(n, d, device):
    inv = 1.0 / 10000 ** (torch.arange(0, d, 2, device=device).float() / d)
    a = torch.outer(torch.arange(n, device=device).float(), inv)
    return a.cos(), a.sin()


@functools.lru_cache
def causal(n, device):
    return torch.ones(n, n, device=device, dtype=torch.bool).tril()


def rope(x):
    cos, sin = rope_table(x.shape[-2], x.shape[-1], str(x.device))
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


class Attention(torch.nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(d, d, bias=False) for _ in "qkv")
        self.warned = False

    def forward(self, x):
        if not torch.cuda.is_current_stream_capturing():
            if not self.warned:
                logger.info("attention falls back to the naive path for %s", tuple(x.shape))
                self.warned = True
        q, k, v = rope(self.q(x)), rope(self.k(x)), self.v(x)
        att = (q @ k.mT / x.shape[-1] ** 0.5).masked_fill(~causal(x.shape[-2], str(x.device)), -torch.inf)
        return att.softmax(-1) @ v


def main():
    torch.manual_seed(0)
    net = Attention(8).cuda().requires_grad_(False)
    x = torch.randn(2, 6, 8, device="cuda")
    net(x); net(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = net(x)
    for i in range(4):
        x.normal_()
        graph.replay()
        print(i, torch.allclose(y, net(x), atol=1e-5))
    logger.info("%s", rope_table.cache_info().currsize)


main()
