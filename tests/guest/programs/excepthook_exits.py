#: {"error": "ValueError"}
import sys


def hook(kind, value, tb):
    sys.exit(17)


sys.excepthook = hook
raise ValueError("original")
