print(callable(exit), callable(quit), callable(help))
print(repr(exit), repr(quit))
quit(9)
