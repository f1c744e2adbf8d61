"""Kernel keyrings, which no namespace separates: keys of the host are searched, keys are left for
the next cell.

All three calls are refused with EPERM, and procfs lists no keys.
"""
import prelude

ROW = 18
SAYS = "no key can be made, found or asked for"
HELDBY = [["base_filter"], ["guest_filter"]]
ATTACK = r'''
seen = {"add_key": sc("add_key", b"user", b"belljar", b"x", 1, -3),
        "add_key bad": sc("add_key", BAD, BAD, BAD, 1, -3),
        "request_key": sc("request_key", b"user", b"belljar", 0, -3),
        "request_key bad": sc("request_key", BAD, BAD, BAD, -3)}
for name, args in {"get session": (0, -3, 0), "get user": (0, -4, 1), "join": (1, b"_ses"),
                   "join new": (1, 0), "describe": (6, -3, BAD, 10), "read": (11, -3, BAD, 10),
                   "search": (10, -3, b"user", b"belljar", 0), "link": (8, -4, -3),
                   "unlink": (9, -4, -3), "persistent": (22, -1, -3), "capabilities": (31, BAD, 4),
                   "session to parent": (18,), "unknown": (999,)}.items():
    seen["keyctl " + name] = sc("keyctl", *args)
tell({"calls": seen, "keys": readable("/proc/keys"), "users": readable("/proc/key-users"),
      "sys": readable("/proc/sys/kernel/keys/maxkeys")})
'''


def check(seen, result, host):
    prelude.expect(seen["calls"], "EPERM")
    assert seen["keys"] == seen["users"] == seen["sys"] == "ENOENT", seen


def control():
    """Outside, a key is made in a keyring of this process, and found again."""
    key = prelude.sc("add_key", b"user", b"belljar-control", b"x", 1, -2)
    if key in ("ENOSYS", "EPERM", "EDQUOT"):
        raise prelude.Skip(f"no keys here: {key}")
    assert isinstance(key, int), key
    assert prelude.sc("keyctl", 10, -2, b"user", b"belljar-control", 0) == key
