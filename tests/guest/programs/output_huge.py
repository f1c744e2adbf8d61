for number in range(20000):
    print(number, "x" * 100)
