class Broken:
    def __del__(self):
        raise ValueError("in a finaliser")


def make():
    Broken()


make()
print("after")
