#: {"since": [3, 11], "error": "ValueError"}
error = ValueError("noted")
error.add_note("first note")
error.add_note("second\nnote")
raise error
