import torch

x = torch.zeros(8, device="cuda")
produced = torch.cuda.Event(external=True)
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
s1, s2 = torch.cuda.Stream(), torch.cuda.Stream()
with torch.cuda.graph(first, stream=s1):
    x.add_(1)
    produced.record()
with torch.cuda.graph(second, stream=s2):
    torch.cuda.current_stream().wait_event(produced)
    x.mul_(2)
with torch.cuda.stream(s1):
    first.replay()
with torch.cuda.stream(s2):
    second.replay()
torch.cuda.synchronize()
print("ok")
