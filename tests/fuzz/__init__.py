"""Differential fuzzing: random networks on this backend and on nengo.Simulator, and a search for any difference.

``python -m tests.fuzz --networks 100`` runs it; ``draw`` makes the networks, ``checks`` are how they are compared, and
``faults`` breaks the package on purpose, to see that the checks would tell.
"""
