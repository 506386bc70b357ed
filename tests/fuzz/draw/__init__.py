"""Random valid networks. `network` is all that the rest needs; one file draws one kind of thing."""

from .networks import Drawn, drawn_network, networks
