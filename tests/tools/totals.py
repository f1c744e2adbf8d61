"""A main() for unittest files that ends as ./dev reads it: "N passed, N failed"."""

import sys
import unittest


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.stderr.flush()
    for test, reason in result.skipped:
        print(f"SKIP {test.id().removeprefix('__main__.')}: {reason}")
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(1 if failed else 0)
