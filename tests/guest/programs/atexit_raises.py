import atexit


def broken():
    raise ValueError("in an exit function")


atexit.register(print, "still runs")
atexit.register(broken)
print("end")
