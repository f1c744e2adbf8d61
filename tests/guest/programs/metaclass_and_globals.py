class Meta(type):
    def __new__(mcs, name, bases, namespace):
        namespace["made_by"] = mcs.__name__
        return super().__new__(mcs, name, bases, namespace)


class Made(metaclass=Meta):
    pass


globals()["dynamic"] = Made.made_by
print(dynamic, Made.__qualname__, Made.__module__, "Made" in globals(), "Made" in vars())
