"""Log-densities and gradients of models: the modes CROTON and CROTON_AFTER against PyTensor's ops, each run by its method perform."""
import numpy as np
import pytensor
import pytest
from models import MODELS

import croton.pytensor


def density_and_gradient(model):
    density = model.logp()
    return [density, *pytensor.grad(density, model.value_vars)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_log_density_and_gradient(name):
    model = MODELS[name]()
    outputs = density_and_gradient(model)
    point, rng = model.initial_point(1), np.random.default_rng(3)
    values = [point[variable.name] + 0.1 * rng.normal(size=np.shape(point[variable.name])) for variable in model.value_vars]
    wanted = model.compile_fn(outputs, inputs=model.value_vars, mode="FAST_COMPILE", point_fn=False)(*values)
    assert np.isfinite(wanted[0])
    for mode in ("CROTON", "CROTON_AFTER"):
        function = model.compile_fn(outputs, inputs=model.value_vars, mode=mode, point_fn=False)
        for ours, theirs in zip(function(*values), wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.max(np.abs(theirs)), err_msg=mode)
        assert croton.pytensor.python_applies(function) == [], mode
