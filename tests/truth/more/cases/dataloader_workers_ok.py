import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return torch.full((8,), float(index))


def main():
    static = torch.zeros(4, 8, device="cuda")
    net = torch.nn.Linear(8, 2).cuda()
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            net(static)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = net(static)
    seen = 0
    for batch in DataLoader(Numbers(), batch_size=4, num_workers=2, pin_memory=True):
        static.copy_(batch, non_blocking=True)
        graph.replay()
        seen += out.shape[0]
    torch.cuda.synchronize()
    print("seen", seen)


if __name__ == "__main__":
    main()
