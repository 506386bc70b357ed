"""Measurements as a table for people, and as plain data for JSON."""

_ROW = "{:<18}  {:<28}  {:>8}  {:>11}  {:>10}  {:>7}  {:>8}  {:>11}"

HEADER = _ROW.format("model", "simulator", "build s", "first run s", "steady ms", "ratio", "step us", "difference")


def format_rows(model, measurements):
    """The lines of the table for one model, to go below `HEADER`.

    Parameters
    ----------
    model : str
        Its name.
    measurements : sequence of Measurement
        The first one is the reference's.

    Returns
    -------
    str
        One line for each simulator. The ratio is the reference's steady time over the simulator's: larger is faster.
        "step us" is what one call of ``sim.step()`` takes.
    """
    return "\n".join(
        _ROW.format(
            model if i == 0 else "",
            m.name,
            f"{m.build_s:.2f}",
            f"{m.first_run_s:.2f}",
            f"{1e3 * m.steady_s:.2f}",
            "" if i == 0 else f"{_ratio(measurements, m):.1f}",
            f"{1e6 * m.single_s:.0f}",
            "" if i == 0 else f"{m.max_difference:.0e}",
        )
        for i, m in enumerate(measurements)
    )


def as_data(measurements):
    """Measurements of one model as lists and dicts.

    Parameters
    ----------
    measurements : sequence of Measurement
        The first one is the reference's.

    Returns
    -------
    list of dict
        One for each simulator, with all that the table shows and the time of every steady run.
    """
    return [
        {
            "simulator": m.name,
            "build_s": m.build_s,
            "first_run_s": m.first_run_s,
            "runs_s": list(m.runs_s),
            "steady_s": m.steady_s,
            "single_s": m.single_s,
            "ratio": _ratio(measurements, m),
            "max_difference": m.max_difference,
        }
        for m in measurements
    ]


def _ratio(measurements, measurement):
    return measurements[0].steady_s / measurement.steady_s
