"""Functions of the mode CROTON in threads."""
import threading

import pytest
from models import MODELS

import croton.pytensor  # noqa: F401, as it makes the modes known


@pytest.mark.filterwarnings("ignore")
def test_copies_of_a_function_run_in_threads():
    model = MODELS["schools"]()
    function = model.compile_fn([model.logp()], inputs=model.value_vars, mode="CROTON", point_fn=False)
    start = model.initial_point(1)
    points = [[start[variable.name] + 0.01 * k for variable in model.value_vars] for k in range(200)]
    wanted = [function(*point)[0].item() for point in points]
    got = {}

    def work(index):
        own = function.copy(share_memory=False)
        got[index] = [own(*point)[0].item() for point in points]
    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [got.get(index) for index in range(4)] == [wanted] * 4
