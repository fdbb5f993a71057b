"""One process with two devices: streams, events and graphs of each, and copies between them."""

import torch
import torch.cuda.nccl

assert torch.cuda.device_count() == 2
first, second = (torch.cuda.get_device_properties(device) for device in range(2))
assert first.uuid != second.uuid and first.pci_bus_id != second.pci_bus_id
assert torch.cuda.can_device_access_peer(0, 1)


def on(device, *numbers):
    return torch.tensor(numbers, dtype=torch.float32).to(device)


def check(tensor, *numbers):
    assert tensor.cpu().tolist() == list(numbers), (tensor, numbers)


source = on("cuda:0", 1, 2, 3)
copy = source.to("cuda:1")
assert copy.device.index == 1
check(copy, 1, 2, 3)
source.copy_(on("cuda:1", 4, 5, 6))
check(source, 4, 5, 6)

# A copy that a kernel makes runs on a stream of the one device, and the other's waits for it.
check(source.to("cuda:1", torch.float64), 4, 5, 6)
copy[::2].copy_(source[1:])
check(copy, 5, 2, 6)
copy.copy_(source[:1].expand(3))
check(copy, 4, 4, 4)

# Memory is counted for each device.
free = [torch.cuda.mem_get_info(device)[0] for device in range(2)]
block = torch.empty(256 << 20, dtype=torch.uint8, device="cuda:1")
assert torch.cuda.mem_get_info(0)[0] == free[0]
assert torch.cuda.mem_get_info(1)[0] <= free[1] - (256 << 20)

# A stream of one device waits for an event of the other.
streams = [torch.cuda.Stream(device) for device in range(2)]
assert [stream.device.index for stream in streams] == [0, 1]
event = torch.cuda.Event()
event.record(streams[0])
streams[1].wait_event(event)

inputs = [on(f"cuda:{device}", 0, 0) for device in range(2)]
outputs = [torch.zeros(2, device=f"cuda:{device}") for device in range(2)]
graphs = []
for device in range(2):
    with torch.cuda.device(device):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=streams[device]):
            outputs[device].copy_(inputs[device])
            torch.cuda.synchronize(1 - device)
        graphs.append(graph)
for device, graph in enumerate(graphs):
    inputs[device].copy_(torch.tensor([7.0 + device, 9.0]))
    with torch.cuda.device(device):
        graph.replay()
    check(outputs[device], 7 + device, 9)

# One thread drives the ranks of both devices.
tensors = [on(f"cuda:{device}", 1 + device, 5) for device in range(2)]
torch.cuda.nccl.all_reduce(tensors)
for tensor in tensors:
    check(tensor, 3, 10)
torch.cuda.synchronize(0)
torch.cuda.synchronize(1)
print("done")
