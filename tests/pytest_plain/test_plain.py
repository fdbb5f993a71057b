"""A project that uses what cgsan gives, tested where nobody asks for cgsan."""

import sys

import pytest


@pytest.mark.cgsan(ignore=["CG119"])
def test_imports_nothing():
    assert not {"torch", "cgsan.command", "cgsan.testing"} & set(sys.modules)


def test_asks_for_the_report(capture_report):
    raise AssertionError("it is not run")


def test_computes_without_a_graph():
    assert sum([1, 2]) == 3
