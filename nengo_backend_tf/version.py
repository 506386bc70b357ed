"""The version of this package, which ``setup.cfg`` reads without importing the package."""

__version__ = "0.1.0"
