"""What the tests share."""

import pytest
import torch


@pytest.fixture(scope="module")
def doubling():
    """A graph that several tests replay."""
    x = torch.ones(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    return graph, x, y
