#!/usr/bin/env python3
"""Reads an audit log as a stranger would: by the specifications alone.

usage: read_tlog.py AUDIT_DIR [PROOF_FILE ...]

An implementation of its own of C2SP's signed-note, tlog-checkpoint, tlog-tiles and tlog-proof and
of RFC 6962, with nothing of Belljar's. Checks the signature, reads every entry and every tile,
computes the root, and checks each proof. Prints "N entries, root HEX", or fails.
"""

import base64
import hashlib
import pathlib
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

WIDTH = 256


def leaf_hash(entry):
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of(hashes):
    """RFC 6962, 2.1."""
    if not hashes:
        return hashlib.sha256().digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(root_of(hashes[:split]), root_of(hashes[split:]))


def open_note(note, verifier_key):
    """The text of a signed note, if `verifier_key` has signed it."""
    name, key_id, encoded = verifier_key.split("+", 2)
    key = base64.b64decode(encoded, validate=True)
    assert key[0] == 1, "not Ed25519"
    digest = hashlib.sha256(name.encode() + b"\n" + key).digest()
    assert digest[:4].hex() == key_id, "the key's id is not its own"
    text, signatures = note.rsplit("\n\n", 1)
    text += "\n"
    for line in signatures.splitlines():
        dash, signer, signature = line.split(" ")
        assert dash == "\u2014"
        raw = base64.b64decode(signature, validate=True)
        if signer == name and raw[:4].hex() == key_id:
            Ed25519PublicKey.from_public_bytes(key[1:]).verify(raw[4:], text.encode())
            return text
    raise AssertionError("not signed by " + name)


def open_checkpoint(note, verifier_key):
    origin, size, root = open_note(note, verifier_key).splitlines()[:3]
    assert origin == verifier_key.split("+")[0]
    return int(size), base64.b64decode(root, validate=True)


def tile_path(row, number, width):
    path = f"{number % 1000:03}"
    while number >= 1000:
        number //= 1000
        path = f"x{number % 1000:03}/{path}"
    return f"tile/{row}/{path}" + (f".p/{width}" if width < WIDTH else "")


def read_row(directory, row, count):
    """The tiles of a row of `count` hashes or entries."""
    for number in range(0, (count + WIDTH - 1) // WIDTH):
        width = min(WIDTH, count - number * WIDTH)
        yield width, (directory / tile_path(row, number, width)).read_bytes()


def read_entries(directory, size):
    entries = []
    for width, bundle in read_row(directory, "entries", size):
        at = 0
        for _ in range(width):
            length = int.from_bytes(bundle[at:at + 2], "big")
            entries.append(bundle[at + 2:at + 2 + length])
            at += 2 + length
        assert at == len(bundle), "bytes after the last entry"
    return entries


def check_tiles(directory, leaves):
    """Each row's hashes are the roots of the full tiles of the row below."""
    row, level = leaves, 0
    while row:
        stored = b"".join(tile for _, tile in read_row(directory, level, len(row)))
        assert stored == b"".join(row), f"level {level} is not as computed"
        full = len(row) // WIDTH
        row = [root_of(row[i * WIDTH:(i + 1) * WIDTH]) for i in range(full)]
        level += 1


def check_proof(text, verifier_key, entries):
    head, note = text.split("\n\n", 1)
    lines = head.split("\n")
    assert lines.pop(0) == "c2sp.org/tlog-proof@v1"
    if lines[0].startswith("extra "):
        extra = base64.b64decode(lines.pop(0)[6:], validate=True)
    index = int(lines.pop(0).removeprefix("index "))
    assert extra == entries[index]
    size, root = open_checkpoint(note, verifier_key)
    path = [base64.b64decode(line, validate=True) for line in lines]
    assert climb(leaf_hash(extra), index, size, path) == root, "the proof does not hold"


def climb(leaf, index, size, path):
    """The root that `path` leads to, taken apart from the top: RFC 6962, 2.1.1."""
    if size == 1:
        assert not path
        return leaf
    split = 1
    while split * 2 < size:
        split *= 2
    if index < split:
        return node_hash(climb(leaf, index, split, path[:-1]), path[-1])
    return node_hash(path[-1], climb(leaf, index - split, size - split, path[:-1]))


def main():
    directory = pathlib.Path(sys.argv[1])
    key = (directory / "key.pub").read_text().removesuffix("\n")
    size, root = open_checkpoint((directory / "checkpoint").read_text(), key)
    entries = read_entries(directory, size)
    leaves = [leaf_hash(entry) for entry in entries]
    assert root_of(leaves) == root, "the entries do not lead to the signed root"
    check_tiles(directory, leaves)
    for proof in sys.argv[2:]:
        check_proof(pathlib.Path(proof).read_text(), key, entries)
    print(f"{size} entries, root {root.hex()}")


if __name__ == "__main__":
    main()
