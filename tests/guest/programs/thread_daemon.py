import threading
import time


def forever():
    time.sleep(60)
    print("never")


threading.Thread(target=forever, daemon=True).start()
print("main ends")
