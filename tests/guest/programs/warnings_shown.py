import warnings


def old():
    warnings.warn("this is old", DeprecationWarning, stacklevel=2)


old()
warnings.warn("look out")
