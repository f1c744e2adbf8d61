"""Waiting for a condition; the one place of the tests that sleeps for it."""
import time


def wait_for(condition, what="", seconds=30, pause=0.02):
    """Waits until the condition holds; what it has returned then. What it raises ends the waiting."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise AssertionError("it did not come to this: " + (what or "a condition that never held"))
        time.sleep(pause)
    return found
