"""How one operator is computed: a file an operator family, and the registry that is all they share."""

from . import (
    copy, dot, elementwise, learning_rules, neurons, processes, python, reset, sparse, time, transforms,
)
from .python import HostFallbackWarning
from .registry import Context, nodes_of, register, register_rule
