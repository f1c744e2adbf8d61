"""A running `belljar run --jsonl`, and the answers to its lines."""
import itertools
import json
import queue
import subprocess
import threading

SECONDS = 60


class Lines:
    """Around a process with pipes of text. Answers find their request by id, from any thread."""

    def __init__(self, process):
        self.process = process
        self.ids = itertools.count(1)
        self.lock = threading.Lock()
        self.answers = {}
        self.unclaimed = queue.Queue()  # answers to lines sent by send(), without a known id
        self.errors = []
        self.threads = [threading.Thread(target=target, daemon=True)
                        for target in (self._read, self._read_errors)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            with self.lock:
                waiting = self.answers.pop(answer.get("id"), self.unclaimed)
            waiting.put(answer)
        with self.lock:
            for waiting in self.answers.values():
                waiting.put(None)

    def _read_errors(self):
        self.errors.extend(self.process.stderr)

    def send(self, line):
        with self.lock:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def run(self, request, seconds=SECONDS):
        name = request.get("id", f"r{next(self.ids)}")
        mine = queue.Queue()
        with self.lock:
            self.answers[name] = mine
        self.send(json.dumps({**request, "id": name}))
        try:
            answer = mine.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"no answer within {seconds} s") from None
        assert answer is not None, "belljar ended: " + "".join(self.errors)
        return answer

    def close(self):
        """Ends it by the end of its input; returns its exit status."""
        self.process.stdin.close()
        try:
            status = self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        for thread in self.threads:
            thread.join(SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        return status
