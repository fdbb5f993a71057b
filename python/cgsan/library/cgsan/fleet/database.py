"""The file for DuckDB: no data, but views of the tables beside it, with ready queries. And the same as text."""

import os

from . import queries
from .missing import package

FILE = "fleet.duckdb"
TEXT = "queries.sql"


def check() -> None:
    """Raises `PackageMissing` where DuckDB is not installed: before hours of work and not after."""
    package("duckdb")


def write(output: str) -> None:
    """Writes both into the folder that has the tables. The file has no paths of this machine, so that the folder can be moved."""
    text = queries.text()
    with open(os.path.join(output, TEXT), "w", encoding="utf-8") as file:
        file.write(text)
    path = os.path.join(output, FILE)
    if os.path.exists(path):
        os.remove(path)
    with package("duckdb").connect(path) as connection:
        # Views are checked when they are made.
        connection.execute(f"SET file_search_path = '{_quoted(os.path.abspath(output))}'")
        connection.execute(text)


def _quoted(text: str) -> str:
    return text.replace("'", "''")
