"""A tensor of the GPU that is handed to another process: both have the same memory, from `cudaMalloc` or mapped by PyTorch."""

import torch
import torch.multiprocessing as mp


def change(tensors, answers):
    tensor = tensors.get()
    assert tensor.device.type == "cuda" and tensor.tolist() == [0, 1, 2, 3], tensor
    tensor.copy_(torch.full((4,), 7.0))
    torch.cuda.synchronize()
    answers.put("changed")
    assert tensors.get() == "end"


def hand_over():
    context = mp.get_context("spawn")
    tensors, answers = context.Queue(), context.Queue()
    other = context.Process(target=change, args=(tensors, answers))
    other.start()
    tensor = torch.arange(4.0).cuda()
    tensors.put(tensor)
    assert answers.get() == "changed"
    assert tensor.tolist() == [7, 7, 7, 7], tensor
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        copy = tensor.clone()
    graph.replay()
    assert copy.tolist() == [7, 7, 7, 7], copy
    tensors.put("end")
    other.join()
    assert other.exitcode == 0


def main():
    for expandable in False, True:
        torch.cuda.memory._set_allocator_settings(f"expandable_segments:{expandable}")
        torch.cuda.empty_cache()
        hand_over()
    print("done")


if __name__ == "__main__":
    main()
