"""The parts of tests/bench.py: one module per kind of figure."""
