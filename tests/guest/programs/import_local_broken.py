#: {"files": {"broken.py": "def f(:\n"}, "error": "SyntaxError"}
import broken
