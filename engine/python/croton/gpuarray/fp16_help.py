"""Names in C for numbers of 16 bits: kernels compute with 32 and convert where they load and store."""


def work_dtype(dtype):
    return "float32" if dtype == "float16" else dtype


def load_w(dtype):
    """The function that makes what is loaded a number to compute with; '' for none."""
    return "ga_half2float" if dtype == "float16" else ""


def write_w(dtype):
    return "ga_float2half" if dtype == "float16" else ""
