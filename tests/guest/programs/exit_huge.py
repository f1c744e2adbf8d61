#: {"until": [3, 12]}
import sys

sys.exit(1 << 80)
