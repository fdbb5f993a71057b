"""A program that nobody started under `cgsan run`, and that has itself watched."""

import sys

import cgsan

watch = cgsan.watch(virtual=True)
assert cgsan.watch() is watch
assert "torch" not in sys.modules

import torch  # noqa: E402


def hides_a_failure():
    x = torch.ones(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            x.sum().item()
    except RuntimeError:
        pass


assert watch.report().findings == []
hides_a_failure()
assert [finding.id for finding in watch.report().findings] == ["CG101"]
assert watch.report().findings == []

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
graph.replay()
(captured,) = watch.report().graphs
assert [node.kind for node in captured.nodes] == ["kernel"]

# What goes on being wrong with a graph is told once, also by a later watch and at another line.
kept = []


def keeps():
    for _ in range(8):
        graph.replay()
        kept.append(y)


def keeps_elsewhere():
    for _ in range(16):
        graph.replay()
        kept.append(y)


keeps()
assert [finding.id for finding in watch.report().findings] == ["CG211"]
keeps_elsewhere()
assert watch.stop().findings == []
watch = cgsan.watch()
keeps_elsewhere()
assert watch.report().findings == []

# This is told when the program ends.
hides_a_failure()
print("reached its end")
