"""Tables of a policy that name the servers here."""
import json
import os

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "server.py")


def table(name="test", words=(), **keys):
    """[tools.NAME] of a policy, with our server unless a url is given."""
    keys.setdefault("allow", ["*"])
    if "url" not in keys:
        keys["command"] = ["/usr/bin/python3", SERVER, *words]
    return "[tools.%s]\n%s\n" % (name, "\n".join(
        "%s = %s" % (key, value if isinstance(value, str) and value[0] == "{" else json.dumps(value))
        for key, value in keys.items()))
