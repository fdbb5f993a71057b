"""What an interactive shell keeps of what cells have shown: IPython's, which Jupyter runs as well."""

import sys


def kept():
    """The dictionaries with earlier results (`_`, `Out[4]`). The program shows what lies there, and does not read it again."""
    package = sys.modules.get("IPython")
    shell = package and package.get_ipython()
    if shell is None:
        return ()
    variables = shell.user_ns
    return variables, shell.user_ns_hidden, variables.get("_oh"), vars(shell.displayhook)
