import sys
import threading

sys.setrecursionlimit(20000)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


threading.stack_size(64 << 20)
thread = threading.Thread(target=lambda: print(depth(15000)))
thread.start()
thread.join()
print(depth(4000))
