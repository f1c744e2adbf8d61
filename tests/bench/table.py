"""The figures, what each must reach, and the verdict on what was reached."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    figure: str
    must: float
    aim: float
    unit: str
    better: str  # "less" or "more"

    def reached_by(self, value, bound):
        return value <= bound if self.better == "less" else value >= bound

    def verdict(self, value):
        if value is None:
            return "missed"
        if self.reached_by(value, self.aim):
            return "met, aim too"
        return "met" if self.reached_by(value, self.must) else "missed"


GOALS = {
    "warm_p50": Goal("fresh cell, warm pool, p50", 1.0, 0.5, "x floor", "less"),
    "warm_p99": Goal("fresh cell, warm pool, p99", 4, 2, "x floor", "less"),
    "drained_p50": Goal("drained pool, p50", 3, 2, "x floor", "less"),
    "sustained": Goal("sustained fresh cells per second", 6, 10, "x bwrap", "more"),
    "oneshot": Goal("one-shot belljar run -c, p50", 2.5, 1.2, "x bwrap's time", "less"),
    "cpu": Goal("CPU-bound Python, inside / outside", 0.97, 0.99, "speed", "more"),
    "idle_memory": Goal("idle pooled cell, memory", 4, 2, "MiB", "less"),
    "idle_cells": Goal("idle cells at once", 1000, 5000, "cells", "more"),
    "http_p50": Goal("POST /v1/runs, fresh cell, p50", 1.5, 1.2, "x bare cell", "less"),
    "statement": Goal("statement in a session, p50", 10, 20, "x faster than ipykernel", "more"),
    "crowd_errors": Goal("256 clients at once, errors", 0, 0, "errors", "less"),
    "crowd_rate": Goal("256 clients at once, throughput", 0.8, 0.95, "of --jsonl", "more"),
    "audit_cost": Goal("throughput with audit", 0.9, 0.97, "of without", "more"),
    "live_sessions": Goal("live idle Python sessions", 1000, 5000, "sessions", "more"),
    "checkpoint": Goal("checkpoint and rollback, 100 MiB", 20, 5, "ms", "less"),
    "fork": Goal("fork 1 session into 50", 100, 50, "ms", "less"),
    "egress": Goal("HTTP request through the broker, p50", 1.5, 1.15, "x direct", "less"),
    "tool_call": Goal("MCP tool call from a cell, p50", 1.5, 1.2, "x outside", "less"),
    "analysis_cached": Goal("analysis, cached", 20, 5, "us", "less"),
    "redaction": Goal("redaction, all rules", 300, 1000, "MB/s", "more"),
    "judgement_cost": Goal("cost of judgement on a warm run, p50", 25, 10, "%", "less"),
    "recall": Goal("hostile corpus, seen", 97, 99, "%", "more"),
    "gvisor_p50": Goal("fresh run behind gVisor, pool, p50", 40, 120, "x faster than runsc do", "more"),
    "gvisor_statement": Goal("statement behind gVisor, p50", 5, 2.5, "x native", "less"),
    "docker_p50": Goal("fresh run through Docker, pool, p50", 40, 120, "x faster than docker run", "more"),
    "false_alarms": Goal("harmless corpus, false alarms", 2, 0.5, "%", "less"),
}


@dataclass
class Row:
    figure: str
    must: str
    aim: str
    reached: str
    verdict: str


def number(value):
    return "%d" % value if value == int(value) else "%.3g" % value


def judged(key, value, detail):
    """The row of a goal. `value` is None when it could not be measured; `detail` then says why."""
    goal = GOALS[key]
    reached = "not measured: " + detail
    if value is not None:
        reached = "%s %s (%s)" % (number(value), goal.unit, detail)
    return Row(goal.figure, number(goal.must), number(goal.aim), reached, goal.verdict(value))


def told(figure, reached):
    """A row without a goal."""
    return Row(figure, "", "", reached, "")


def render(rows):
    cells = [("figure", "must", "aim", "verdict", "reached")]
    cells += [(row.figure, row.must, row.aim, row.verdict, row.reached) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    lines = []
    for line in cells:
        padded = [text.ljust(width) for text, width in zip(line, widths)]
        lines.append("  ".join(padded + [line[4]]).rstrip())
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join(lines)
