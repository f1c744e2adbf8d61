import sys

for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(stream.name, stream.mode, stream.encoding, stream.errors, stream.fileno())
sys.stdout.flush()
print("to stderr ü \udc80", file=sys.stderr)
sys.stdout.buffer.write(b"raw \xff bytes\n")
sys.stdout.write("no newline at the end")
