"""The table of a mutation run, 80 columns wide, and the list of survivors."""
from __future__ import annotations

import dataclasses

HEADS = ("module", "mutants", "left out", "killed", "timeout", "accepted", "survived", "score")
WIDTHS = (12, 8, 9, 8, 8, 9, 9, 8)


@dataclasses.dataclass
class Tally:
    left_out: int = 0
    failed: int = 0
    timed_out: int = 0
    accepted: int = 0
    survived: int = 0

    @property
    def killed(self) -> int:
        return self.failed + self.timed_out

    @property
    def score(self) -> float:
        """Killed mutants of all that are not accepted, in per cent."""
        judged = self.killed + self.survived
        return 100 * self.killed / judged if judged else 100

    def row(self, module: str) -> str:
        tried = self.killed + self.accepted + self.survived
        values = (tried, self.left_out, self.killed, self.timed_out, self.accepted, self.survived, f"{self.score:.1f} %")
        return line((module, *values))


def line(values) -> str:
    first, *rest = [str(value) for value in values]
    return first.ljust(WIDTHS[0]) + "".join(value.rjust(width) for value, width in zip(rest, WIDTHS[1:]))


def table(tallies: dict[str, Tally]) -> str:
    """Returns the table. `killed` includes `timeout`; the score leaves accepted mutants out."""
    return "\n".join([line(HEADS)] + [tally.row(module) for module, tally in tallies.items()])
