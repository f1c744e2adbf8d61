#: {"error": "KeyboardInterrupt"}
import os
import signal

print("sending", flush=True)
os.kill(os.getpid(), signal.SIGINT)
for _ in range(10 ** 9):
    pass
