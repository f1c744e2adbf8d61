import unittest


class Case(unittest.TestCase):
    def test_truth(self):
        self.assertTrue(True)


if __name__ == "__main__":
    unittest.main()
