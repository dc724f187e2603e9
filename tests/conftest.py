"""Bounds of time. Tests marked `timing` fail for everything but such a bound: over it they are xfailed, which is shown and does not count."""
import pytest


@pytest.fixture
def bound():
    """bound(holds, what): `what` says what took how long, and what it may take."""
    def check(holds, what):
        if not holds:
            pytest.xfail("over its bound: " + what)
    return check
