"""Each thread captures a graph, replays it once, and ends at once: its twin outlives it."""

import threading

import torch


def work(x):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.no_grad():
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            y = x
            for _ in range(64):
                y = torch.relu(y + 1)
        graph.replay()
    graphs.append(graph)


graphs = []
for _ in range(4):
    thread = threading.Thread(target=work, args=(torch.zeros(4, device="cuda"),))
    thread.start()
    thread.join()
print(len(graphs))
