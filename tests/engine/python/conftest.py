"""Every test starts with the flags that nobody has set."""
import pytest
import theano


@pytest.fixture(autouse=True)
def default_flags():
    flags = theano.config._flags
    before = {name: flag.value for name, flag in flags.items()}
    yield
    for name, value in before.items():
        if flags[name].value != value:
            flags[name].assign(value)
