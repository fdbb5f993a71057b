"""The version of cgsan: that of the installed package. `cgsan run` lays out another file here, which has its own."""

from importlib.metadata import version

__version__ = version("cgsan")
