#: {"since": [3, 10]}
def kind(value):
    match value:
        case {"x": int(x)}:
            return f"x={x}"
        case [first, *_]:
            return f"list of {first}"
        case _:
            return "other"


print(kind({"x": 1}), kind([7, 8]), kind(None), (n := 10) + n)
