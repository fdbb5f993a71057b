"""PyTorch swaps the contents of tensors that graphs have used, which it refuses where anything refers to them weakly."""

import torch

torch.__future__.set_swap_module_params_on_conversion(True)
model = torch.nn.Linear(4, 4).cuda()
x = torch.ones(2, 4, device="cuda")
with torch.no_grad():
    model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    graph.replay()
    expected = model(x)
    print(torch.equal(y, expected))
    graph.reset()
    model.load_state_dict({name: value.clone() for name, value in model.state_dict().items()})
    torch.utils.swap_tensors(x, torch.ones(2, 4, device="cuda"))
    print(torch.equal(model(x), expected))
