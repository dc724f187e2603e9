"""Models of PyMC as functions of Croton."""
from croton.pytensor.linker import compiled


def function_of(model):
    """The log-density of a model and its gradient as one function of Croton; it takes the values of the model's variables."""
    return compiled(model.compile_fn([model.logp(), model.dlogp()], inputs=model.value_vars, point_fn=False, on_unused_input="ignore",
                                     mode="CROTON"))
