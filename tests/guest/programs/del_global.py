class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("deleted", self.name)


a = Noisy("a")
b = Noisy("b")
a = None
print("end")
