import sys


def leave():
    try:
        sys.exit(5)
    finally:
        print("finally")


leave()
