import os
import sys

print("before", flush=True)
pid = os.fork()
if pid == 0:
    print("child")
    sys.exit(5)
_, status = os.waitpid(pid, 0)
print("child ended with", os.WEXITSTATUS(status))
