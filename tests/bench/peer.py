"""Processes that answer lines on pipes: one client for the floor and for belljar.

Reading and writing is os.read and os.write on pipes, so that both sides of a ratio carry the same
small cost of the client.
"""
import json
import os
import select
import signal
import time

PYTHON = "/usr/bin/python3"
SNIPPET = "print(sum(range(100)))"
EXPECTED = b"4950"
FLOOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "floor.py")
ANSWER_SECONDS = 30
STOP_SECONDS = 60


class BenchError(Exception):
    """Why a figure could not be measured, in one sentence."""


class Peer:
    def __init__(self, argv, env=None):
        self.name = os.path.basename(argv[0])
        their_in, self.to = os.pipe()
        self.out, their_out = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, their_in, 0), (os.POSIX_SPAWN_DUP2, their_out, 1)]
        self.pid = os.posix_spawn(argv[0], argv, env or {"LANG": "C.UTF-8"}, file_actions=actions)
        os.close(their_in)
        os.close(their_out)
        self.answers = select.poll()
        self.answers.register(self.out, select.POLLIN)
        self.alive = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def ask(self, line):
        """The answer to one line, and the nanoseconds it took."""
        start = time.perf_counter_ns()
        os.write(self.to, line)
        answer = b""
        while not answer.endswith(b"\n"):
            if not self.answers.poll(ANSWER_SECONDS * 1000):
                raise BenchError("%s gave no answer in %d s" % (self.name, ANSWER_SECONDS))
            more = os.read(self.out, 65536)
            if not more:
                raise BenchError("%s ended without an answer" % self.name)
            answer += more
        return answer, time.perf_counter_ns() - start

    def timed(self, line):
        """Nanoseconds of one checked request."""
        if not select.select((), (self.to,), (), ANSWER_SECONDS)[1]:
            raise BenchError("%s takes no requests" % self.name)
        answer, ns = self.ask(line)
        if EXPECTED not in answer:
            raise BenchError("%s answered %r" % (self.name, answer[:200]))
        return ns

    def burst(self, line, count):
        """Feeds `count` equal lines as fast as they are taken; returns when all are answered."""
        data, written, answered, size = line * count, 0, 0, len(line) * count
        view = memoryview(data)
        os.set_blocking(self.to, False)
        poller = select.poll()
        poller.register(self.out, select.POLLIN)
        poller.register(self.to, select.POLLOUT)
        while answered < count:
            ready = poller.poll(ANSWER_SECONDS * 1000)
            if not ready:
                raise BenchError("%s stopped at %d of %d answers" % (self.name, answered, count))
            for fd, _ in ready:
                if fd == self.out:
                    chunk = os.read(fd, 1 << 20)
                    if not chunk:
                        raise BenchError("%s ended in the middle" % self.name)
                    answered += chunk.count(b"\n")
                else:
                    written += os.write(fd, view[written:written + 32768])
                    if written == size:
                        poller.unregister(fd)
        os.set_blocking(self.to, True)

    def stop(self):
        if not self.alive:
            return
        self.alive = False
        os.close(self.to)
        deadline = time.monotonic() + STOP_SECONDS
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            time.sleep(0.005)
        os.close(self.out)


class Belljar(Peer):
    """One `belljar run --jsonl`, and what /proc tells about its processes."""

    def __init__(self, setup, *flags, binary=None, env=None):
        super().__init__([binary or setup.binary, "run", "--jsonl", *flags],
                         {**setup.env, **(env or {})})

    def children(self):
        """The pids of all its child processes, whichever of its threads started them."""
        pids = []
        for task in os.listdir("/proc/%d/task" % self.pid):
            try:
                with open("/proc/%d/task/%s/children" % (self.pid, task), "rb") as file:
                    pids += [int(pid) for pid in file.read().split()]
            except OSError:
                pass  # the thread has ended
        return pids

    def cells(self):
        """The pids of cell processes, by cell. What else there is (agent, zygote, launcher) lives
        in the supervisor's own pid namespace."""
        own, cells = os.stat("/proc/self/ns/pid").st_ino, {}
        for pid in self.children():
            try:
                space = os.stat("/proc/%d/ns/pid" % pid).st_ino
            except FileNotFoundError:
                continue
            if space != own:
                cells.setdefault(space, []).append(pid)
        return cells

    def settle(self, quiet=0.25, seconds=30):
        """Waits until no process has come or gone for `quiet` seconds; returns their number and
        the time at which the last change was seen."""
        deadline = time.monotonic() + seconds
        last, since = len(self.children()), time.monotonic()
        while time.monotonic() - since < quiet:
            if time.monotonic() > deadline:
                raise BenchError("the number of processes does not come to rest")
            time.sleep(0.004)
            now = len(self.children())
            if now != last:
                last, since = now, time.monotonic()
        return last, since


def request(code=SNIPPET, **more):
    return json.dumps({"id": "b", "code": code, **more}).encode() + b"\n"


def floor():
    return Peer([PYTHON, "-I", "-S", FLOOR])


def floor_request():
    return SNIPPET.encode() + b"\n"
