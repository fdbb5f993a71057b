"""The captured function takes its rate from the function around it, which sets another one for each epoch."""

import torch


def main():
    rate = 0.5
    weight = torch.zeros(4, device="cuda")
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph):
            weight.add_(rate)  # cgsan: CG205

    capture()
    eager = 0.0
    for epoch in range(5):
        rate = 0.5 / (epoch + 1)
        graph.replay()
        eager += rate
    print("replay", weight[0].item(), "eager", eager)


main()
