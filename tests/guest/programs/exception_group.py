#: {"since": [3, 11], "error": "ExceptionGroup"}
def fail(error):
    raise error


caught = []
for error in (ValueError("one"), TypeError("two")):
    try:
        fail(error)
    except Exception as e:
        caught.append(e)
raise ExceptionGroup("several", caught)
