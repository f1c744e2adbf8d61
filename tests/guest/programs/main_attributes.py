"""The docstring."""
import sys

main = sys.modules["__main__"]
print(__name__, __doc__, __spec__, __package__, __cached__)
print(__file__.endswith("main.py"), type(__builtins__), __builtins__.len is len)
print(sorted(name for name in vars(main) if name.startswith("__")))
print(main.__dict__ is globals(), isinstance(__loader__.get_source("__main__"), str))
