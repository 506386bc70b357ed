"""How processes and synapses are computed. One file a kind; matched on the exact type."""

from . import images, linear_filter, triangle
from .registry import register_process
