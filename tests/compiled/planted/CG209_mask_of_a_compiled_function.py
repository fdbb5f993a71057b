"""Attention that was compiled is captured with a mask that only the capturing function holds: replays read freed memory."""

import torch


def attend(q, k, mask):
    return torch.softmax(q @ k.transpose(-1, -2) + mask, -1) @ k


def capture(fast, q, k):
    mask = torch.triu(torch.full((8, 8), float("-inf"), device="cuda"), 1)  # cgsan: label
    fast(q, k, mask)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = fast(q, k, mask)
    return graph, out


def main():
    fast = torch.compile(attend)
    q, k = torch.randn(2, 8, 16, device="cuda"), torch.randn(2, 8, 16, device="cuda")
    graph, out = capture(fast, q, k)
    graph.replay()  # cgsan: CG209
    noise = [torch.randn(8, 8, device="cuda") for _ in range(4)]
    graph.replay()
    print(out.sum().item(), len(noise))


if __name__ == "__main__":
    main()
