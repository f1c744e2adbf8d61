#: {"error": "ValueError"}
import atexit

atexit.register(print, "cleaning up")
raise ValueError("bad")
