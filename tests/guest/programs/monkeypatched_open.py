#: {"error": "ValueError"}
import builtins


def no_open(*args, **kwargs):
    raise RuntimeError("no files today")


builtins.open = no_open
raise ValueError("shown all the same")
