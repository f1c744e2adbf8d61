import multiprocessing


def square(x):
    return x * x


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, range(10)))
