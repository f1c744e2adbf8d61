import sys


class Reason:
    def __str__(self):
        return "an object's reason"


sys.exit((Reason, 1) and Reason())
