"""Settings of this package's own tests."""

import os

import nengo

# Before any test imports TensorFlow, whose notes on the CPU would fill the captured output.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

# Decoders that an earlier run left on disk, maybe with another NumPy, are none of a test's
# business, and pytest-xdist's processes would contend for them.
nengo.rc["decoder_cache"]["enabled"] = "False"

# Runs pytest on small test files, to test `nengo_backend_tf.testing`.
pytest_plugins = ["pytester"]
