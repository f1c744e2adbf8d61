import sys


def down(n):
    try:
        return down(n + 1)
    except RecursionError:
        return n


print(down(0) > 900, sys.getrecursionlimit())
