"""Numbers of the engine's enums that the Python side names."""
TENSOR, GENERIC, NONE, SLICE, RANDOM_STATE, DISCONNECTED, NULL = range(7)
INPUT, CONSTANT, SHARED, OUTPUT = range(4)
