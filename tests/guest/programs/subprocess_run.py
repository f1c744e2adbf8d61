import os
import subprocess
import sys

done = subprocess.run(["sh", "-c", "echo out; echo err >&2; exit 3"], stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE)
print(done)
print(subprocess.check_output([sys.executable, "-c", "print(6 * 7)"]))
print(os.system("exit 2") >> 8)
# Nothing of the control stream reaches a child.
print(subprocess.check_output(["sh", "-c", "ls /proc/self/fd | sort -n | tail -n 1"]))
