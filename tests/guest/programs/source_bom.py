print("after a byte order mark", __file__ is not None)
