"""Every descriptor there is, in every process, and more of them on their way between sockets.

The attacker opens until it is refused, in many processes, and sends descriptors that nobody
receives. It is stopped by its own limit; the host opens files all the while.
"""
import concurrent.futures
import json
import pathlib

ROW = 42
SAYS = "descriptors end at the cell's limit, and the host still opens files"
HELDBY = [["resource_limits"]]

ATTACK_EACH = r"""
import array, errno, json, os, socket, sys, time


def fill():
    count = 0
    try:
        while count < 20000:
            os.open("/dev/null", os.O_RDONLY)
            count += 1
    except OSError as error:
        return count, errno.errorcode[error.errno]
    return count, None


def in_flight():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.setblocking(False)
    sent, last = 0, None
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 100))]
    keep = [one, other]
    while sent < 20000:
        try:
            keep[-2].sendmsg([b"x"], rights)
            sent += 100
        except BlockingIOError:
            try:
                pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            except OSError as error:
                return sent, errno.errorcode[error.errno]
            pair[0].setblocking(False)
            keep += pair
        except OSError as error:
            return sent, errno.errorcode[error.errno]
    return sent, None


sending = in_flight()
children = []
for _ in range(40):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, json.dumps(fill()).encode())
        time.sleep(0.5)
        os._exit(0)
    os.close(writer)
    children.append(reader)
each = [json.loads(os.read(reader, 100)) for reader in children]
print(json.dumps({"sending": sending, "each": each}), flush=True)
"""
OPEN_FILES = 200


def run(bench):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        run_one = pool.submit(bench.run, {"code": ATTACK_EACH, "open_files": OPEN_FILES})
        opened = 0
        while not run_one.done() or opened < 10:
            pathlib.Path("/proc/self/stat").read_text()
            opened += 1
        result = run_one.result()
    return bench.seen(result), result


def check(seen, result, host):
    del host
    assert result["outcome"] == "ok", result
    sent, error = seen["sending"]
    assert error in ("ETOOMANYREFS", "EMFILE"), seen["sending"]
    assert sent <= 4 * OPEN_FILES, f"{sent} descriptors were on their way"
    for count, error in seen["each"]:
        assert error == "EMFILE" and count < OPEN_FILES, (count, error)
