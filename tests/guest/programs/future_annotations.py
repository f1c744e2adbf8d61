"""A docstring may come first."""
from __future__ import annotations


def f(x: Undefined) -> AlsoUndefined:
    return x


print(f.__annotations__, f(1))
