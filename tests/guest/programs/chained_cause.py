#: {"error": "RuntimeError"}
try:
    {}["missing"]
except KeyError as error:
    raise RuntimeError("lookup failed") from error
