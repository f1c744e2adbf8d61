"""The guest's end of the control stream and its count of file operations, in Python alone.

Loaded by guest.py (`guest` here) where the native module _belljar, which does the same in C++,
cannot be loaded.
"""
import _signal
import os
import sys

frames = guest.load_part("frames")
# The audit events that are one file operation each. What shutil does is made of these.
FILE_EVENTS = frozenset("""open os.listdir os.scandir os.remove os.rename os.mkdir os.rmdir os.link
    os.symlink os.truncate os.chmod os.chown os.utime os.setxattr os.removexattr""".split())


class Control:
    """The guest's end of the control stream; silent in any process but the one it was made in."""

    def __init__(self, fd):
        os.set_inheritable(fd, False)
        self.fd, self.pid, self.identity = fd, os.getpid(), self._identity(fd)
        self.counter = Counter(self)
        os.register_at_fork(after_in_child=self._close_in_child)

    @staticmethod
    def _identity(fd):
        status = os.fstat(fd)
        return status.st_dev, status.st_ino

    def _is_ours(self):
        # The program may have closed the descriptor and got its number back for a file.
        try:
            return self._identity(self.fd) == self.identity
        except OSError:
            return False

    def _close_in_child(self):
        if self._is_ours():
            os.close(self.fd)

    def read(self, size):
        chunks = []
        while size:
            chunk = os.read(self.fd, min(size, 1 << 20))
            if not chunk:
                os._exit(guest.EXIT_NO_RUN)
            chunks.append(chunk)
            size -= len(chunk)
        return b"".join(chunks)

    def converse(self, hello, _idle):
        """Says HELLO; the type and the payload of the RUN or SESSION that answers it."""
        self.send(frames.HELLO, hello)
        os.set_blocking(self.fd, True)
        header = self.read(5)
        size = int.from_bytes(header[:4], "little")
        if header[4] not in (frames.RUN, frames.SESSION) or size > frames.MAX_RUN_BYTES:
            os._exit(guest.EXIT_BAD_RUN)
        return header[4], self.read(size)

    def read_some(self, most):
        return os.read(self.fd, most)

    def _frame(self, kind, data):
        return memoryview(len(data).to_bytes(4, "little") + bytes((kind,)) + data)

    def send(self, kind, data):
        if os.getpid() != self.pid or not self._is_ours():
            return
        try:
            os.set_blocking(self.fd, False)
            self._write(self._frame(kind, data))
        except OSError:
            pass

    def _write(self, frame):
        deadline = None
        while frame:
            try:
                frame = frame[os.write(self.fd, frame):]
            except BlockingIOError:
                import select
                import time
                deadline = deadline or time.monotonic() + guest.SEND_SECONDS
                left = deadline - time.monotonic()
                if left <= 0 or not select.select((), (self.fd,), (), left)[1]:
                    return

    def send_whole(self, kind, data):
        """The same, however long it takes: half a frame would be the end of a session. SIGINT
        waits until it is sent."""
        if os.getpid() != self.pid or not self._is_ours():
            return
        interrupts = []
        try:
            handler = _signal.signal(_signal.SIGINT, lambda *which: interrupts.append(which))
        except ValueError:
            handler = None  # not the main thread: nobody interrupts it
        frame = self._frame(kind, data)
        try:
            while frame:
                frame = frame[os.write(self.fd, frame):]
        except OSError:
            pass
        if handler is not None:
            _signal.signal(_signal.SIGINT, handler)
        if interrupts and callable(handler):
            handler(*interrupts[0])


class Counter:
    """Counts file operations by an audit hook; past the quota the process ends."""

    def __init__(self, control):
        self.control, self.count, self.most = control, 0, None

    def count_opens(self, quota):
        counting = self.most is not None
        self.most = self.count + quota
        if not counting:
            sys.addaudithook(self.hook)

    def opens(self):
        return self.count

    def hook(self, event, _arguments):
        if event in FILE_EVENTS:
            self.count += 1
            if self.count == self.most + 1:
                self.control.send(frames.QUOTA, b'{"limit":"file_operations"}')
                os._exit(1)
