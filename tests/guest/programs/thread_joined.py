import threading
import time


def late():
    time.sleep(0.1)
    print("late but printed")


threading.Thread(target=late).start()
print("main ends")
