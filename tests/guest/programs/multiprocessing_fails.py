import multiprocessing


def work():
    raise ValueError("in a process")


if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=work, name="p1")
    process.start()
    process.join()
    print(process.exitcode)
