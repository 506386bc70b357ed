"""Evaluate what needs nothing but the time, for all steps of a chunk before they run."""

from typing import NamedTuple

import numpy as np

from .step import block_spec


class AheadError(Exception):
    """A step function raised; ``steps`` steps before it are complete in ``arrays``."""

    def __init__(self, steps, arrays, error):
        super().__init__(str(error))
        self.steps, self.arrays, self.error = steps, arrays, error


class Rows(NamedTuple):
    """What an operator put out in ``n`` steps: for each output (n, ..., size) ndarray, or None where it is not read."""

    n: int
    outputs: tuple


def evaluate_ahead(program, host_steps, first, n, data, known=None):
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
    known : dict, optional
        What `left_over` found: the steps for which it was evaluated were not run.

    Returns
    -------
    tuple of ndarray
        For each block, (capacity, ..., width), or (n, width) where the steps run on the host.

    Raises
    ------
    AheadError
        If a step function raises.
    """
    functions, arrays, evaluated = program.functions, {}, []
    for block in program.layout.ahead:
        shape, dtype = block_spec(block, functions)
        arrays[block] = np.zeros((n if program.on_arrays else program.capacity, *shape), dtype)
    for node, values in program.flat.ahead:
        targets = _targets(program, values, arrays)
        fed = data.get(_fed_signal(node))
        if fed is not None:
            if targets[0] is not None:
                targets[0][:n] = fed
        elif _is_evaluated(node, targets):
            evaluated.append((_fill(targets, n, (known or {}).get(node.op)), host_steps[node.op], targets))
    _evaluate(evaluated, functions.batch, first, n, lambda: tuple(arrays.values()))
    return tuple(arrays.values())


def left_over(program, arrays, known, done, n, data):
    """What was evaluated for steps after the first ``done`` of ``n``: a dict operator -> Rows, which serves any program."""
    left, blocks = {}, dict(zip(program.layout.ahead, arrays))
    for node, values in program.flat.ahead:
        targets = _targets(program, values, blocks)
        if data.get(_fed_signal(node)) is None and _is_evaluated(node, targets):
            before = (known or {}).get(node.op, Rows(0, ()))
            rows = [None if t is None else t[done:n] for t in targets]
            if before.n > n:
                rows = [x if x is None else np.concatenate([x, b[n:]]) for x, b in zip(rows, before.outputs)]
            left[node.op] = Rows(max(n, before.n) - done, tuple(rows))
    return {op: rows for op, rows in left.items() if rows.n}


def _targets(program, values, arrays):
    return [_columns(arrays, program.layout.places.get(v)) for v in values]


def _is_evaluated(node, targets):
    return bool(node.functions) or any(t is not None for t in targets)


def _fill(targets, n, known):
    """Fill in what is known: the number of steps for which it is."""
    if known is None or any(t is not None and x is None for t, x in zip(targets, known.outputs)):
        return 0
    start = min(n, known.n)
    for target, rows in zip(targets, known.outputs):
        if target is not None:
            target[:start] = rows[:start]
    return start


def _fed_signal(node):
    return node.op if node.key == "fed" else node.writes[0].signal.base if node.writes else None


def _columns(arrays, place):
    return None if place is None else arrays[place.block][..., place.start : place.start + place.size]


def _evaluate(evaluated, batch, first, n, arrays):
    if not evaluated:
        return
    calls = [
        (start, step, [(k, t if batch is None else t[:, item]) for k, t in enumerate(targets) if t is not None])
        for start, steps, targets in evaluated
        for item, step in enumerate(steps)
    ]
    with np.errstate(invalid="raise", divide="ignore"):
        for i in range(min(start for start, _, _ in calls), n):
            try:
                for start, step, targets in calls:
                    if i >= start:
                        outputs = step(first + i)
                        for k, target in targets:
                            target[i] = outputs[k].reshape(-1)
            except BaseException as error:  # Ctrl-C too must leave the steps before it complete
                raise AheadError(i, arrays(), error) from error
