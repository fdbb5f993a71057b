"""A stream is forked and joined inside the capture, while another thread works on the default stream."""

import threading

import torch

x = torch.zeros(4, device="cuda")
total = torch.zeros(4, device="cuda")
served = torch.zeros(4, device="cuda")
side = torch.cuda.Stream()


def step():
    caller = torch.cuda.current_stream()
    side.wait_stream(caller)
    with torch.cuda.stream(side):
        total.add_(x)
    y = x * 2
    caller.wait_stream(side)
    return y


served.add_(1)
step()
graph = torch.cuda.CUDAGraph()
server = threading.Thread(target=lambda: served.add_(1))
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    server.start()
    y = step()
    server.join()

replayed, eager = [], []
for run, results in ((graph.replay, replayed), (step, eager)):
    total.zero_()
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        run()
        results.append(total[0].item())
print("replay", replayed, "eager", eager)
