"""How populations of neurons are computed. One file a neuron model; matched on the exact type.

A subclass of a neuron type may override ``step``, so that it never gets its parent's kernel: it runs its own step on the
host, until a kernel is registered for it with `register_neurons`.
"""

from . import adaptive, extras, izhikevich, lif, lif_coded, lif_rate, rates_to_spikes, rectified_linear, sigmoid
from .registry import register_neurons, register_neurons_rule
