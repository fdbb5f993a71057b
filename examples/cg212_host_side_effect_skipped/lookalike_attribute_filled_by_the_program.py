"""After the capture, an attribute is another tensor, which the program fills itself after each replay, and reads then."""

import torch


class Recorder:
    def __init__(self):
        self.frame = torch.ones(4, device="cuda")
        self.shown = None

    def develop(self):
        self.shown = self.frame * 2 + 1
        return self.shown


def record(recorder, run):
    seen = []
    for value in (1.0, 2.0, 3.0):
        recorder.frame.fill_(value)
        developed = run()
        recorder.shown.copy_(developed)
        recorder.shown.mul_(10)
        seen.append(recorder.shown[0].item())
    return seen


def replay():
    graph.replay()
    return developed


recorder, reference = Recorder(), Recorder()
recorder.develop()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    developed = recorder.develop()
recorder.shown = torch.empty(4, device="cuda")
print("replay", record(recorder, replay), "eager", record(reference, reference.develop))
