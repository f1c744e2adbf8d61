#: {"error": "TypeError"}
def first():
    raise ValueError("first")


def second():
    try:
        first()
    except ValueError as error:
        raise OSError(2, "second", "name") from error


try:
    second()
except OSError:
    len(3)
