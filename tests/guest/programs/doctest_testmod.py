"""
>>> double(4)
8
>>> double(1)
3
"""
import doctest


def double(x):
    """
    >>> double(2)
    4
    """
    return 2 * x


print(doctest.testmod())
