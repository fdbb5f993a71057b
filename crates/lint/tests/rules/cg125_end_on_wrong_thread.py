# --- fails
import threading

import torch


class Recorder:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        self.stream = torch.cuda.Stream()

    def finish(self):
        with torch.cuda.stream(self.stream):
            self.graph.capture_end()  # cgsan: CG125


recorder = Recorder()
x = torch.ones(8, device="cuda")
with torch.cuda.stream(recorder.stream):
    recorder.graph.capture_begin()
    y = x * 2
    closer = threading.Thread(target=recorder.finish)
    closer.start()
    closer.join()
# --- fixed
import torch


class Recorder:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        self.stream = torch.cuda.Stream()

    def finish(self):
        with torch.cuda.stream(self.stream):
            self.graph.capture_end()


recorder = Recorder()
x = torch.ones(8, device="cuda")
with torch.cuda.stream(recorder.stream):
    recorder.graph.capture_begin()
    y = x * 2
    recorder.finish()
# --- lookalike
import threading

import torch


class Camera:
    def capture_end(self):
        return "closed"


camera = Camera()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    closer = threading.Thread(target=camera.capture_end)
    closer.start()
    closer.join()
