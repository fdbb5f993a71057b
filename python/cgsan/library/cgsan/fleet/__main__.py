"""`python -m cgsan.fleet`."""

from __future__ import annotations

import argparse
import contextlib
import sys

from .. import command
from .engines import NAMES
from .missing import PackageMissing
from .run import NoTraces, run

_END = """\
What follows `--` is for `cgsan report`: --since FOLDER, --strict, --ignore IDS, --merge.

Exit status: that of `cgsan report`; 2 for wrong arguments, no traces, or a package that is missing.
"""


def main(words: list[str]) -> int:
    """Does what the command line says. Gives the exit status."""
    words, report_options = _split(words)
    options = _parser().parse_args(words)
    try:
        # Engines print what they do: standard output is for the report.
        with contextlib.redirect_stdout(sys.stderr):
            outcome = run(
                options.traces,
                options.output,
                options.engine,
                options.workers,
                options.address,
                not options.no_tables,
                options.sources,
                report_options,
            )
    except (NoTraces, PackageMissing, command.CommandMissing, command.CommandFailed) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(outcome.text, end="")
    return outcome.status


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cgsan.fleet",
        description="Analyse many traces where they lie, and merge what was found into one report.",
        epilog=_END,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "traces", nargs="+", help="traces, folders, or addresses that fsspec reads (s3://…)"
    )
    parser.add_argument(
        "--output", required=True, metavar="FOLDER", help="the folder for what is written"
    )
    parser.add_argument(
        "--engine", choices=NAMES, default="local", help="who works [default: this machine alone]"
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="COUNT",
        help="how many work at once [default: a worker for each CPU]",
    )
    parser.add_argument(
        "--address",
        help="the cluster of Ray, or the master of Spark [default: one that is started here]",
    )
    parser.add_argument(
        "--no-tables", action="store_true", help="only the report: no tables, queries and page"
    )
    parser.add_argument(
        "--sources",
        action="append",
        default=[],
        metavar="PATH",
        help="show lines of source files below PATH, as workers have them",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
