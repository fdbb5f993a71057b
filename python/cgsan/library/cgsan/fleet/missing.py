"""Packages that only some users need."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Literal

# What each is for, by the name that it is imported and installed by.
_FOR = {
    "duckdb": "the file of queries",
    "fsspec": "paths such as s3://…",
    "pyspark": "--engine spark",
    "ray": "--engine ray",
}


class PackageMissing(RuntimeError):
    """A package that was asked for by an option or a path is not installed."""


def package(name: Literal["duckdb", "fsspec", "pyspark", "ray"], at: str = "") -> ModuleType:
    """A package, or the module `at` in it. Raises `PackageMissing`, which says how to get it."""
    try:
        return importlib.import_module(name + at)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != name:
            raise
        text = f"{_FOR[name]} needs the package `{name}`: pip install {name}"
        raise PackageMissing(text) from error
