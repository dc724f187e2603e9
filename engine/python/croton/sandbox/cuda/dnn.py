"""cuDNN's names in the old GPU back end."""
from croton.gpuarray import dnn as _dnn
from croton.gpuarray.dnn import *  # noqa: F401,F403


def version(raises=True):
    """cuDNN's version as the headers and as the library say it, which were two numbers here; without one an error, or -1."""
    return _dnn._versions(raises) or -1


class GpuDnnSoftmax(_dnn.GpuDnnSoftmax):
    """The order of the axes may be said first, as it was here: images, channels, rows, columns."""

    def __init__(self, *words, tensor_format="bc01", **named):
        if words and words[0] in ("bc01", "b01c"):
            tensor_format, words = words[0], words[1:]
        if tensor_format != "bc01":
            raise ValueError("tensor_format is 'bc01', not %r" % (tensor_format,))
        super().__init__(*words, **named)
