#: {"error": "NameError"}
counter = 1
print(countre)
