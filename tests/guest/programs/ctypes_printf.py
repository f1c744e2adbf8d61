import ctypes

print("python first")
ctypes.CDLL(None).printf(b"from C, without a newline")
