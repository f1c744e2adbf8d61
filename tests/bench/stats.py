"""Samples in, a few numbers out."""
import math


def percentile(ordered, share):
    """The smallest sample that at least `share` of all samples do not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def summarise(samples):
    ordered = sorted(samples)
    return {
        "n": len(ordered),
        "min": ordered[0],
        "p50": percentile(ordered, 0.50),
        "p95": percentile(ordered, 0.95),
        "p99": percentile(ordered, 0.99),
        "max": ordered[-1],
        "mean": sum(ordered) / len(ordered),
    }


def median(samples):
    return percentile(sorted(samples), 0.50)
