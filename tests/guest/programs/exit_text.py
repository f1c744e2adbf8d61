import sys

print("to stdout")
sys.exit("the reason")
