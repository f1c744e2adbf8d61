import inspect
import sys


def function(a, b=2):
    # a comment
    return a + b


class Thing:
    def method(self):
        return 1


print(inspect.getsource(function))
print(inspect.getsource(Thing.method))
print(inspect.signature(function), inspect.getfile(function).endswith("main.py"))
print(inspect.getsourcelines(Thing)[1])
print(inspect.getmodule(function) is sys.modules["__main__"])
