"""Evaluate what needs nothing but the time, for all steps of a chunk before they run."""

import numpy as np

from .step import block_spec


class AheadError(Exception):
    """A step function raised; ``steps`` steps before it are complete in ``arrays``."""

    def __init__(self, steps, arrays, error):
        super().__init__(str(error))
        self.steps, self.arrays, self.error = steps, arrays, error


def evaluate_ahead(program, host_steps, first, n, data, known=()):
    """Rows of the blocks that hold what is evaluated ahead.

    Parameters
    ----------
    program : Program
    host_steps : dict
        Node operator -> list of its steps, one an item of the minibatch.
    first : int
        Number of the first step, counted from 1.
    n : int
        Number of steps.
    data : dict
        Base signal -> (n, ..., size) ndarray that takes the place of what would be evaluated.
    known : tuple of ndarray
        For each block, rows of the first steps, where they were evaluated before: steps that then were not run.

    Returns
    -------
    tuple of ndarray
        For each block, (capacity, ..., width), or (n, width) where the steps run on the host.

    Raises
    ------
    AheadError
        If a step function raises.
    """
    functions = program.functions
    arrays, start = {}, min(n, len(known[0])) if known else 0
    for k, block in enumerate(program.layout.ahead):
        shape, dtype = block_spec(block, functions)
        arrays[block] = np.zeros((n if program.on_arrays else program.capacity, *shape), dtype)
        if start:
            arrays[block][:start] = known[k][:start]
    evaluated = []
    for node, values in program.flat.ahead:
        targets = [_columns(arrays, program.layout.places.get(v)) for v in values]
        fed = data.get(_fed_signal(node))
        if fed is not None:
            if targets[0] is not None:
                targets[0][:n] = fed
        elif node.functions or any(t is not None for t in targets):
            evaluated.append((host_steps[node.op], targets))
    _evaluate(evaluated, functions.batch, first, range(start, n), lambda: tuple(arrays.values()))
    return tuple(arrays.values())


def _fed_signal(node):
    return node.op if node.key == "fed" else node.writes[0].signal.base if node.writes else None


def _columns(arrays, place):
    return None if place is None else arrays[place.block][..., place.start : place.start + place.size]


def _evaluate(evaluated, batch, first, steps_to_run, arrays):
    if not evaluated:
        return
    with np.errstate(invalid="raise", divide="ignore"):
        for i in steps_to_run:
            try:
                for steps, targets in evaluated:
                    for item, step in enumerate(steps):
                        outputs = step(first + i)
                        for target, output in zip(targets, outputs):
                            if target is not None:
                                row = target[i] if batch is None else target[i, item]
                                row[...] = output.reshape(-1)
            except BaseException as error:  # Ctrl-C too must leave the steps before it complete
                raise AheadError(i, arrays(), error) from error
