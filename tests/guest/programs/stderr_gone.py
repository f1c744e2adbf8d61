#: {"error": "ValueError"}
import sys

sys.stderr = None
print("silence follows")
raise ValueError("nobody hears")
