"""The stream of a graph builder of `cuda.core` is waited for while it builds."""

from cuda.core import Device


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    builder = stream.create_graph_builder().begin_building()
    stream.sync()  # cgsan: CG101
    builder.end_building()


if __name__ == "__main__":
    main()
