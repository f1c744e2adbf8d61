#: {"error": "ValueError"}
raise ValueError("x" * 200000 + "\n\x00 end \udc80")
