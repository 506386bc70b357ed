"""How learning rules compute the change of weights. One file a rule.

A rule writes its ``delta`` after everything of the timestep has been read; nengo adds it to the weights at the beginning of
the next one. All rules take stacked arrays: (..., G, N) for the activities of N neurons in each of G connections.
"""

from . import aml, bcm, oja, pes, rls, voja
