x = 1000
print(x is 1000)
