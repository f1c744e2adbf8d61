#: {"error": "ValueError"}
import sys


def hook(kind, value, tb):
    print("before", file=sys.stderr)
    sys.__excepthook__(kind, value, tb)
    print("after", file=sys.stderr)


sys.excepthook = hook
raise ValueError("original")
