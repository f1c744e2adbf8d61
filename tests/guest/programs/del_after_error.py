#: {"error": "LookupError"}
class Noisy:
    def __del__(self):
        print("deleted after the error")


def hold():
    noisy = Noisy()
    raise LookupError("held by a frame")


hold()
