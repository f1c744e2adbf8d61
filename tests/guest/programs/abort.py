#: {"ends": "hard"}
import os

print("flushed", flush=True)
os.abort()
