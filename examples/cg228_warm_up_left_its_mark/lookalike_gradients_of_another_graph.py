"""Gradients are added up by one graph and clipped by another one. What the warm-up left in them, the first graph zeroes."""

import torch

torch.manual_seed(0)
batches = [torch.randn(8, 4, device="cuda") for _ in range(4)]
start = torch.nn.Linear(4, 1).state_dict()


def run(graphed):
    model = torch.nn.Linear(4, 1).cuda()
    model.load_state_dict(start)
    parameters = list(model.parameters())
    optimizer = torch.optim.Adam(parameters, lr=0.1, capturable=True)
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    x = torch.zeros(8, 4, device="cuda")

    def begin():
        optimizer.zero_grad(set_to_none=False)

    def add():
        model(x).square().mean().backward()

    def update():
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()

    steps = [begin, add, update]
    if graphed:
        saved = [parameter.detach().clone() for parameter in parameters]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for step in steps:
                step()
        torch.cuda.synchronize()
        graphs = []
        pool = torch.cuda.graph_pool_handle()
        for step in steps:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=pool):
                step()
            graphs.append(graph)
        with torch.no_grad():
            for parameter, value in zip(parameters, saved, strict=True):
                parameter.copy_(value)
        for state in optimizer.state.values():
            for value in state.values():
                value.zero_()
        steps = [graph.replay for graph in graphs]

    begin, add, update = steps
    for first, second in (batches[:2], batches[2:]):
        begin()
        for batch in (first, second):
            x.copy_(batch)
            add()
        update()
    return [round(model.bias.item(), 4)]


print("replay", run(graphed=True), "eager", run(graphed=False))
