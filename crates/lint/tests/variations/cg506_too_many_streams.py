# --- silent: eight branches in all
import torch

streams = [torch.cuda.Stream() for _ in range(7)]
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(main)
        with torch.cuda.stream(stream):
            y = x + 1
    for stream in streams:
        main.wait_stream(stream)
