#: {"stdin": "one\ntwo\nthrée"}
import sys

for number, line in enumerate(sys.stdin, 1):
    print(number, repr(line))
print(repr(sys.stdin.read()))
