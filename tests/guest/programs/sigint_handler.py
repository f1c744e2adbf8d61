import os
import signal

print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
signal.signal(signal.SIGINT, lambda number, frame: print("handled", number))
os.kill(os.getpid(), signal.SIGINT)
try:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass
except KeyboardInterrupt:
    print("caught")
