"""cuDNN's names in the old GPU back end."""
from croton.gpuarray.dnn import *  # noqa: F401,F403
from croton.gpuarray.dnn import dnn_available, dnn_conv, dnn_pool  # noqa: F401
