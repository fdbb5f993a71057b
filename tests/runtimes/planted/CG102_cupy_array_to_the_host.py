"""A result is copied to the host in the capture, which CuPy refuses."""

import cupy


def main():
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x = cupy.ones(64, dtype=cupy.float32)
        total = x.sum()
        stream.begin_capture()
        cupy.multiply(x, 2, out=x)
        total.get()  # cgsan: CG102
        stream.end_capture()


if __name__ == "__main__":
    main()
