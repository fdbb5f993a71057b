"""Kernels that are launched past PyTorch's operators: what they are given, and what they do to it."""
