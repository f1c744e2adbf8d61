from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
import multiprocessing


def cube(x):
    return x ** 3


if __name__ == "__main__":
    with ThreadPoolExecutor(2) as pool:
        print(list(pool.map(cube, range(5))))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        print(list(pool.map(cube, range(5))))
