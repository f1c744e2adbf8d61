#: {"ends": "hard"}
import os

os.closerange(3, 64)
out = open("three.txt", "w")
out.write("only this")
out.flush()
print(out.fileno())
