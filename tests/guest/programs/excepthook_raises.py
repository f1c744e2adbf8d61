#: {"error": "ValueError"}
import sys


def hook(kind, value, tb):
    raise KeyError("hook is broken")


sys.excepthook = hook
raise ValueError("original")
