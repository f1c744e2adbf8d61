import os

pid = os.fork()
if pid == 0:
    raise ValueError("in the child")
_, status = os.waitpid(pid, 0)
print("child ended with", os.WEXITSTATUS(status))
