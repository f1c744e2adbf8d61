import warnings

warnings.simplefilter("always")


def leak():
    open("/dev/null")


leak()
print("done")
