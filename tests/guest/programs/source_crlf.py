def f(x):
    return x + 1

print(f(1), """a
b""".encode())
#: {"error": "TypeError"}
f(None)
