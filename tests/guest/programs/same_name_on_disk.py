#: {"error": "ValueError", "decoy": true}
import os

print(os.path.basename(__file__))


def shown():
    raise ValueError("the line above is the program's")


shown()
