def f(x: int):
    return x


print(f.__annotations__)
