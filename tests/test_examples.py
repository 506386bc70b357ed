"""The examples run as README.rst says."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_integrator_prints_its_table_and_draws(tmp_path):
    # With a home of its own, as on a fresh machine: nengo keeps decoders there.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "integrator.py")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr
    table = [
        [float(number) for number in line.split()]
        for line in done.stdout.splitlines()
        if re.match(r" *\d\.\d ", line)
    ]
    assert [row[0] for row in table] == [0.5 * (i + 1) for i in range(10)]
    for _, decoded, target, _ in table:
        assert abs(decoded - target) < 0.1
    assert (tmp_path / "integrator.png").read_bytes().startswith(b"\x89PNG")
