"""What a statement shows besides its output: DISPLAY frames, held to their limits, and the DONE after
them.

Loaded by session.py (`guest` here is guest.py). The supervisor ends a guest that shows too much, so
whatever is too large is left out here, and a text in its place says so.
"""
import _thread
import os

frames = guest.load_part("frames")
MOST_WAITING = 16  # displays kept between statements, for the next one
# Of the bytes that may be displayed, kept for the result; of the number of displays one is kept for
# it and one for the note that tells what was dropped.
RESERVED_BYTES = 1 << 20
MAX_PLAIN = 100000  # characters of a text, and room for what they are in bytes
MAX_PLAIN_BYTES = 8 * MAX_PLAIN
MOST_ITEMS = 1000  # of a container, in its text


def as_text(value):
    """repr(), of no more than the beginning of what is long."""
    kind = type(value)
    if kind in (str, bytes) and len(value) > MAX_PLAIN:
        return "%r... (%d in all)" % (value[:MAX_PLAIN], len(value))
    if kind in (list, tuple, set, frozenset, dict) and len(value) > MOST_ITEMS:
        from itertools import islice
        some = kind(islice(value.items() if kind is dict else value, MOST_ITEMS))
        return "%r... (%d items in all)" % (some, len(value))
    text = repr(value)
    if type(text) is not str:
        text = str(text)
    if len(text) > MAX_PLAIN:
        text = "%s... (%d characters in all)" % (text[:MAX_PLAIN], len(text))
    return text


def plain(value):
    """The text/plain form of `value`, as a JSON text."""
    return guest.json_text(as_text(value), MAX_PLAIN_BYTES)


class Displays:
    """What a statement shows besides its output. Frames wait here while no statement runs."""

    def __init__(self, control):
        self.control, self.pid = control, os.getpid()
        self.lock = _thread.allocate_lock()
        self.n, self.waiting, self.dropped = None, [], 0
        self.count = self.bytes = 0

    def begin(self, n):
        with self.lock:
            self.n, self.count, self.bytes = n, 0, 0
            waiting, self.waiting = self.waiting, []
        for bundle in waiting:
            self.show(bundle)

    def end(self, payload):
        """Says DONE; what comes later is the next statement's."""
        with self.lock:
            if self.dropped:
                note = "%d more displays were dropped: a run may show %d, of %d bytes in all" % (
                    self.dropped, frames.MAX_DISPLAYS, frames.MAX_DISPLAY_BYTES)
                self._send({"text/plain": guest.json_text(note, 1000)}, False)
                self.dropped = 0
            self.n = None
            self.control.send_whole(frames.DONE, payload)

    def show(self, bundle, result=False):
        """`bundle` maps MIME types to JSON texts."""
        if os.getpid() != self.pid:
            return  # a forked child: its words would be taken for its parent's
        with self.lock:
            if self.n is None:
                self.waiting.append(bundle)
                if len(self.waiting) > MOST_WAITING:
                    del self.waiting[0]
                    self.dropped += 1
            else:
                self._show_now(bundle, result)

    def _show_now(self, bundle, result):
        room = frames.MAX_DISPLAY_BYTES - self.bytes - (0 if result else RESERVED_BYTES)
        if self.count >= frames.MAX_DISPLAYS - (1 if result else 2) or room <= 0:
            self.dropped += 1
            return
        self._send(self._fitting(bundle, min(room, frames.MAX_DISPLAY_FRAME_BYTES) - 1024), result)

    @staticmethod
    def _fitting(bundle, room):
        """Without the largest forms, until it fits; the text says what is missing."""
        kept, notes = dict(bundle), []
        size = {mime: len(text.encode("utf-8")) + len(mime) + 8 for mime, text in bundle.items()}
        while sum(size[mime] for mime in kept) > room:
            worst = max(kept, key=lambda mime: (mime != "text/plain", size[mime]))
            del kept[worst]
            notes.append("[%s of %d bytes is too large to be shown]" % (worst, size[worst]))
        if notes:
            text = guest.parse_json(kept.get("text/plain", '""'))
            kept["text/plain"] = guest.json_text("\n".join(([text] if text else []) + notes),
                                                 MAX_PLAIN_BYTES // 2)
        return kept

    def _send(self, bundle, result):
        forms = ",".join('"%s":%s' % (mime, text) for mime, text in bundle.items())
        payload = ('{"n":%d,"bundle":{%s},"result":%s}' % (
            self.n, forms, "true" if result else "false")).encode("utf-8")
        self.count += 1
        self.bytes += len(payload)
        self.control.send_whole(frames.DISPLAY, payload)
