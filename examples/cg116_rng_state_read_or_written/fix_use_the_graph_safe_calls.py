"""Use the graph-safe calls."""

import torch

torch.cuda.init()
generator = torch.cuda.default_generators[torch.cuda.current_device()]
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(generator)

with torch.cuda.graph(graph):
    state = generator.graphsafe_get_state()
    first = torch.randint(1024, (4,), generator=generator, device="cuda")
    generator.graphsafe_set_state(state)
    second = torch.randint(1024, (4,), generator=generator, device="cuda")

graph.replay()
print(first.tolist(), second.tolist())
