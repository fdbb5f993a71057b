"""What Python knows of graphs and their replays, told at captures and at sampled replays.

Only facts: a diagnosis decides what they mean. Nothing here calls CUDA, keeps a container or a tensor
of the program alive, or runs code of the program.
"""
