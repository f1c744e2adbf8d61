#: {"stdin": "raw é bytes"}
import sys

print(sys.stdin.buffer.read())
print(sys.stdin.encoding, sys.stdin.isatty(), sys.stdin.fileno())
