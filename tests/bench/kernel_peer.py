"""Times statements in an ipykernel, driven by jupyter_client as a notebook would; prints JSON.

Run by /usr/bin/python3, for which Debian's packages of both are installed.
"""
import json
import sys
import time

from jupyter_client.manager import start_new_kernel


def statement(client, code):
    """Nanoseconds from the request to the kernel's word that it is idle again."""
    start = time.perf_counter_ns()
    request = client.execute(code)
    while True:
        message = client.get_iopub_msg(timeout=30)
        mine = message["parent_header"].get("msg_id") == request
        if mine and message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return time.perf_counter_ns() - start


def main():
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        for _ in range(10):
            statement(client, "x = 1")
        print(json.dumps([statement(client, "x = x + 1") for _ in range(int(sys.argv[1]))]))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    main()
