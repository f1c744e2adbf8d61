class Node:
    def __init__(self):
        self.me = self

    def __del__(self):
        print("cycle collected", type(self).__name__)


node = Node()
print("end")
