#: {"error": "AssertionError"}
x = 3
assert x == 4, f"x is {x}"
