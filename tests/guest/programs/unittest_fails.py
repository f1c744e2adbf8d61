import unittest


class Case(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(1 + 1, 3)


unittest.main()
