"""A tensor that another stream still reads is freed without `record_stream`, and its memory is given out anew."""

import torch


def main():
    side = torch.cuda.Stream()
    x = torch.rand(1000, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x * 2  # reads
    del x
    torch.full((1000,), 9.0, device="cuda")  # writes
    torch.cuda.synchronize()
    print(y[0].item())


if __name__ == "__main__":
    main()
