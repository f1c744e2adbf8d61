import multiprocessing
import sys


def work(queue, code):
    queue.put(code * 2)
    sys.exit(code)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=work, args=(queue, 21))
    process.start()
    print(queue.get())
    process.join()
    print(process.exitcode)
