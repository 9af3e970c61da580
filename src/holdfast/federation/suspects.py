"""Which nodes stay suspicious, from what they have sent so far."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping

from holdfast.watching.suspicion import find_suspects, suspicion

WINDOW = 50
"""Rounds that are remembered: a node is judged by what it did lately."""


class Suspects:
    """Disagreement of the nodes over the last rounds, and who is not asked any more.

    A node that was suspect, or sent something unusable, in `after` rounds in which it was asked, one after another,
    is not asked again; 0 asks everybody for ever. At most `most` nodes are left out, the declared number: whoever
    could make the server leave out honest nodes would otherwise win a majority.
    """

    def __init__(self, after: int, most: int) -> None:
        self._after, self._most = after, most
        self._history: deque[Mapping[int, float]] = deque(maxlen=WINDOW)
        self._streaks: Counter[int] = Counter()
        self.left_out: dict[int, int] = {}
        """The nodes that are not asked any more, and the round after which that was decided."""

    def hear(self, round: int, shares: Mapping[int, float], unusable: Iterable[int]) -> dict[int, tuple[float, bool]]:
        """Take in a round: each node's disagreement. Return each one's suspicion, and whether it is a suspect."""
        bad = set(unusable)
        found: dict[int, tuple[float, bool]] = {}
        if shares:
            self._history.append(shares)
            nodes = sorted(set().union(*self._history))
            table = [[past.get(node) for node in nodes] for past in self._history]
            judged = zip(suspicion(table).tolist(), find_suspects(table).tolist(), strict=True)
            found = dict(zip(nodes, judged, strict=True))
        for node in shares.keys() | bad:
            self._streaks[node] = self._streaks[node] + 1 if node in bad or found[node][1] else 0
        self._leave_out(round)
        return found

    def _leave_out(self, round: int) -> None:
        if not self._after:
            return
        for node, streak in self._streaks.most_common():
            if streak >= self._after and node not in self.left_out and len(self.left_out) < self._most:
                self.left_out[node] = round
