"""A project's tests, as `pytest --cgsan` judges them: `crates/cgsan/tests/pytest.rs` says how each ends."""

import subprocess
import sys
import unittest

import pytest
import torch

READS_IN_A_CHILD = """
import torch
graph = torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
try:
    with torch.cuda.graph(graph):
        x.sum().item()
except RuntimeError:
    pass
"""


def captures():
    x = torch.ones(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    graph.replay()
    return y


def fails_to_capture():
    x = torch.ones(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.sum().item()


def hides_a_failure():
    with pytest.raises(RuntimeError):
        fails_to_capture()


def test_without_a_gpu():
    assert sum((1, 2)) == 3


def test_eager():
    assert (torch.ones(3, device="cuda") + 1).shape == (3,)


def test_captures():
    captures()


def test_hides_a_failure():
    hides_a_failure()


def test_fails_by_itself_as_well():
    fails_to_capture()


def test_fails_by_itself_alone():
    captures()
    raise AssertionError("of its own")


@pytest.mark.cgsan(ignore=["CG101"])
def test_allows_it():
    hides_a_failure()


@pytest.mark.cgsan(ignore=["CG119"])
def test_allows_another():
    hides_a_failure()


@pytest.mark.parametrize("hidden", [False, True])
def test_parameters(hidden):
    (hides_a_failure if hidden else captures)()


@pytest.mark.xfail(strict=True)
def test_is_expected_to_fail():
    hides_a_failure()


@pytest.mark.skip
def test_is_skipped():
    hides_a_failure()


def test_replays_a_graph_of_the_module(doubling):
    doubling[0].replay()


def test_takes_the_next_batch_under_the_captured_name(doubling):
    batches = [torch.full((4,), float(value), device="cuda") for value in range(4)]
    batch = batches[0]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        doubled = batch * 2
    for number in range(1, 4):
        batch = batches[number]
        graph.replay()
    assert doubled.shape == (4,)


def test_replays_it_again(doubling):
    doubling[0].replay()


def test_asks_for_the_report(capture_report):
    with capture_report() as report:
        hides_a_failure()
    assert [finding.id for finding in report.findings] == ["CG101"]
    assert "x.sum().item()" in str(report.findings[0])
    assert report.graphs[0].outcome == "failed"
    with capture_report() as report:
        captures()
    assert report.findings == []
    (graph,) = report.graphs
    assert [node.kind for node in graph.nodes] == ["kernel"]


def test_hides_a_failure_beside_the_report(capture_report):
    with capture_report():
        captures()
    hides_a_failure()


def test_fails_at_teardown(request):
    request.addfinalizer(hides_a_failure)


def test_starts_a_program():
    subprocess.run([sys.executable, "-c", READS_IN_A_CHILD], check=True)


class TestOfUnittest(unittest.TestCase):
    def test_captures(self):
        captures()

    def test_hides_a_failure(self):
        with self.assertRaises(RuntimeError):
            fails_to_capture()
