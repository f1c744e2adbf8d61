#!/usr/bin/env python3
"""Runs belljar on a machine that has nothing but cgroup v2, in qemu and without KVM.

Debian's cloud kernel and a static busybox are fetched with `apt-get download` into
build/qemu_v2/, where nothing is installed. The initial file system holds those, the given belljar,
and Python, bash and a few tools of this machine; tools/qemu_v2_guest.py is the guest's script of
checks. Needs qemu-system-x86_64 and cpio. The last line is "N passed, N failed".
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build/qemu_v2"
PROGRAMS = ["bash", "sh", "env", "cat", "ls", "id", "sleep", "true", "nproc", "python3"]
# A process can change its root only if that is not the first file system, hence switch_root.
FIRST = """#!/bin/busybox sh
/bin/busybox mkdir /new
/bin/busybox mount -t tmpfs -o mode=755,size=80% root /new
/bin/busybox cp -a /tree/. /new
/bin/busybox rm -rf /tree
exec /bin/busybox switch_root /new /bin/busybox sh /second
"""
SECOND = """
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t cgroup2 -o nsdelegate cgroup2 /sys/fs/cgroup
/bin/busybox mount -t tmpfs -o mode=1777 tmp /tmp
/bin/busybox mount -t tmpfs -o mode=755 run /run
/bin/busybox chown 1000:1000 /home/user
/bin/busybox ip link set lo up
PATH=/usr/bin HOME=/root /usr/bin/python3 /checks.py
/bin/busybox poweroff -f
"""


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def fetch(package):
    """The unpacked files of a Debian package."""
    files = WORK / package
    if not files.is_dir():
        subprocess.run(["apt-get", "download", "-q", package], cwd=WORK, check=True)
        [archive] = WORK.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, files], check=True)
    return files


def kernel():
    text = output("apt-cache", "depends", "linux-image-cloud-amd64")
    package = re.search(r"Depends: (linux-image-\S+)", text).group(1)
    return next((fetch(package) / "boot").glob("vmlinuz-*"))


def libraries(files):
    text = subprocess.run(["ldd", *files], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(/\S+) \(0x", text))


def put(tree, path):
    """Copies a file of this machine to the same place in the tree."""
    target = tree / str(path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copy2(os.path.realpath(path), target)


def build_tree(tree, belljar):
    for name in ["proc", "sys", "dev", "tmp", "run", "root", "usr/bin", "usr/lib", "usr/lib64",
                 "home/user", "var/lib", "etc"]:
        (tree / name).mkdir(parents=True)
    for name in ["bin", "lib", "lib64"]:
        (tree / name).symlink_to(f"usr/{name}")
    (tree / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/home/user:\n")
    (tree / "second").write_text(SECOND)
    shutil.copy2(ROOT / "tools/qemu_v2_guest.py", tree / "checks.py")
    shutil.copy2(fetch("busybox-static") / "bin/busybox", tree / "usr/bin/busybox")
    shutil.copy2(belljar, tree / "usr/bin/belljar")
    python = output("/usr/bin/python3", "-c", "import sysconfig as s; print(s.get_path('stdlib'))")
    ignored = shutil.ignore_patterns("test", "dist-packages", "config-*", "__pycache__")
    shutil.copytree(python, tree / python.lstrip("/"), symlinks=True, ignore=ignored)
    programs = [f"/usr/bin/{name}" for name in PROGRAMS]
    modules = list(pathlib.Path(python).glob("lib-dynload/*.so"))
    for path in [*programs, *libraries([belljar, *programs, *modules])]:
        put(tree, path)


def build_initrd(belljar):
    top = WORK / "initrd"
    shutil.rmtree(top, ignore_errors=True)
    build_tree(top / "tree", belljar)
    (top / "bin").mkdir()
    shutil.copy2(fetch("busybox-static") / "bin/busybox", top / "bin/busybox")
    (top / "init").write_text(FIRST)
    (top / "init").chmod(0o755)
    with open(WORK / "initrd.cpio", "wb") as archive:
        names = subprocess.run(["find", "."], cwd=top, check=True, capture_output=True).stdout
        subprocess.run(["cpio", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=top, check=True,
                       input=names, stdout=archive)
    return WORK / "initrd.cpio"


def boot(kernel_image, initrd, parameters, seconds):
    """PASS or FAIL for each check of one machine."""
    print(f"booting with {parameters}", flush=True)
    command = ["qemu-system-x86_64", "-nographic", "-no-reboot", "-accel", "tcg", "-cpu", "max",
               "-smp", "2", "-m", "3072", "-net", "none", "-kernel", kernel_image,
               "-initrd", initrd, "-append", f"console=ttyS0 quiet panic=-1 {parameters}"]
    verdicts = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          errors="replace") as machine:
        clock = threading.Timer(seconds, machine.kill)
        clock.start()
        for line in machine.stdout:
            print(line, end="", flush=True)
            verdicts += re.findall(r"^(PASS|FAIL|DONE)", line)
        clock.cancel()
    if "DONE" not in verdicts:
        print("FAIL the machine did not come to the end of its checks")
        verdicts.append("FAIL")
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--belljar", default=ROOT / "build/release/bin/belljar", type=pathlib.Path)
    parser.add_argument("--timeout", default=900, type=int, help="seconds for each machine")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    kernel_image, initrd = kernel(), build_initrd(options.belljar)
    verdicts = []
    for more in ["", " cgroup_disable=memory"]:
        verdicts += boot(kernel_image, initrd, "cgroup_no_v1=all" + more, options.timeout)
    print(f"{verdicts.count('PASS')} passed, {verdicts.count('FAIL')} failed")
    return 1 if "FAIL" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
