import __main__

value = 3
print(__main__.value, __main__ is __import__("sys").modules["__main__"])
