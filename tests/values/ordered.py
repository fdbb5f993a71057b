"""What is right in `streams.py`: two runs of it compute the same, whenever their work is done."""

import streams


def main():
    streams.right_waits()
    streams.freed_memory(with_record=True)
    streams.memory_that_goes_back()
    streams.numbers_of_the_host()
    streams.sizes_that_values_decide()
    streams.backward()
    streams.inference()
    streams.forked_graph()
    streams.random_numbers()
    streams.two_graphs(shared=False)
    streams.one_graph_on_two_streams()


if __name__ == "__main__":
    main()
