"""A capture is begun on the legacy stream, which CuPy refuses."""

import cupy


def main():
    x = cupy.ones(64, dtype=cupy.float32)
    stream = cupy.cuda.Stream.null
    stream.begin_capture()  # cgsan: CG121
    cupy.multiply(x, 2, out=x)
    stream.end_capture()


if __name__ == "__main__":
    main()
