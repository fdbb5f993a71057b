"""Two graphs of one pool run on two streams, and an event orders the second behind the first."""

import torch


def denoise(x):
    hidden = x * 2
    torch.cuda._sleep(20_000_000)  # stands for long layers
    return hidden + 1


inputs = [torch.full((4,), value, device="cuda") for value in (1.0, 2.0)]
pool = torch.cuda.graph_pool_handle()
graphs, outputs = [], []
for x in inputs:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        outputs.append(denoise(x))
    graphs.append(graph)

streams = [torch.cuda.Stream() for _ in graphs]
done = torch.cuda.Event()
done.record()
for _ in range(2):
    for stream, graph in zip(streams, graphs, strict=True):
        stream.wait_event(done)
        with torch.cuda.stream(stream):
            graph.replay()
            done.record()
torch.cuda.synchronize()
replayed = [output[0].item() for output in outputs]
print("replay", replayed, "eager", [denoise(x)[0].item() for x in inputs])
