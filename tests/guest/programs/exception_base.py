#: {"error": "Stop"}
class Stop(BaseException):
    pass


try:
    raise Stop("not an Exception")
except Exception:
    print("never")
