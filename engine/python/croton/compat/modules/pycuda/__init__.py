"""The basics of PyCUDA on Croton's device of CUDA, for programs that import it where PyCUDA is not installed."""
VERSION = (2022, 1)
VERSION_STATUS = ""
VERSION_TEXT = "2022.1"
