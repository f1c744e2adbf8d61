"""Compiles the Python guest into one file: guest.py as Python itself would, its parts behind it.

Run as a program in a cell, by the interpreter that is to run the result.
Usage: compile.py [FOLDER TARGET]
"""
import marshal
import os
import py_compile
import sys

folder, target = sys.argv[1:] or ("/.belljar", "/workspace/guest.pyc")


def part(path):
    with open(path, "rb") as file:
        return marshal.dumps(compile(file.read(), path, "exec", dont_inherit=True))


py_compile.compile(os.path.join(folder, "guest.py"), target, doraise=True,
                   invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
names = [name[:-3] for name in os.listdir(folder) if name.endswith(".py") and name != "guest.py"]
parts = marshal.dumps({name: part(os.path.join(folder, name + ".py")) for name in names})
with open(target, "ab") as file:  # an interpreter reads no further than its own part
    file.write(parts + len(parts).to_bytes(8, "little"))
