#: {"until": [3, 14]}
count: int = 3
name: "str"
print(__annotations__)
