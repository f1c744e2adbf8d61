#: {"stdout": "/dev/full"}
import sys

sys.stdout.write("cannot be written")
