"""Print graph, plan and layout for a person."""

from collections import Counter

from .defer import unread


def format_shape(shape):
    return "x".join(str(n) for n in shape) or "1"


def format_affine(affine, flat):
    """An Affine as a short sum: "v3 + 0.5 v4[2 of 8] + constant"."""
    parts = []
    for term in affine.terms:
        scale = "" if isinstance(term.scale, float) and term.scale == 1 else (
            f"{term.scale:.3g} " if not hasattr(term.scale, "__len__") else "scales * "
        )
        picked = "" if term.source is None else f"[{len(term.source)} of {flat.values[term.value].size}]"
        parts.append(f"{scale}v{term.value}{picked}")
    if affine.constant is not None and affine.constant.any():
        parts.append("constant")
    return " + ".join(parts) or "0"


def format_graph(flat):
    """Every kernel with its inputs, and what is carried: one line each."""
    lines = [f"graph: {len(flat.kernels)} kernels, {len(flat.ahead)} evaluated ahead, {len(flat.carried)} carried"]
    for node, values in flat.ahead:
        lines.append(f"  ahead   {_names(values)} = {node.label}")
    for kernel in flat.kernels:
        inputs = ", ".join(format_affine(a, flat) for a in kernel.inputs)
        outputs = ", ".join(_names(o) for o in kernel.outputs)
        lines.append(f"  {kernel.node.where:7s} {outputs} = {kernel.node.label} of ({inputs})")
    for kernel in flat.after:
        inputs = ", ".join(format_affine(a, flat) for a in kernel.inputs)
        lines.append(f"  after   {kernel.node.label} of ({inputs})")
    for c in flat.carried:
        lines.append(f"  carried v{c.value} = {format_affine(c.after, flat)}  ({', '.join(s.name for s in c.signals)})")
    return "\n".join(lines)


def _names(values):
    return ", ".join(f"v{v}" for v in values)


def format_plan(layout, kinds_of_stages=()):
    """The groups in the order in which they run: how many operators, in which form, what they read and fill."""
    lines = [f"plan: {len(layout.groups)} groups for {sum(len(g.kernels) for g in layout.groups)} kernels"]
    for i, group in enumerate(layout.groups):
        if kinds_of_stages and (i == 0 or layout.groups[i - 1].stage != group.stage):
            lines.append(f"  stage {group.stage}, a {kinds_of_stages[group.stage]}")
        kinds = Counter(type(n.op).__name__ if n.op is not None else n.label for k in group.kernels for n in k.nodes)
        what = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        blocks = ", ".join(f"b{b} ({format_shape(layout.blocks[b].shape)})" for b in group.output_blocks) or "nothing"
        where = "on the host, step by step" if group.form == "host" else group.form
        lines.append(f"  {i:3d}  {what}, {where} -> {blocks}")
        if group.form == "host":
            lines += [f"       called on the host: {k.node.label}" for k in group.kernels]
    return "\n".join(lines)


def format_layout(layout):
    """Every block with what it is and its size."""
    total = sum(b.size * b.dtype.itemsize for b in layout.blocks)
    lines = [f"layout: {len(layout.blocks)} blocks, {total / 1e6:.3g} MB an item in nengo's precision"]
    for i, block in enumerate(layout.blocks):
        lines.append(f"  b{i:<4d} {block.origin:8s} {format_shape(block.shape):>14s} {block.dtype}")
    return "\n".join(lines)


def forcing(program):
    """What keeps the steps from running in one compiled loop: a line for each kernel on the host that others wait for."""
    idle = unread(program.flat, [a for r in program.recordings for a in r.affines])
    lines = []
    for i, kernel in enumerate(program.flat.kernels):
        if kernel.node.where == "host" and i not in idle:
            why = "the steps read what it returns" if kernel.inputs else "it may share state with a function of values"
            lines.append(f"steps run one by one because of {kernel.node.label}: {why}")
    return lines


def format_program(program):
    """Plan and layout, and how steps are run."""
    flat, layout = program.flat, program.layout
    ahead = [node.label for node, _ in flat.ahead if node.functions]
    how = "a compiled loop" if not program.on_host else f"a loop with {len(program.on_host)} host calls a step"
    how += ", which runs on the host as a whole, with NumPy" if program.on_arrays else ""
    lines = [f"{how}, up to {program.capacity} steps a call"]
    lines += [f"  {line}" for line in forcing(program)]
    lines += [f"  evaluated ahead, a chunk at a time: {label}" for label in ahead]
    lines += [f"  called after the steps of a chunk: {kernel.node.label}" for kernel in flat.after]
    return "\n".join([*lines, format_plan(layout, [s.kind for s in program.stages]), format_layout(layout)])
