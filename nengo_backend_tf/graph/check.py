"""What must hold for a FlatGraph after every pass."""

from nengo.exceptions import BuildError


def check_graph(flat, after):
    """Raise a BuildError that names the pass if the graph is broken.

    Parameters
    ----------
    flat : FlatGraph
    after : str
        The pass that made it.
    """

    def require(holds, message):
        if not holds:
            raise BuildError(f"The graph is broken after the pass {after!r}: {message}")

    known = {value for _, values in flat.ahead for value in values} | {c.value for c in flat.carried}
    for i, kernel in enumerate(flat.kernels):
        outputs = [v for output in kernel.outputs for v in output]
        for affine, shape in zip(kernel.inputs, kernel.input_shapes):
            _check_affine(flat, affine, f"kernel {i} ({kernel.node.label})", require)
            late = affine.values() - known
            require(not late, f"kernel {i} ({kernel.node.label}) reads values {sorted(late)} before they are computed")
            size = 1
            for length in shape:
                size *= length
            require(affine.size == size, f"kernel {i} reads {affine.size} elements as shape {shape}")
        require(not known & set(outputs), f"kernel {i} ({kernel.node.label}) computes a value a second time")
        known.update(outputs)
    for kernel in flat.after:
        late = set().union(*(a.values() for a in kernel.inputs)) - known
        require(not late, f"the deferred {kernel.node.label} reads values {sorted(late)} that nothing computes")
    known.update(v for kernel in flat.after for output in kernel.outputs for v in output)
    for c in flat.carried:
        _check_affine(flat, c.after, f"carried value {c.value}", require)
        require(c.after.values() <= known, f"carried value {c.value} reads values that nothing computes")
        require(c.after.size == flat.values[c.value].size, f"carried value {c.value} changes its size")
    for base, final in flat.final.items():
        _check_affine(flat, final, f"signal {base.name!r}", require)
        require(final.values() <= known, f"signal {base.name!r} reads values that nothing computes")
    return flat


def _check_affine(flat, affine, reader, require):
    for term in affine.terms:
        require(0 <= term.value < len(flat.values), f"{reader} reads value {term.value}, which does not exist")
        size = flat.values[term.value].size
        if term.source is not None and len(term.source):
            require(0 <= term.source.min() and term.source.max() < size,
                    f"{reader} reads elements outside value {term.value} of {size} elements")
        if term.target is not None and len(term.target):
            require(0 <= term.target.min() and term.target.max() < affine.size, f"{reader} is written outside its size")
        count = size if term.source is None else len(term.source)
        into = affine.size if term.target is None else len(term.target)
        require(count == into, f"{reader} adds {count} elements of value {term.value} to {into} elements")
    if affine.constant is not None:
        require(len(affine.constant) == affine.size, f"{reader} has a constant of another size")
