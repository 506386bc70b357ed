"""Move host functions that only consume values out of the steps: they are called after the steps of a chunk.

Their inputs are recorded, and they are called with them in the order of the steps. That is only right if nothing in the
steps reads what they return, and if no function that is called elsewhere can notice. Where other functions have to be
called within the steps, nothing is gained by it, and nothing is moved: if a function then raises, those within the steps
have not been called for steps that do not count.
"""

from dataclasses import replace

from .sharing import tied


def defer(flat, requested):
    """Defer what only consumes: FlatGraph -> FlatGraph.

    Parameters
    ----------
    flat : FlatGraph
    requested : sequence of Affine
        What is recorded. A recording of what a deferred function returns must read nothing else.

    Returns
    -------
    FlatGraph
    """
    sinks = unread(flat, requested)
    if not sinks:
        return flat
    sinks -= _noticed(flat, sinks)
    if any(k.node.where == "host" for i, k in enumerate(flat.kernels) if i not in sinks):
        return flat
    after = tuple(k for i, k in enumerate(flat.kernels) if i in sinks)
    kernels = tuple(k for i, k in enumerate(flat.kernels) if i not in sinks)
    return flat._replace(kernels=kernels, after=tuple(replace(k, nodes=(replace(k.node, where="after"),)) for k in after))


def _outputs(kernels):
    return {v for k in kernels for output in k.outputs for v in output}


def unread(flat, requested):
    """Positions of host kernels whose outputs nothing in the steps reads: no kernel, carried value or mixed recording."""
    host = {i for i, k in enumerate(flat.kernels) if k.node.where == "host"}
    if not host:
        return host
    read = set().union(*(a.values() for k in flat.kernels for a in k.inputs), *(c.after.values() for c in flat.carried))
    sinks = {i for i in host if not _outputs([flat.kernels[i]]) & read}
    while True:
        given = _outputs(flat.kernels[i] for i in sinks)
        mixed = [a.values() for a in requested if a.values() & given and not a.values() <= given]
        kept = {i for i in sinks if not any(_outputs([flat.kernels[i]]) & values for values in mixed)}
        if kept == sinks:
            return sinks
        sinks = kept


def _noticed(flat, sinks):
    """Sinks that share state with a function that is called ahead of the steps or within them."""
    callers = [(i, f) for i, k in enumerate(flat.kernels) for f in k.node.functions]
    callers += [(None, f) for node, _ in flat.ahead for f in node.functions]
    noticed = set()
    for component in tied([f for _, f in callers]):
        members = {callers[j][0] for j in component}
        if not members <= sinks:
            noticed |= members & sinks
    return noticed
