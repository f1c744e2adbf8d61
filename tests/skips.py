"""A plugin that fails a run whose skipped tests differ from the pinned ones, so that none is lost unseen."""
import os

import pytest


class Skips:
    """tests/skips.txt has a test's name on each line: its path without tests/, as pytest prints it, or what
    GoogleTest calls it; a module's or a class's stands for all of its tests. Behind "root: " or "user: " it holds for
    that kind of caller alone. Only tests that this run has tried are looked at."""

    def __init__(self, pinned, backend):
        self.pinned, self.backend = pinned, backend
        self.tried, self.skipped = set(), {}

    @staticmethod
    def name_of(nodeid):
        """Without the group that xdist adds."""
        return nodeid.partition("@")[0].removeprefix("tests/")

    def pytest_runtest_logreport(self, report):
        name = self.name_of(report.nodeid)
        self.tried.add(name)
        if report.skipped:
            self.skipped[name] = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)

    def expected(self):
        other = "user: " if os.geteuid() == 0 else "root: "
        lines = (line.partition("#")[0].strip() for line in self.pinned.read_text().splitlines())
        return {line.removeprefix("root: ").removeprefix("user: ") for line in lines
                if line and not line.startswith(other)}

    def surprises(self):
        pinned = self.expected()
        expected = {name for name in self.tried
                    if any(part in pinned for part in (name, name.rpartition("::")[0], name.split("::")[0]))}
        yield from ("skipped, but not pinned: %s (%s)" % (name, self.skipped[name])
                    for name in sorted(set(self.skipped) - expected))
        yield from ("pinned, but it ran: " + name for name in sorted((expected & self.tried) - set(self.skipped)))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        if self.backend == "native" and session.exitstatus == pytest.ExitCode.OK and list(self.surprises()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        told = list(self.surprises()) if self.backend == "native" else []
        if told:
            terminalreporter.section("the tests that could not run differ from tests/skips.txt", red=True)
            for line in told:
                terminalreporter.line(line)
