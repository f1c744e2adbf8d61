#--- asyncio-gather: three waits at once
import asyncio
async def work(n):
    await asyncio.sleep(0.01 * n)
    return n * n
async def main():
    print(await asyncio.gather(*(work(i) for i in range(3))))
asyncio.run(main())
#--- asyncio-queue: a producer and a consumer
import asyncio
async def producer(q):
    for i in range(5):
        await q.put(i)
    await q.put(None)
async def consumer(q):
    while (item := await q.get()) is not None:
        print("got", item)
async def main():
    q = asyncio.Queue(maxsize=2)
    await asyncio.gather(producer(q), consumer(q))
asyncio.run(main())
#--- asyncio-timeout: a wait with a limit
import asyncio
async def main():
    try:
        await asyncio.wait_for(asyncio.sleep(1), timeout=0.05)
    except asyncio.TimeoutError:
        print("too slow")
asyncio.run(main())
#--- asyncio-taskgroup: a group of tasks
import asyncio
async def job(name):
    await asyncio.sleep(0)
    return name.upper()
async def main():
    async with asyncio.TaskGroup() as tg:
        ts = [tg.create_task(job(n)) for n in "abc"]
    print([t.result() for t in ts])
asyncio.run(main())
#--- asyncio-semaphore: two at a time
import asyncio
async def fetch(i, sem):
    async with sem:
        await asyncio.sleep(0.01)
        return i
async def main():
    sem = asyncio.Semaphore(2)
    print(await asyncio.gather(*[fetch(i, sem) for i in range(6)]))
asyncio.run(main())
#--- asyncio-lock-event: a lock and an event
import asyncio
async def waiter(e):
    await e.wait()
    print("go")
async def main():
    e = asyncio.Event()
    t = asyncio.create_task(waiter(e))
    async with asyncio.Lock():
        e.set()
    await t
asyncio.run(main())
#--- asyncio-generator: an asynchronous generator
import asyncio
async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
async def main():
    print([i async for i in ticks(4)])
asyncio.run(main())
#--- asyncio-context-manager: an asynchronous context
import asyncio
from contextlib import asynccontextmanager
@asynccontextmanager
async def session():
    print("open")
    yield {"id": 1}
    print("close")
async def main():
    async with session() as s:
        print(s)
asyncio.run(main())
#--- asyncio-to-thread: a slow function on a thread
import asyncio, time
def slow(n):
    time.sleep(0.01)
    return n
async def main():
    print(await asyncio.to_thread(slow, 3))
asyncio.run(main())
#--- asyncio-cancel: a task stopped
import asyncio
async def forever():
    try:
        while True:
            await asyncio.sleep(0.01)
    except asyncio.CancelledError:
        print("stopped")
        raise
async def main():
    t = asyncio.create_task(forever())
    await asyncio.sleep(0.03)
    t.cancel()
    await asyncio.gather(t, return_exceptions=True)
asyncio.run(main())
#--- asyncio-as-completed: the first one first
import asyncio, random
async def job(i):
    await asyncio.sleep(random.random() / 50)
    return i
async def main():
    for f in asyncio.as_completed([job(i) for i in range(4)]):
        print(await f)
asyncio.run(main())
#--- asyncio-class: an asynchronous iterator class
import asyncio
class Countdown:
    def __init__(self, n):
        self.n = n
    def __aiter__(self):
        return self
    async def __anext__(self):
        if self.n <= 0:
            raise StopAsyncIteration
        self.n -= 1
        return self.n
async def main():
    async for i in Countdown(3):
        print(i)
asyncio.run(main())
#--- threading-basic: a few threads
import threading
def work(n, out):
    out[n] = n * n
out = {}
ts = [threading.Thread(target=work, args=(i, out)) for i in range(4)]
for t in ts:
    t.start()
for t in ts:
    t.join()
print(out)
#--- threading-lock: a counter with a lock
import threading
n, lock = 0, threading.Lock()
def add():
    global n
    for _ in range(1000):
        with lock:
            n += 1
ts = [threading.Thread(target=add) for _ in range(4)]
[t.start() for t in ts]
[t.join() for t in ts]
print(n)
#--- threading-subclass: a thread class
from threading import Thread
class Worker(Thread):
    def __init__(self, n):
        super().__init__(daemon=True)
        self.n, self.result = n, None
    def run(self):
        self.result = sum(range(self.n))
w = Worker(100)
w.start()
w.join()
print(w.result)
#--- threading-event-timer: an event set later
import threading
done = threading.Event()
threading.Timer(0.05, done.set).start()
print(done.wait(1))
#--- threading-local: a value for each thread
import threading
local = threading.local()
def f(v):
    local.v = v
    print(local.v)
threading.Thread(target=f, args=(1,)).start()
#--- threading-condition: a bounded buffer
import threading
from collections import deque
buf, cond = deque(), threading.Condition()
def put():
    for i in range(5):
        with cond:
            buf.append(i)
            cond.notify()
t = threading.Thread(target=put)
t.start()
got = 0
while got < 5:
    with cond:
        while not buf:
            cond.wait(0.1)
        print(buf.popleft())
        got += 1
t.join()
#--- queue-workers: workers with a queue
import queue, threading
q = queue.Queue()
def worker():
    while True:
        item = q.get()
        if item is None:
            break
        print(item ** 2)
        q.task_done()
t = threading.Thread(target=worker)
t.start()
for i in range(5):
    q.put(i)
q.put(None)
t.join()
#--- executor-map: a pool of threads
from concurrent.futures import ThreadPoolExecutor
def sq(n):
    return n * n
with ThreadPoolExecutor(max_workers=4) as ex:
    print(list(ex.map(sq, range(10))))
#--- executor-submit: futures as they end
from concurrent.futures import ThreadPoolExecutor, as_completed
import time
def nap(s):
    time.sleep(s)
    return s
with ThreadPoolExecutor() as ex:
    fs = {ex.submit(nap, s / 100): s for s in (3, 1, 2)}
    for f in as_completed(fs):
        print(fs[f], f.result())
#--- contextvars-basic: a value by context
import contextvars
user = contextvars.ContextVar("user", default="nobody")
tok = user.set("ann")
print(user.get())
user.reset(tok)
print(user.get())
