#: {"error": "AttributeError"}
try:
    int("x")
except ValueError:
    None.nothing
