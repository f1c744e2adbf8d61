#: {"error": "KeyboardInterrupt"}
print("interrupted")
raise KeyboardInterrupt
