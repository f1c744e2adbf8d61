#: {"error": "TypeError"}
def total(*numbers):
    return sum(
        numbers,
        "not a number",
    )


print(
    "sum",
    total(
        1,
        2,
    ),
)
