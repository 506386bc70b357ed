"""What nengo's builder was at when something went wrong."""

from contextlib import contextmanager

from nengo.builder import Builder


@contextmanager
def naming_built_objects():
    """Add to any error the objects that were being built, which the user reads below the traceback."""
    try:
        yield
    except Exception as error:
        names = [str(obj) for obj in _built(error.__traceback__)]
        if names:
            error.add_note("Raised while building " + ", for ".join(reversed(names)))
        raise


def _built(traceback):
    """The objects whose building a traceback leads through, from the network to its parts."""
    while traceback is not None:
        if traceback.tb_frame.f_code is Builder.build.__func__.__code__:
            yield traceback.tb_frame.f_locals["obj"]
        traceback = traceback.tb_next
