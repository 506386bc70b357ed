"""How the operators of transforms are computed, where they have operators of their own."""

from . import convolution
