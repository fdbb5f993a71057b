import torch

model = torch.nn.Conv2d(3, 8, 3, padding=1).cuda().eval()
pool = torch.cuda.graph_pool_handle()
runners = {}
with torch.no_grad():
    for size in (64, 32, 16, 8, 4, 2, 1):
        images = torch.zeros(size, 3, 512, 512, device="cuda")  # cgsan: CG302
        model(images)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            features = model(images)
        runners[size] = (graph, images, features)


def run(batch):
    graph, images, features = runners[batch.shape[0]]
    images.copy_(batch)
    graph.replay()
    return features.clone()


print(run(torch.rand(4, 3, 512, 512, device="cuda")).sum().item())
