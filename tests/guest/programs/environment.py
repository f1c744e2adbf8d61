#: {"env": {"GREETING": "grüße", "EMPTY": "", "TZ": "Asia/Tokyo"}}
import os
import subprocess
import time

for key in ("GREETING", "EMPTY", "TZ", "ABSENT"):
    print(key, repr(os.environ.get(key)))
os.environ["ADDED"] = "by the program"
print(subprocess.check_output(["sh", "-c", "echo $GREETING $ADDED"]))
print(time.tzname, time.strftime("%H:%M", time.localtime(0)))
