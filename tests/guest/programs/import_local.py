#: {"files": {"neighbour.py": "value = 41\n\n\ndef fail():\n    raise ValueError('next door')\n"}, "error": "ValueError"}
import neighbour

print(neighbour.value + 1)
neighbour.fail()
