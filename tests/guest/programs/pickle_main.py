import pickle


class Point:
    def __init__(self, x):
        self.x = x


def function():
    return "called"


data = pickle.dumps([Point(3), function])
point, again = pickle.loads(data)
print(point.x, again(), Point.__module__)
