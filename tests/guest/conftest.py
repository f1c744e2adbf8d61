"""What the tests of guests outside of cells need of this process."""
import os
import signal

import pytest

from suite import scratch_directory

CONTROL = 3


@pytest.fixture
def control_number():
    """Descriptor 3 is a guest's control stream: in a child it takes the place of whatever lies there, and that must
    not be a pipe that was made for the child. And children must not ignore SIGINT, as xdist's workers do."""
    try:
        os.fstat(CONTROL)
    except OSError:
        null = os.open(os.devnull, os.O_RDONLY)
        if null != CONTROL:
            os.dup2(null, CONTROL, inheritable=False)
            os.close(null)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def scratch_of_module():
    with scratch_directory() as path:
        yield path
