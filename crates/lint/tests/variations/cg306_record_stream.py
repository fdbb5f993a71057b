# --- silent: joined before it is let go, without `record_stream`
import torch

side = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    temporary = x * 2
    side.wait_stream(main)
    with torch.cuda.stream(side):
        y = temporary + 1
    main.wait_stream(side)
    del temporary
    z = x * 3
# --- silent: outside captures it is the right thing
import torch

side = torch.cuda.Stream()
x = torch.ones(1 << 20, device="cuda")
temporary = x * 2
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = temporary + 1
temporary.record_stream(side)
del temporary
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = x * 3
