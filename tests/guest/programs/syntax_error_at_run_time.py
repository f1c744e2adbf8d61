#: {"error": "SyntaxError"}
print("start")
eval("1 +")
