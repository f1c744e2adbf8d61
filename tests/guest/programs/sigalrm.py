import signal


def ring(number, frame):
    raise TimeoutError("rang")


signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    while True:
        pass
except TimeoutError as error:
    print(error)
