"""A helper forks a stream for each expert, with events."""

import torch


def in_parallel(functions):
    main = torch.cuda.current_stream()
    begin = main.record_event()
    results = []
    for function in functions:
        stream = torch.cuda.Stream()
        stream.wait_event(begin)
        with torch.cuda.stream(stream):
            results.append(function())
        main.wait_event(stream.record_event())
    return results


experts = [torch.nn.Linear(32, 32).cuda() for _ in range(30)]
tokens = torch.ones(16, 32, device="cuda")
with torch.no_grad():
    in_parallel([lambda expert=expert: expert(tokens) for expert in experts])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # cgsan: CG506
        outputs = in_parallel([lambda expert=expert: expert(tokens) for expert in experts])
    graph.replay()
print(torch.stack(outputs).shape)
