"""The floor: a fork server of the same warmed interpreter, without any isolation.

Run as `/usr/bin/python3 -I -S floor.py`. One line of standard input is one program, one line of
standard output is what it printed. Per request: a pipe, a fork, compile and exec in the child,
exit; the parent reads to the end and waits. Nothing cheaper runs a program in a process of its
own, so a cell's time is told as a multiple of this one's.

It imports what the guest and its zygote import (src/cell/guest/python/guest.py), because the price
of a fork grows with the memory of the process that forks.
"""
import _json
import _sitebuiltins
import _thread
import builtins
import gc
import io
import os
import sys
import warnings

import json
import linecache
import traceback
import threading
import atexit


def child(source, out):
    os.dup2(out, 1)
    exec(compile(source, "main.py", "exec"), {"__name__": "__main__"})
    sys.stdout.flush()
    os._exit(0)


def serve(source):
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        child(source, theirs)
    os.close(theirs)
    chunks = []
    while chunk := os.read(ours, 65536):
        chunks.append(chunk)
    os.close(ours)
    os.waitpid(pid, 0)
    os.write(1, b"".join(chunks))


def main():
    compile("", "", "exec")
    gc.collect()
    gc.freeze()
    buffered = b""
    while chunk := os.read(0, 65536):
        *lines, buffered = (buffered + chunk).split(b"\n")
        for line in lines:
            serve(line)


if __name__ == "__main__":
    main()
