"""More requests than at the capture wait in the queue, and the replay serves the first ones only."""

import torch

requests = torch.zeros(8, 4, device="cuda")
answers = torch.zeros(8, 4, device="cuda")
queue = {"waiting": 2}


def serve():
    rows = queue["waiting"]
    torch.mul(requests[:rows], 2, out=answers[:rows])  # cgsan: CG207


for queue["waiting"] in (4, 2):
    serve()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    serve()

replayed, eager = [], []
for run, results in ((graph.replay, replayed), (serve, eager)):
    answers.zero_()
    for queue["waiting"] in (2, 4, 8):
        requests.fill_(queue["waiting"])
        run()
        results.append(answers[:, 0].sum().item())
print("replay", replayed, "eager", eager)
