#: {"ends": "hard"}
import os

print("flushed", flush=True)
os._exit(7)
