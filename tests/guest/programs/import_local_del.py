#: {"files": {"owner.py": "class Noisy:\n    def __del__(self):\n        print('module object deleted')\n\n\nkept = Noisy()\n"}}
import owner

print(owner.kept is not None)
