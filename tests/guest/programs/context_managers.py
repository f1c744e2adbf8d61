#: {"error": "ValueError"}
import contextlib


@contextlib.contextmanager
def step(name):
    print("enter", name)
    try:
        yield name
    finally:
        print("leave", name)


with contextlib.ExitStack() as stack:
    stack.enter_context(step("one"))
    stack.enter_context(step("two"))
    raise ValueError("inside")
