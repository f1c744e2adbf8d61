import atexit
import sys

atexit.register(print, "registered first, runs last")
atexit.register(print, "registered last, runs first")
sys.exit(3)
