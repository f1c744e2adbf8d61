#: {"error": "EOFError"}
input()
