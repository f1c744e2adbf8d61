#: {"args": ["--flag", "two words", "ü", ""]}
import argparse
import sys

print(sys.argv)
parser = argparse.ArgumentParser()
parser.add_argument("--flag", action="store_true")
parser.add_argument("rest", nargs="*")
print(parser.parse_args())
