"""Sockets of every family but the local one: VSOCK to the hypervisor, PACKET, NETLINK to audit,
xfrm and netfilter, and all the rarely used ones with the bugs.

Each family, type and netlink protocol is refused with EAFNOSUPPORT, also with junk in the upper
half of the argument; the local family works, and is refused with junk.
"""
import socket

import prelude

ROW = 11
SAYS = "no socket but a local one can be made"
HELDBY = [["base_filter"]]
ATTACK = r'''
JUNK = 1 << 32
families = [0] + list(range(2, 50)) + [255, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFF]
answers = {}
for family in families:
    for kind in (1, 2, 3, 5):
        for junk in (0, JUNK, 0xFFFFFFFF00000000):
            name = f"{family} {kind} {junk:x}"
            answers[name] = sc("socket", family | junk, kind, 0)
            answers["pair " + name] = sc("socketpair", family | junk, kind, 0, BAD)
netlink = {protocol: sc("socket", 16, 3, protocol) for protocol in range(24)}
raw = {protocol: sc("socket", 2, 3, protocol) for protocol in (1, 6, 17, 50, 255)}
local = [sc("socket", 1, 1, 0), sc("socket", 1, 2, 0)]
tell({"answers": {name: value for name, value in answers.items() if value != "EAFNOSUPPORT"},
      "tried": len(answers), "netlink": sorted(set(netlink.values()), key=str),
      "raw": sorted(set(raw.values()), key=str),
      "local": [isinstance(value, int) for value in local],
      "local_junk": sc("socket", 1 | JUNK, 1, 0)})
'''


def check(seen, result, host):
    assert seen["tried"] > 1000 and seen["answers"] == {}, seen["answers"]
    assert seen["netlink"] == ["EAFNOSUPPORT"] and seen["raw"] == ["EAFNOSUPPORT"], seen
    assert seen["local"] == [True, True] and seen["local_junk"] == "EAFNOSUPPORT", seen


def control():
    """Outside, netlink is open to anybody, and junk in the upper half changes nothing."""
    assert isinstance(prelude.sc("socket", socket.AF_NETLINK, socket.SOCK_RAW, 0), int)
    assert isinstance(prelude.sc("socket", socket.AF_NETLINK | 1 << 32, socket.SOCK_RAW, 0), int)
    assert isinstance(prelude.sc("socket", socket.AF_INET, socket.SOCK_STREAM, 0), int)
