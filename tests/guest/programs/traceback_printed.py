import traceback


def fail():
    raise ValueError("shown by traceback")


try:
    fail()
except ValueError:
    traceback.print_exc()
    print(traceback.format_exc().count("main.py"))
