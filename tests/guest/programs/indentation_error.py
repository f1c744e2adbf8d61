#: {"error": "IndentationError"}
def f():
return 1
