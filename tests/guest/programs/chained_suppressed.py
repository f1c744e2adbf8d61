#: {"error": "KeyError"}
try:
    int("x")
except ValueError:
    raise KeyError("only this") from None
