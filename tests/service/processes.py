"""Processes as /proc shows them, and waiting for them to go."""
import os
import pathlib


def stat_of(pid):
    """State and parent, or None where it is gone."""
    try:
        state, parent = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return state, int(parent)


def below(pid, counts):
    """Every process below `pid`, also in other namespaces, whose state counts."""
    children = {}
    for entry in os.listdir("/proc"):
        found = stat_of(int(entry)) if entry.isdigit() else None
        if found and counts(found[0]):
            children.setdefault(found[1], []).append(int(entry))
    found, unread = [], [pid]
    while unread:
        next_ones = children.get(unread.pop(), [])
        found += next_ones
        unread += next_ones
    return found


def descendants(pid):
    """With those that have ended and wait for their parent."""
    return below(pid, lambda state: True)


def living_descendants(pid):
    return below(pid, lambda state: state != "Z")


def any_left(pids):
    return any(os.path.exists("/proc/%d" % pid) for pid in pids)
