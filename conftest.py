"""Settings of this package's own tests."""

import os

# Before any test imports TensorFlow, whose notes on the CPU would fill the captured output.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

# Runs pytest on small test files, to test `nengo_backend_tf.testing`.
pytest_plugins = ["pytester"]
