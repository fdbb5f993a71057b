"""A generator's state is exchanged inside a capture with the graph-safe calls."""

import torch

torch.cuda.init()
generator = torch.cuda.default_generators[torch.cuda.current_device()]
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(generator)
with torch.cuda.graph(graph):
    state = generator.graphsafe_get_state()
    generator.graphsafe_set_state(state)
    x = torch.randint(1 << 20, (64,), generator=generator, device="cuda")

graph.replay()
first = x.tolist()
graph.replay()
assert x.tolist() != first
