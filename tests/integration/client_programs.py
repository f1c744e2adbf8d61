"""What test_client.py runs with a daemon and without one."""

# What is run with a daemon and without one: arguments, and standard input.
SAME = {
    "ok": (["run", "-c", "print('é', 6*7)"], b""),
    "nothing printed": (["run", "-c", ""], b""),
    "exit 3": (["run", "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"],
               b""),
    "exception": (["run", "-c", "def f():\n  1/0\nf()"], b""),
    "timeout": (["run", "--timeout", "0.5", "-c", "print('a', flush=True)\nwhile True: pass"], b""),
    "refused": (["run", "--file-operations", "5", "--lang", "bash", "-c", "echo never"], b""),
    "output lines": (["run", "--output-lines", "3", "-c", "for i in range(9): print(i)"], b""),
    "output bytes": (["run", "--output-bytes", "5", "-c", "print('1234567')"], b""),
    "memory": (["run", "--memory", "64M", "-c", "x = bytearray(1 << 30)"], b""),
    "signal": (["run", "-c", "import os; os.kill(os.getpid(), 11)"], b""),
    "bytes": (["run", "-c", "import sys; sys.stdout.buffer.write(bytes(range(256)) * 300)"], b""),
    "half a character": (["run", "-c", "import sys; sys.stdout.buffer.write(b'a\\xe2\\x82')"], b""),
    "a million bytes": (["run", "-c", "print('x' * 1_000_000)"], b""),
    "stdin": (["run", "-c", "import sys; print(sys.stdin.read()[::-1])"], "ab\n\"é".encode()),
    "stdin of bytes": (["run", "-c", "import sys; print(sum(sys.stdin.buffer.read()))"],
                       bytes(range(256)) * 5000),
    "code on stdin": (["run", "-"], b"print('piped')"),
    "stdin of nobody": (["run", "-c", "import sys; print(repr(sys.stdin.read()))"], b""),
    "arguments": (["run", "-c", "import sys; print(sys.argv[1:])", "a b", "--", "--json", ""], b""),
    "environment": (["run", "--env", "A=1=2", "-c", "import os; print(os.environ['A'])"], b""),
    "a file": (["run", "--file", "n/in.bin=in.bin", "-c", "print(open('n/in.bin','rb').read())"],
               b""),
    "bash": (["run", "--lang", "bash", "-c", "echo $BASH_VERSION; exit 7"], b""),
    "javascript": (["run", "--lang", "js", "-c", "console.log([1,2].map(x => x*2)); process.exit(4)"],
                   b""),
    "a command": (["exec", "--", "sort", "-n"], b"10\n9\n"),
    "a command that is not there": (["exec", "--", "no-such-command"], b""),
    "no such image": (["run", "--image", "none", "-c", "1"], b""),
    "a seed": (["run", "--deterministic", "7", "-c",
                "import random, time; print(random.random(), time.time())"], b""),
    "a mistake in a flag": (["run", "--memory", "lots", "-c", "1"], b""),
    "limits": (["run", "--open-files", "20", "--cpus", "0.5", "--workspace", "1M", "-c",
                "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"], b""),
}

# Those that give no result, and that a daemon does not run.
FAULTY = {"no such image", "a mistake in a flag"}
