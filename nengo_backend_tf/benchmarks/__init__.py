"""The standard models, and the command that compares simulators on them side by side."""

from .models import MODELS

__all__ = ["MODELS"]
