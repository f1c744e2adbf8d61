import threading


def broken():
    raise ValueError("in a thread")


thread = threading.Thread(target=broken, name="worker")
thread.start()
thread.join()
print("main goes on")
