#: {"error": "SyntaxError"}
value = 3 +* 4
