import io
import sys

sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="latin-1", newline="\r\n")
print("ä in latin-1")
