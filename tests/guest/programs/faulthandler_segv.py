#: {"ends": "hard", "stderr": "Fatal Python error: Segmentation fault"}
import faulthandler
import os
import signal

faulthandler.enable()
print("before", flush=True)
os.kill(os.getpid(), signal.SIGSEGV)
