import sys
import threading

thread = threading.Thread(target=lambda: sys.exit(3))
thread.start()
thread.join()
print("still here")
