"""A function is made and captured for each size; the variables that it shares with the loop around it are the last one's later."""

import torch


def main():
    graphs = {}
    for size in (2, 4, 8):
        x = torch.zeros(size, device="cuda")
        scale = torch.full((size,), float(size), device="cuda")

        def capture():
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = x * scale + size  # noqa: B023
            return graph, y

        graphs[size] = (x, scale, *capture())

    replayed, eager = [], []
    for number in range(3):
        for size, (x, scale, graph, y) in graphs.items():
            x.fill_(float(number))
            graph.replay()
            replayed.append(y[0].item())
            eager.append(float(number * size + size))
    print("replay", replayed, "eager", eager)


main()
